// Package component reads and writes the single files of an SSTable, its components, but for the
// partitions in Data.db: those are package sstable's.
//
// Start with ParseName, which parses the name of a file. It returns a Descriptor and the Kind of
// the file. The Descriptor has the Version and the ID, which all files of one SSTable share.
// Descriptor.Name returns the name of another component of the same SSTable.
//
// Each component has a type. A Parse function reads it from the bytes of a file, and an Append
// method or function appends its bytes:
//
//	Statistics.db       Statistics, with Stats, Histogram, TombstoneHistogram and Cardinality
//	Filter.db           Filter
//	Index.db            IndexReader and IndexEntry
//	Summary.db          Summary
//	CompressionInfo.db  CompressionInfo; NewCompressor and NewDecompressor are for its chunks
//	CRC.db              BlockSums
//	Digest.crc32        ParseDigest and AppendDigest
//	TOC.txt             ParseTOC and AppendTOC
//
// # The files
//
// Numbers are big-endian; uv is an unsigned vint.
//
//	Index.db            for each partition: u16 length, key | uv position in Data.db | uv size
//	                    | promoted index
//	Summary.db          i32 interval, entries | i64 size | i32 sampling level, full size
//	                    | offsets, entries: little-endian
//	                    | first and last key, each after its i32 length
//	Filter.db           i32 functions, words | words of 8 bytes; before na the bytes of each
//	                    word are reversed
//	Statistics.db       i32 number of parts | their i32 numbers and offsets
//	                    | parts; from na on each with a CRC-32
//	CompressionInfo.db  compressor and its options
//	                    | i32 chunk length, from na on largest compressed length
//	                    | i64 length of the data | i32 number of chunks | i64 offset of each
//	chunk in Data.db    compressed bytes | u32 CRC-32 of them
//	CRC.db              i32 length of a block
//	                    | u32 CRC-32 of each block of a Data.db that is not compressed
//	Digest.crc32        the CRC-32 of Data.db, in decimal
//	TOC.txt             the names of the components, one a line
//
// difference.go has what versions differ in. The promoted index of a large partition is
// sstable.PromotedIndex: it has clusterings and deletions in it.
//
// Sources: of Apache Cassandra 3.11 to 5.0 the packages io.sstable.format.big,
// io.sstable.metadata, io.sstable.indexsummary, io.compress and utils; of ScyllaDB sstables. Each
// type names its classes.
//
// # Bytes and concurrency
//
// An Append function or method appends to the slice that it is given and keeps nothing of it. What
// a Parse function returns may be parts of the bytes that it was given; its comment says which. No
// length in a file is trusted: no more memory is allocated than bytes were read. A value belongs to
// one goroutine, unless its comment says more.
package component
