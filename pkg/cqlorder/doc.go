// Package cqlorder implements the order in which Cassandra stores the values of a type, and the
// canonical form in which it stores sets and maps. The order decides the place of a row in its
// partition, of an element in a set and of an entry in a map.
//
// # Where to start
//
//   - [Plan] returns the [Order] of a type. Plan once for each column.
//   - [Order.Compare] compares two values.
//   - [Order.AppendCanonical] writes a value as the server stores it.
//
// Values are the bytes of the native protocol, as in package cqlwire.
//
// # The order
//
//	ascii, blob, date, duration,      unsigned bytes
//	inet, text, time, custom types
//	bigint, counter, int, smallint,   the number: 1.0 and 1.00 are equal
//	timestamp, tinyint, varint,
//	decimal
//	double, float                     the number, -0.0 before 0.0; NaN is last,
//	                                  and all NaN are equal
//	boolean                           false, then true, which is any byte except 0
//	timeuuid                          the time, then the low 8 bytes, each signed
//	uuid                              the version; then the time of version 1,
//	                                  otherwise the high 8 bytes; then the low 8 bytes
//	tuple, UDT                        field by field, null first; fields missing at the
//	                                  end are null
//	list, set                         element by element, then the shorter value first
//	map                               as a list, of keys and values in turn
//	vector                            element by element
//
// A value of no bytes is before all others. For a column in descending order, swap the arguments of
// Compare; a value of no bytes is then last.
//
// # The canonical form
//
// A client may send the elements of a set and the entries of a map in any order, and more than
// once. Before Cassandra stores them, it sorts them and keeps one of equal elements: the first. Of
// equal map keys it keeps the first key with the last value. It does the same inside a collection,
// but there equal elements with different bytes, such as 1.0 and 1.00, all remain. An inet inside a
// collection that is an IPv4 address in IPv6 form becomes an IPv4 address.
//
// A list may contain null if it is a column of its own (CASSANDRA-6839). In such a list an element
// of no bytes becomes null, except for text, blob, tuples and UDTs. In a UDT that is a column of
// its own, each null gets the length -1.
//
// Apart from that, Cassandra stores a tuple or UDT as the client sent it, with everything inside.
// The same holds for a vector that is not inside a collection. It also holds for a value of any
// type in a clustering column in descending order: such a value has no canonical form. All this
// applies to bound values; the sets and maps of a literal are always sorted.
//
// The bytes of other elements are unchanged. The server would rewrite some of them, such as true
// written as 02, or a number with needless leading bytes. No value that was ever in a collection in
// Cassandra has such bytes.
//
// # Bytes and concurrency
//
// An Order is immutable and safe for concurrent use. The package neither modifies nor retains
// values, and never reads outside them. Compare also orders malformed values: they follow the
// well-formed values with the same start.
//
// Apart from growing dst, the functions do not allocate for a value. AppendCanonical sorts in
// pooled memory: 16 bytes for each element and, for each level of sets and maps, at most the size
// of the value. Memory used for a large value is not kept. Compare allocates, also from a pool,
// only for decimals of different scales that differ by less than 0.01%, one with more than 19
// digits.
//
// # Sources
//
// Of Apache Cassandra 5.0, in org.apache.cassandra.db.marshal: the method compareCustom of each
// type, TupleType, CollectionType.compareListOrSet, MapType.compareMaps, VectorType and
// AbstractType.compareComposed. Also cql3.Sets.Value, cql3.Maps.Value and cql3.Lists.Value
// (fromSerialized), serializers.SetSerializer and MapSerializer (serializeValues).
package cqlorder
