// Package sstables reads a table from SSTables, as a sweep reads it from a cluster: token range by
// token range, page by page. What several files have of a range is made one, and the rows are those
// that a SELECT would give at one moment.
//
// Start with [New]. A page holds copies of its cells; a range whose files are broken is a fault of
// class GivenUp, which leaves the other ranges as they are.
package sstables
