// Package tablefile reads, writes and verifies the SSTables of Apache Cassandra and ScyllaDB. An
// SSTable is a set of files in a folder.
//
// Create returns a Writer. It writes the partitions that it is given, and all other components from
// them. Open returns a Reader, which reads all partitions or those within ranges of tokens. Verify
// proves that an SSTable is complete and correct, before a server gets it. OpenSections returns a
// Reader of the parts of a Data.db that a node streams.
//
// SSTables of the "big" format are written and read. Those with tries as indexes are only read:
// "bti", and some versions of ScyllaDB.
//
// # The promoted index
//
// An entry of Index.db has a promoted index if its partition has two blocks or more. In the
// notation of package sstable:
//
//	promoted index  uv length of the partition's header | deletion
//	                | uv number of blocks | blocks | i32 offset of each
//	block           first and last clustering | uv offset | vint width - 65536
//	                | bool | [deletion that is open at its end]
//
// # Bytes and concurrency
//
// A Writer copies the bytes that it is given. What a Decoder returns may be read until its next
// call. A Reader may be used by any number of goroutines, a Writer and a Decoder by one.
package tablefile
