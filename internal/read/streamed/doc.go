// Package streamed reads a table from SSTables that the nodes stream to this host ([Open]). It asks
// as many replicas of each token range as the consistency level wants, and another one where a node
// fails. It fetches again what nodes sent while the ring changed.
//
// What the nodes send is kept in files without names until its rows are read. Package sstables
// merges the rows of several replicas, and package internode has the protocol.
package streamed
