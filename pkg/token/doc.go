// Package token knows the ring of Apache Cassandra and ScyllaDB: where a
// partition key stands on it, which nodes hold it, and how to cut it into
// pieces that together are exactly the whole.
//
// Where to start: [ByClass] turns what system.local.partitioner says into a
// [Partitioner]; [NewRing] takes the nodes and their tokens; [ParseStrategy]
// reads a keyspace's replication map; [Ring.Place] puts the two together into a
// [Placement], which answers "who holds this token" ([Placement.Find]) and cuts
// the ring into work ([Placement.Plan]). [Cover] proves that a list of ranges is
// neither short of a token nor has one twice; [Subtract] says what is left of it.
//
// Ranges are open below and closed above, (Start, End], as Cassandra's are, and
// never wrap: the range that crosses the end of the ring is kept as two. A range
// therefore goes straight into "token(pk) > ? AND token(pk) <= ?".
//
// Bytes: every Append function appends to the slice it is given and keeps
// nothing; Hash, Parse and ReadWire keep nothing of their argument. The slices
// that [Ring.Nodes] and [Placement.Replicas] hand out are shared and must not be
// changed.
//
// Concurrency: partitioners, rings and placements never change once made and are
// safe for concurrent use.
//
// Sources: the partitioners, the key layout and the placement rules are those of
// Apache Cassandra 5.0 (org.apache.cassandra.dht.Murmur3Partitioner and
// RandomPartitioner, utils.MurmurHash, locator.SimpleStrategy and
// NetworkTopologyStrategy); the vectors in testdata were made by running those
// classes. ScyllaDB follows the same rules for keyspaces without tablets.
package token
