// Package records keeps, in a run directory, what scans and loads have done, and
// reads it when they go on after they were stopped, in whatever way.
//
// It gives the records of a journal (package journal) their meaning. A load notes
// the pieces of its inputs that it has begun and settled; a scan notes the token
// ranges whose rows are in its output, and how far the output's files are.
package records
