// Package token models the token ring of Apache Cassandra and ScyllaDB. It computes the token of a
// partition key and the nodes that hold it. It also cuts the ring into splits that together cover
// every token exactly once.
//
// # Where to start
//
//   - [ByClass] returns the [Partitioner] for the class name in system.local.partitioner.
//   - [AppendKey] serializes a partition key, and Partitioner.Hash returns its token.
//   - [NewRing] builds a [Ring] from the nodes and their tokens.
//   - [ParseStrategy] reads the replication map of a keyspace.
//   - [Ring.Place] combines ring and strategy into a [Placement].
//   - [Placement.Find] and [Placement.Replicas] return the nodes that hold a token.
//   - [Placement.Plan] cuts the ring into splits.
//   - [Cover] checks that ranges have neither gaps nor overlaps, and [Subtract] removes completed
//     ranges.
//
// # Ranges
//
// A range excludes its start and includes its end, (Start, End], as in Cassandra. A range never
// wraps: the package keeps the vnode range that crosses the end of the ring as two ranges. A range
// can therefore be used directly in "token(pk) > ? AND token(pk) <= ?".
//
// # Bytes
//
// Every Append function appends to its first argument and does not retain it. Hash, Parse and
// ReadWire do not retain their argument. The slices that [Ring.Nodes] and [Placement.Replicas]
// return are shared; callers must not modify them.
//
// # Concurrency
//
// Partitioners, rings and placements are immutable and safe for concurrent use.
//
// # Sources
//
// Partitioners, key layout and placement follow Apache Cassandra 5.0:
// org.apache.cassandra.dht.Murmur3Partitioner and RandomPartitioner, utils.MurmurHash,
// locator.SimpleStrategy and NetworkTopologyStrategy. Those classes produced the vectors in
// testdata. ScyllaDB follows the same rules for keyspaces without tablets.
package token
