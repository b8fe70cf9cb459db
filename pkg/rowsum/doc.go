// Package rowsum computes a checksum of a table that does not depend on the order of its rows. It
// compares a scan, a load or two clusters without sorting. Rows are hashed one by one, in any order
// and by any number of goroutines, and the hashes are added.
//
// # Where to start
//
//   - [New] plans the columns once.
//   - [Hasher.Row] returns the checksum of one row.
//   - [Sum.Add] adds two checksums.
//   - [Sum.String] and [Parse] write and read a checksum.
//
// # The definition, cqlbulk-rowsum-1
//
// H(x) is the 128-bit XXH3 hash of the bytes x with seed 0 and the default secret. H(x) is a number
// below 2^128; its upper half is the high 64 bits of the hash (the canonical form of XXH128,
// big-endian). Sums are modulo 2^128. All integers below are big-endian.
//
// The checksum of a table is the sum of H(row) over its rows; without rows it is 0. The bytes of a
// row are the bytes of its columns, one after another. This definition does not fix the order of
// the columns; cqlbulk uses the order of the table's schema. The bytes of a column, or of any value
// of type T inside one, are
//
//	field(T, null) = ff ff ff ff
//	field(T, v)    = the length of form(T, v), 4 bytes; then form(T, v)
//
// where v is the value in the native protocol, version 3 or later. A column that was never set is
// null.
//
// The form of v is v itself, unless T is a set or map or contains one at any depth, frozen or not.
// In these cases the form is:
//
//   - set<E>: the number of elements, 4 bytes, then the sum of H(field(E, e)) over its elements, 16
//     bytes
//   - map<K, V>: the number of entries, 4 bytes, then the sum of H(field(K, k) field(V, v)) over
//     its entries, 16 bytes
//   - list<E>: the number of elements, 4 bytes, then field(E, e) for each element, in order
//   - tuple or user-defined type: field(T, e) for each element of the value, in order. Elements
//     missing at the end of v, for example after ALTER TYPE ... ADD, stay missing. For a negative
//     length, which means null, the 4 bytes are copied unchanged.
//   - vector<E, n>: field(E, e) for each element, in order
//
// A list, tuple, user-defined type or vector without a set or map inside is its own form, like a
// scalar. A type known only by the name of its Java class is a scalar.
//
// A malformed value is its own form, whatever is around it or inside it. The following values are
// malformed:
//
//   - a set, map or list with fewer than 4 bytes, a negative number of elements, or an element with
//     a negative length
//   - a vector in which the length of an element, an unsigned vint, has more bytes than necessary
//   - any of these, a tuple or a user-defined type whose bytes end inside an element or continue
//     after the last one
//
// The bytes of the elements do not matter: a malformed element is its own form and does not make
// the value around it malformed.
//
// Equal tables have equal sums. The chance that different tables have equal sums is about 2^-128 if
// the data was not chosen for that purpose. A sum of hashes does not protect against an adversary.
//
// # Bytes and concurrency
//
// Row does not retain the cells. A Hasher has scratch memory and belongs to one goroutine at a
// time. It does not allocate after the scratch memory has grown to the size of the rows. For
// ordinary columns the scratch memory is bounded; for a column of nested collections it is the
// longest value. Sums are plain values.
//
// # Sources
//
// Package cqlwire describes the bytes of the values of each type, with its sources. The hash is
// that of the XXH3 specification in the documents of xxHash 0.8.
package rowsum
