// Package cqlwire walks, checks and writes the bytes of CQL values: what a cell of the native protocol holds after its
// length, which is also what Cassandra keeps in its SSTables, but for collections that are not frozen.
//
// Start with Plan, which gives the Layout of a type; plan once per column. Layout.Walk goes through the elements of a
// value made of others, Layout.CheckAs says whether a server takes a value, Layout.Open and Layout.Close write an
// element. The other functions are the pieces: counts, lengths, vints, integers of any length, decimals and durations.
//
// # Formats
//
// Everything is big-endian. [int] is 4 bytes, two's complement.
//
//	list, set     [int] number of elements, then each after its [int] length; a negative number stands for none
//	map           [int] number of entries, then each key and each value after its [int] length
//	tuple, UDT    each element after its [int] length, negative for null; the last ones may be missing
//	vector        as many elements as the dimension says: side by side where all values of the element type
//	              have one length by FixedLen, else each after its length, an [unsigned vint]
//	varint        two's complement of any length
//	decimal       [int] scale, then the unscaled number like a varint
//	duration      three [vint]s: months, days, nanoseconds
//	date          4 bytes unsigned, days, with 1970-01-01 at DateEpoch
//	others        see Layout.CheckAs
//
// An [unsigned vint] has as many bytes after the first as that one has leading ones; the bits after the zero that
// follows them, and the bytes after it, are the number. A [vint] is zig-zag coded first: 0, -1, 1, -2 become 0, 1, 2, 3.
// Cassandra writes vints in as few bytes as hold them, and here longer ones are not read.
//
// Sources: the specification of the native protocol, version 5, section 3 (vints), 6 (types) and 7 (UDTs), where
// version 4 says the same of what it has; of Apache Cassandra 5.0 the packages org.apache.cassandra.serializers,
// db.marshal (VectorType, TupleType, AbstractType.valueLengthIfFixed) and utils.vint.VIntCoding. ScyllaDB takes the
// same, and a value of no bytes for every type of fixed size; some of these Cassandra, and so CheckAs, refuses.
//
// # Bytes and concurrency
//
// Elements are parts of the value that was given, with no room after them; nothing is copied or kept. No length is
// believed: whatever the bytes, nothing outside of them is read, and nothing is allocated but errors, what a buffer
// needs to grow, and what math/big needs. A Layout is only read, by any number of goroutines; a Walk belongs to one.
package cqlwire
