// Package records records in a run directory what scans and loads have done. A resume reads these
// records, however the run before it stopped.
//
// The package gives the records of a journal (package journal) their meaning. A load records the
// pieces of its inputs that it has begun and completed. A scan records the token ranges whose rows
// are in its output, and the size of the output's files.
package records
