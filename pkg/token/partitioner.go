package token

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnsupported is wrapped by the errors of [ByClass] and [ParseStrategy] for
// classes this package does not know. The ring of such a cluster or keyspace
// cannot be cut here; reading it as one range is up to the caller.
var ErrUnsupported = errors.New("not supported")

// MaxKeyLen is the most bytes that a serialized partition key, and so any
// component of one, may have: the server refuses longer ones.
const MaxKeyLen = 65535

// Partitioner maps partition keys to tokens, and tokens to the forms in which
// the server shows and takes them. Its methods are safe for concurrent use.
//
// The methods that take a Token expect one of their own, between Min and Max;
// what they give for others is unspecified.
type Partitioner interface {
	// Name is the simple class name, such as "Murmur3Partitioner".
	Name() string
	// Parse reads a decimal token, as it stands in system.local.tokens. The
	// error names the text and says whether it is no number or out of bounds.
	Parse(s string) (Token, error)
	// Append appends the token in decimal, the form Parse reads.
	Append(dst []byte, t Token) []byte
	// AppendWire appends the CQL value to bind against token(pk), without a
	// length: a bigint for Murmur3, a varint for Random.
	AppendWire(dst []byte, t Token) []byte
	// ReadWire reads the CQL value that SELECT token(pk) gives. A null and a
	// value of the wrong length or out of bounds are errors.
	ReadWire(b []byte) (Token, error)
	// Hash returns the token of a serialized partition key; see [AppendKey].
	// The empty key, which no row can have, is at Min, as in Cassandra.
	Hash(partitionKey []byte) Token
	// Min is the open lower bound of the whole ring: no row has this token.
	Min() Token
	// Max is the closed upper bound of the whole ring.
	Max() Token
}

// The partitioners whose rings can be cut.
var (
	// Murmur3 is Murmur3Partitioner, the default since Cassandra 1.2 and the
	// only one of ScyllaDB's ordinary tables.
	Murmur3 Partitioner = murmur3{}
	// Random is RandomPartitioner, the MD5 one of the clusters before that.
	Random Partitioner = random{}
)

const partitionerPackage = "org.apache.cassandra.dht."

// ByClass returns the partitioner of that Java class, named in full as in
// system.local.partitioner or by its simple name. The error for any other class
// wraps [ErrUnsupported].
func ByClass(class string) (Partitioner, error) {
	name := strings.TrimPrefix(class, partitionerPackage)
	for _, p := range []Partitioner{Murmur3, Random} {
		if p.Name() == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("partitioner %q: %w", class, ErrUnsupported)
}

// AppendKey appends the serialized partition key of these components, each the
// bytes of one column's CQL value, in the order of the PRIMARY KEY. One component
// stands as it is; several stand each as a 16-bit big-endian length, the bytes
// and a zero byte.
//
// A component longer than [MaxKeyLen] has no serialized form. Its length is cut
// to 16 bits, so the token of the result means nothing; the server would refuse
// the row, and a caller who wants to say so first compares the lengths.
func AppendKey(dst []byte, components ...[]byte) []byte {
	if len(components) == 1 {
		return append(dst, components[0]...)
	}
	for _, c := range components {
		dst = append(dst, byte(len(c)>>8), byte(len(c)))
		dst = append(dst, c...)
		dst = append(dst, 0)
	}
	return dst
}

// SplitKey takes apart what AppendKey made of several components. They are parts of key.
func SplitKey(key []byte) (parts [][]byte, err error) {
	for len(key) > 0 {
		if len(key) < 2 {
			return nil, errors.New("a partition key that is cut off")
		}
		n := int(key[0])<<8 | int(key[1])
		if len(key) < 2+n+1 {
			return nil, errors.New("a partition key that is cut off")
		}
		parts, key = append(parts, key[2:2+n]), key[2+n+1:]
	}
	return parts, nil
}
