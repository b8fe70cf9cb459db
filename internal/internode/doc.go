// Package internode is a client of Cassandra's storage port, at which nodes speak to each other. It
// streams partitions into a node, as sstableloader does, and out of it, as a node does that takes
// over ranges. It serves Cassandra 4.0, 4.1 and 5.0, whose streaming messages have the same bytes.
// It knows nothing of rows: in both directions go a table's partitions as in an SSTable, or the
// components of entire SSTables.
//
// Start with [Client.Stream], which runs one session with one node, and [Client.Probe], which only
// checks whether a session is possible. To get files, start with [Listen], [Client.CheckReach] and
// [Client.Fetch]. The messages are encoded and decoded both ways ([Read], [Append]), so that tests
// can play a node: package internodetest does.
//
// If a session is not complete, its effect is unknown: see [Kind]. Only the caller retries. To
// retry, call Stream again: it makes a new plan id. The caller passes the same files with the same
// timestamps, so whatever a session left behind changes nothing.
package internode
