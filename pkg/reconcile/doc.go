// Package reconcile merges several SSTables of a table into one, as the servers do when they read
// or compact. It returns the rows that a SELECT would return at a moment.
//
// A Merger takes the partitions of any number of sources, each in the order of (token, key,
// clustering), and is itself such a source. It returns every partition, row, cell and deletion
// once: the one that wins, and nothing that another one deletes. It keeps tombstones and what has
// expired, so that its output can be written as one SSTable. A single source goes through it too,
// because deletions of a partition and of ranges of rows stand beside what they delete, within one
// file. Rows leaves out what is deleted or has expired at a moment. It returns the values of the
// remaining rows, as a SELECT would.
//
// # Rules
//
// Of two deletions the later one wins. What has the timestamp of a deletion, or an earlier one, is
// deleted. A row is deleted by the strongest of three deletions: of its partition, of a range
// around it, and its own. The elements of a column that is not frozen are deleted by that of the
// column too. Of two cells of one column and path, or two livenesses, that with the later timestamp
// wins. The rules for ties are those of sstable.Merger. Each source has at most one range of
// deleted rows open at a time, and the strongest of all that are open applies.
//
// A row exists if its liveness is live or one of its cells is, whether or not the column is
// selected. A partition with live static columns and no row that exists has one row, with nothing
// but its key and its static columns.
//
// Sources: of Apache Cassandra 4.0 to 5.0 the classes db.rows.UnfilteredRowIterators,
// db.rows.Row.Merger, db.rows.RangeTombstoneMarker.Merger, db.rows.Cells,
// db.context.CounterContext, db.rows.DeserializationHelper and
// cql3.statements.SelectStatement.processPartition.
//
// # Bytes and concurrency
//
// Results are the sources' own bytes where possible, and valid until the next call of Next. Memory
// is one row of each source and its merged form, never a partition. A row causes an allocation only
// if a buffer grows. Nothing here is safe for concurrent use.
package reconcile
