// Package cqlorder has the order in which Cassandra keeps the values of a type, and the form in which it keeps sets and
// maps: what decides where a row stands in its partition, an element in a set and an entry in a map.
//
// Start with Plan, which gives the Order of a type; plan once per column. Order.Compare compares two values,
// Order.AppendCanonical writes a value as the server stores it. Values are the bytes that the native protocol has for
// them, as in pkg/cqlwire.
//
// # The order
//
//	ascii, blob, date, duration, inet, text, time   unsigned bytes; so is a type by the name of a class
//	bigint, counter, int, smallint, timestamp,
//	tinyint, varint, decimal                        the number: 1.0 and 1.00 are equal
//	double, float                                   the number, -0.0 before 0.0, NaN last and equal to any other NaN
//	boolean                                         false, then true, which is any byte but 0
//	timeuuid                                        the time, then the low 8 bytes, each of them signed
//	uuid                                            the version; then the time of version 1, else the high 8 bytes;
//	                                                then the low 8 bytes
//	tuple, UDT                                      field by field, null first; what is missing at the end is null
//	list, set                                       element by element, then the shorter one first
//	map                                             the same, keys and values in turn
//	vector                                          element by element
//
// A value of no bytes is before all others. A column in descending order has the operands of Compare the other way
// round, so that such a value is last.
//
// # The canonical form
//
// A client may send the elements of a set and the entries of a map in any order and more than once. Before it stores
// them, Cassandra sorts them by their order and keeps one of those that are equal: the first, and for a map, the first
// key with the last value. Inside of a collection it does so too, but there elements that are equal and not the same,
// as 1.0 and 1.00, all stay. There an inet that is an IPv4 address written as one of IPv6 becomes the former.
//
// In a list that is a column of its own, null may stand (CASSANDRA-6839); there an element of no bytes becomes null, but
// for text, blob, tuples and UDTs. In a UDT that is a column of its own, each null gets the length -1.
//
// A tuple, UDT or vector it keeps else as the client sent it, with all that is inside, a vector only where it is not
// part of a collection. It also keeps what a client sends for a clustering column in descending order, whatever the type: such
// a value has no canonical form. (That holds for bound values; of a literal each set and map is sorted.)
//
// The bytes of other elements stay as they are, though the server writes some in another way: true as 02, a number with
// needless leading bytes.
// No value that was once in a collection of a Cassandra has such bytes.
//
// Sources, of Apache Cassandra 5.0: in org.apache.cassandra.db.marshal the method compareCustom of each type, TupleType,
// CollectionType.compareListOrSet, MapType.compareMaps, VectorType, AbstractType.compareComposed; cql3.Sets.Value,
// cql3.Maps.Value and cql3.Lists.Value (fromSerialized), serializers.SetSerializer and MapSerializer (serializeValues).
//
// # Bytes and concurrency
//
// An Order is only read, by any number of goroutines. Values are neither changed nor kept. Whatever the bytes, nothing
// outside of them is read, and Compare orders them: malformed ones come after the well-formed ones that begin alike.
// Neither function allocates for a value, but what dst needs to grow. The room for sorting is taken from a pool and
// given back: 16 bytes for an element, and for each level of sets and maps no more than the value itself. What was needed
// for a large value is not kept. Compare allocates, out of a pool too, only for two decimals that differ by less than one
// in ten thousand, at different scales, of which one has more than 19 digits.
package cqlorder
