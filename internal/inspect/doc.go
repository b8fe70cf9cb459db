// Package inspect looks at SSTables and reports what is in them: their components, statistics,
// largest partitions and rows. It connects to no cluster.
//
// Start with [Prepare].
package inspect
