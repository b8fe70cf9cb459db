// Package rowsum computes a checksum of a table that does not depend on the order
// of its rows, so that a scan, a load and two clusters can be compared without
// sorting. Rows are hashed one by one, in any order and by any number of
// goroutines, and the hashes are added up.
//
// Where to start: [New] plans the columns once, [Hasher.Row] hashes one row,
// [Sum.Add] adds two sums, [Sum.String] and [Parse] write and read one.
//
// # The definition, cqlbulk-rowsum-1
//
// H(x) is the 128-bit XXH3 hash of the bytes x with seed 0 and the default secret,
// taken as a number below 2^128 whose upper half is the high 64 bits of the hash
// (the canonical form of XXH128, big-endian). Sums are modulo 2^128. All integers
// below are big-endian.
//
// The checksum of a table is the sum of H(row) over its rows; that of no rows is 0.
// The bytes of a row are those of its columns, one after the other, in an order
// that is agreed on outside of this definition; cqlbulk takes the order of the
// table's schema. The bytes of a column, or of any value of type T inside of one,
// are
//
//	field(T, null) = ff ff ff ff
//	field(T, v)    = the length of form(T, v), 4 bytes; then form(T, v)
//
// where v is the value as the native protocol carries it, version 3 or later. A
// column that was never set is null. The form of a value is v itself, except where
// T is a set or a map, or contains one at any depth; frozen or not makes no
// difference. It is
//
//   - of a set<E>: the number of elements, 4 bytes, then the sum of
//     H(field(E, e)) over its elements, 16 bytes;
//   - of a map<K, V>: the number of entries, 4 bytes, then the sum of
//     H(field(K, k) field(V, v)) over its entries, 16 bytes;
//   - of a list<E>: the number of elements, 4 bytes, then field(E, e) for each, in
//     their order;
//   - of a tuple or a user-defined type: field(T, e) for each element that is there,
//     in their order. Elements missing at the end of v, as after ALTER TYPE ... ADD,
//     stay missing. Of a negative length, which stands for null, the 4 bytes are
//     taken as they are;
//   - of a vector<E, n>: field(E, e) for each element, in their order.
//
// A list, a tuple, a user-defined type or a vector without a set or a map inside is
// its own form, like any scalar. A type that is known only by the name of its
// server-side class is a scalar.
//
// A value that is malformed is its own form, whatever stands around it or inside
// it. Malformed is: a set, map or list that has fewer than 4 bytes, a negative
// number of elements, or an element with a negative length; a vector in which the
// length of an element, an unsigned vint, has more bytes than it needs; and any of
// these, or a tuple or user-defined type, whose bytes end within an element or go on
// after the last one. The elements' own bytes do not matter: an element that is
// malformed in itself is its own form, and the value around it is not malformed for
// that.
//
// Equal tables have equal sums. Different tables have different sums but for a
// chance of about 2^-128 when nobody chose the data to that end: adding up hashes is
// no protection against an adversary.
//
// # Bytes and concurrency
//
// Row keeps nothing of the cells that it is given. A Hasher has scratch memory and
// belongs to one goroutine at a time; it allocates nothing once that has grown to
// what the rows need, which for ordinary columns is bounded and for a column of
// nested collections is the longest value. Sums are plain values.
//
// How the values of each type stand in bytes, package cqlwire says with its sources.
// Source of the hash: the XXH3 specification in the documents of xxHash 0.8.
package rowsum
