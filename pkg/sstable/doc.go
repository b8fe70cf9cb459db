// Package sstable is the codec of the SSTables of Apache Cassandra and ScyllaDB. It encodes and
// decodes their partitions and rows, and makes rows of CQL values. It knows no files.
//
// Start with a Table, which has the columns of a file; Plan makes a Schema of it, once. A Codec is
// a Schema with the version of a file and the minima of its times. It writes a Row with AppendRow
// and reads one with DecodeRow. The bytes do not depend on the place of the row in a file, so they
// can be sorted and kept.
//
// A PartitionWriter puts such rows into partitions. A Decoder reads partitions from the bytes of a
// Data.db. AppendHeader and DecodeHeader write and read the HEADER component of Statistics.db,
// which readers of a Data.db require. An Inserter makes a Row of the values of an INSERT. A Merger
// makes one Row of several with equal clusterings; package reconcile makes one table of several.
//
// Package tablefile reads, writes and verifies complete SSTables with this codec. Package component
// has their other files, their names and their versions.
//
// # Data.db
//
// Everything is big-endian; uv is an unsigned vint, vb bytes after their length, which is a uv. All
// times are uv of their distance from the minimum in the header, modulo 2^64.
//
//	partition  u16 length, key | deletion | [static row] | (row or marker)* | 01
//	deletion   i32 seconds, i64 microseconds; 7fffffff 8000000000000000 where there is none
//	           from version oa on: 80 where there is none, else i64 microseconds, u32 seconds
//	row        flags | [more flags] | clustering | uv size | uv size of the item before | body
//	body       [timestamp] [ttl, expiry] [deletion: timestamp, seconds] [which columns] cells
//	           of each column
//	clustering for each 32 columns a uv with two bits a column, empty and null; the values that
//	           are neither
//	column     a cell; where it is not frozen: [deletion] | uv number of cells | cells
//	cell       flags | [timestamp] | [seconds] | [ttl] | [vb path] | [value]
//	marker     02 | kind | u16 n | n values as in a clustering | uv size |
//	           uv size of the item before | one or two deletions
//
// If all values of a type have one length (cqlwire.Layout.FixedLen), a value has no length before
// it. All others have, and so has every cell of a collection or a user type that is not frozen.
//
// Sources: of Apache Cassandra 3.11 to 5.0 the classes db.rows.UnfilteredSerializer,
// db.rows.Cell.Serializer, db.ClusteringPrefix, db.Columns, db.DeletionTime,
// db.SerializationHeader, io.sstable.format.big and utils.vint. Their bytes differ only by Version.
//
// # Bytes and concurrency
//
// Every Append function appends to the slice that it is given and keeps nothing. A Schema and a
// Codec are only read, by any number of goroutines; what has a state belongs to one. Nothing is
// allocated for a row or a value but where a buffer grows. No length that is read is believed:
// whatever the bytes, nothing outside of them is read, and no more is allocated than was read.
package sstable
