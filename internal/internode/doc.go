// Package internode is a client of Cassandra's storage port, the one that nodes speak to each other
// on, and streams partitions in through it, as sstableloader does, or out of it, as a node does
// that takes over ranges. It serves Cassandra 4.0, 4.1 and 5.0, which speak streaming in the same
// bytes, and knows nothing of rows: what goes either way are a table's partitions as they stand in
// an SSTable, or the components of whole SSTables.
//
// Start with [Client.Stream], which holds one session with one node, and [Client.Probe], which only
// asks whether one could be held; and, to get files, with [Listen], [Client.CheckReach] and
// [Client.Fetch]. The messages are a codec both ways ([Read], [Append]), so that the other side can
// be played: package internodetest does.
//
// A session is complete or nothing is known of it: see [Kind]. Nobody but the caller tries again;
// who does calls Stream anew, which makes a new plan id, and gives the same files with the same
// timestamps, so that what a session left behind changes nothing.
package internode
