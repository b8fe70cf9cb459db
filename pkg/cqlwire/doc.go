// Package cqlwire reads, checks and writes the bytes of CQL values: the content of a cell in the
// native protocol, after its length. Cassandra stores the same bytes in SSTables, except for
// collections that are not frozen.
//
// # Where to start
//
//   - [Plan] returns the [Layout] of a type. Plan once for each column.
//   - [Layout.Walk] iterates over the elements of a value.
//   - [Layout.CheckAs] checks whether a server accepts a value.
//   - [Layout.Open] and [Layout.Close] write an element.
//
// The other functions read and write the parts of values: counts, lengths, vints, integers of any
// length, decimals and durations.
//
// # Formats
//
// All numbers are big-endian. [int] is 4 bytes, two's complement.
//
//	list, set     [int] number of elements, then each element after its [int] length;
//	              a negative number means 0
//	map           [int] number of entries, then each key and each value after its
//	              [int] length
//	tuple, UDT    each element after its [int] length, negative for null;
//	              elements may be missing at the end
//	vector        as many elements as its dimension, without lengths if the element
//	              type has a fixed length (FixedLen), otherwise each after its length,
//	              an [unsigned vint]
//	varint        two's complement of any length
//	decimal       [int] scale, then the unscaled number as a varint
//	duration      three [vint]s: months, days, nanoseconds
//	date          4 bytes unsigned, days, 1970-01-01 is DateEpoch
//	others        see Layout.CheckAs
//
// The number of leading ones in the first byte of an [unsigned vint] is the number of bytes that
// follow. The bits after the next zero, and the following bytes, are the number. A [vint] is
// zig-zag coded first: 0, -1, 1, -2 become 0, 1, 2, 3. Cassandra writes vints in the fewest bytes,
// and this package does not read longer ones.
//
// # Bytes and concurrency
//
// Elements are slices of the given value, with no spare capacity. The package copies and retains no
// bytes. It does not trust lengths: it never reads outside the value. It allocates only errors,
// growing buffers and what math/big needs. A Layout is immutable and safe for concurrent use. A
// Walk belongs to one goroutine.
//
// # Sources
//
// The specification of the native protocol, version 5: sections 3 (vints), 6 (types) and 7 (UDTs).
// Version 4 agrees with it as far as it goes. Of Apache Cassandra 5.0, the packages
// org.apache.cassandra.serializers, db.marshal (VectorType, TupleType,
// AbstractType.valueLengthIfFixed) and utils.vint.VIntCoding.
//
// ScyllaDB accepts the same values, and a value of no bytes for every type of fixed size. Cassandra
// refuses some of the latter, and so does CheckAs.
package cqlwire
