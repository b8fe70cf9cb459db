// Package sstables reads a table from SSTables, as a sweep reads it from a cluster: token range by
// token range, page by page. It merges what several files have of a range. The rows are those that
// a SELECT would return at one moment.
//
// Start with [New]. A page holds copies of its cells. If a file is broken, the ranges in it fail
// with a fault of class GivenUp. Other ranges are not affected.
package sstables
