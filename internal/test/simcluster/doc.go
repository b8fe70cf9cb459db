// Package simcluster is a simulated cluster for tests. Each node is a real TCP server that speaks
// CQL native protocol version 4 on an address of its own. It has vnodes, racks and data centers,
// and tables whose rows are made from a seed. Nodes can be like Cassandra's or like ScyllaDB's:
// with shards, a shard-aware port, and tablets.
//
// Start with [Start]. [Options.Tables] says which tables there are; without it there is one, k
// bigint PRIMARY KEY and v text. A cluster records each statement, with its node and shard
// ([Cluster.Requests]), and each row that is written ([Cluster.Applied]). [Cluster.Records] is what
// a table holds. A test compares the nodes with [Cluster.Replicas].
//
// There are three kinds of faults. [Cluster.Inject] takes a [Rule]: which requests it is for, and
// the [Fault] that they get. [Cluster.Disturb] takes [Faults]: rates, and a seed that together with
// the number of a request decides what happens to it. And a test can act itself: [Cluster.Stop] and
// [Cluster.Restart] a node, [Cluster.Join], [Cluster.Move], [Cluster.Drop], [Cluster.Slow].
// [Cluster.Calm] ends the first two.
//
// The ring changes at once, with [Cluster.Join], [Cluster.Leave] and [Cluster.Move], or as a real
// one does: see [Change]. That is with [Cluster.BeginJoin], [Cluster.BeginLeave],
// [Cluster.BeginMove], [Cluster.BeginReplace], [Cluster.BeginRemove] and [Cluster.BeginAlter]. With
// [Options.Replicated] each node holds rows of its own ([Cluster.Held]).
//
// What is simulated:
//
//   - SELECT of columns, count(*), writetime, ttl and token, by token range and by conditions on
//     columns, by partition with GROUP BY
//   - pages, whose states hold the place of the last row, so that any node takes them at any time
//   - INSERT with a timestamp and a time to live, UPDATE of counters, batches of them
//   - cells: the later timestamp wins, of two with the same a deletion, else the larger bytes; an
//     unset value leaves its cell, a null deletes it
//   - consistency, as far as nodes that are down make a request unavailable; of a batch the
//     partitions before the first such one are written
//   - statements have to be prepared on each node, which forgets them when it stops
//   - the system tables that drivers read, and events for clients that register
//   - nodes with other clocks and schemas ([Cluster.SetClock], [Cluster.Disagree])
//   - TLS and a password, if the options say so, but no rights
//   - SSTables streamed in through a storage port ([Options.Storage]), row by row or as entire
//     SSTables: all of a session or nothing, and only partitions of that node, as in Cassandra 4.0
//     and 4.1; [Cluster.Streams] has what each replica got
//   - gossip about the ring: system_views.gossip_info, and a shadow round on the storage port
//   - materialized views, as far as SSTables have rows of them that have ended
//   - SSTables streamed out as files of rows: of columns whose values are one cell each; each
//     node sends what it is a replica of
//
// Not simulated:
//
//   - a read by CQL sees every row that was ever written, whatever replicas hold, and no replica
//     lags behind a write by CQL; nothing expires
//   - DELETE, row and range deletions, lightweight transactions, LIMIT, ORDER BY, named values,
//     user types, tuples bound by their elements, rights and compression but LZ4 are unknown
//   - a collection is one cell
//
// A statement that is not understood gets an error.
//
// All methods are safe for concurrent use. The caller owns what they return, except the bytes of
// values, which must not be changed. Only tests import this.
//
// Sources: native protocol specification, version 4; ScyllaDB's docs/dev/protocol-extensions.md and
// docs/dev/system_keyspace.md. The columns of the system tables are those of Cassandra 5.0 and
// ScyllaDB that drivers ask for. The rules of cells are those of Cassandra's
// org.apache.cassandra.db.rows.Cells.
package simcluster
