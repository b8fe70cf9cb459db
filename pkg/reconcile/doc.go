// Package reconcile makes one of several SSTables of a table, as the servers do when they read or
// compact, and gives the rows that a SELECT would at a moment.
//
// A Merger takes the partitions of any number of sources, each in the order of (token, key,
// clustering), and gives them again as one source: every partition, row, cell and deletion once,
// the one that stays of several, and nothing that another one deletes. Tombstones and what has
// expired are kept, so that what it gives can be written as one SSTable. A source alone goes
// through it too: deletions of a partition and of ranges of rows stand beside what they delete,
// within one file. Rows leaves out what is deleted or has expired at a moment, and gives the values
// of the rows that are left, as a SELECT would have them.
//
// # Rules
//
// Of two deletions the later one stays. What has the timestamp of a deletion, or an earlier one, is
// deleted. A row is deleted by the strongest deletion of its partition, of a range around it and of
// itself; the elements of a column that is not frozen by that of the column too. Of two cells of
// one column and path, or two livenesses, that with the later timestamp stays; how ties end is told
// at sstable.Merger. Of ranges of deleted rows each source has at most one open at a time, and the
// strongest of all that are open applies.
//
// A row exists when its liveness is live or one of its cells is, be it of a column that is selected
// or not. A partition with live static columns and no row that exists has one row, with nothing but
// its key and its static columns.
//
// Sources: of Apache Cassandra 4.0 to 5.0 the classes db.rows.UnfilteredRowIterators,
// db.rows.Row.Merger, db.rows.RangeTombstoneMarker.Merger, db.rows.Cells,
// db.context.CounterContext, db.rows.DeserializationHelper and
// cql3.statements.SelectStatement.processPartition.
//
// # Bytes and concurrency
//
// What is given are the sources' own bytes where it can be, until the next call of Next. Memory is
// one row of each source and what is made of them, never a partition. Nothing is allocated for a
// row but where a buffer grows. Nothing here is safe for concurrent use.
package reconcile
