// Package files reads a table from SSTables: those in folders, of data directories and snapshots
// ([Open]), or those that are fetched from nodes. [Source] is a table with what its rows are read
// from.
//
// It decides which SSTables count, whose they are if the nodes are known, and which rows only a
// commit log has. Pages of them are made in package sstables.
package files
