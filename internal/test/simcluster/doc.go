// Package simcluster is a simulated cluster for tests: each node is a real TCP
// server that speaks CQL native protocol version 4 on an address of its own, with
// vnodes, racks and data centers, and tables whose rows are made from a seed.
// Nodes can be like Cassandra's or like ScyllaDB's: with shards, a shard-aware
// port, and tablets.
//
// Start with [Start]. [Options.Tables] says what tables there are; without it there
// is one, k bigint PRIMARY KEY and v text. A cluster writes down each statement that
// comes in, with the node and the shard that it came to ([Cluster.Requests]), and
// each row that is written ([Cluster.Applied]); [Cluster.Records] is what a table
// holds. Who ought to have been asked is for the test to compare with
// [Cluster.Replicas].
//
// Things go wrong in three ways. [Cluster.Inject] takes a [Rule]: which requests it
// is for, and the [Fault] that meets them. [Cluster.Disturb] takes [Faults]: rates,
// and a seed that together with the number of a request decides what happens to it.
// And a test can act itself: [Cluster.Stop] and [Cluster.Restart] a node, [Cluster.Join],
// [Cluster.Move], [Cluster.Drop], [Cluster.Slow]. [Cluster.Calm] ends the first two.
//
// The ring changes at once, with [Cluster.Join], [Cluster.Leave] and [Cluster.Move], or as a real
// one does, with [Cluster.BeginJoin], [Cluster.BeginLeave], [Cluster.BeginMove],
// [Cluster.BeginReplace], [Cluster.BeginRemove] and [Cluster.BeginAlter]: see [Change]. With
// [Options.Replicated] each node holds rows of its own ([Cluster.Held]).
//
// What is simulated:
//   - SELECT of columns, count(*), writetime, ttl and token, by token range and by
//     conditions on columns, by partition with GROUP BY; pages, whose states hold
//     the place of the last row, so that any node takes them at any time;
//   - INSERT with a timestamp and a time to live, UPDATE of counters, batches of
//     them; cells of the later timestamp win, of two with the same a deletion, else
//     the larger bytes; an unset value leaves its cell, a null deletes it;
//   - consistency as far as nodes that are down make a request unavailable, of a batch
//     with the partitions written that come before the first such one;
//   - statements have to be prepared on each node, which forgets them when it stops;
//   - the system tables that drivers read, and events for who registers; nodes whose clocks and
//     schemas are others' ([Cluster.SetClock], [Cluster.Disagree]);
//   - TLS and a password, where the options say so, but no rights;
//   - SSTables streamed in through a storage port ([Options.Storage]), row by row or whole, all of a
//     session or nothing, and of partitions of that node alone, as Cassandra 4.0 and 4.1 have it;
//     [Cluster.Streams] tells which replicas got what;
//   - gossip, as far as it is about the ring: system_views.gossip_info, and a shadow round on the
//     storage port;
//   - materialized views, as far as SSTables have rows of them that have ended;
//   - SSTables streamed out through it, as files of rows: of columns whose values are one cell each, and each
//     node what it is a replica of.
//
// What is not: a read by CQL sees every row that was ever written, whatever replicas hold, and no
// replica lags behind a write by CQL; nothing expires; DELETE, row and
// range deletions, lightweight transactions, LIMIT, ORDER BY, named values, user
// types, tuples bound by their elements, rights and compression but LZ4 are
// unknown; a collection is one cell. What is not understood is answered with an error.
//
// All methods are safe for concurrent use. What they return is the caller's, except
// the bytes of values, which must not be changed. Only tests import this.
//
// Sources: native protocol specification, version 4; ScyllaDB's
// docs/dev/protocol-extensions.md and docs/dev/system_keyspace.md; the columns of
// the system tables are those of Cassandra 5.0 and ScyllaDB that drivers ask for;
// the rules of cells are those of Cassandra's org.apache.cassandra.db.rows.Cells.
package simcluster
