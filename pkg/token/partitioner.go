package token

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnsupported is wrapped by the errors of [ByClass] and [ParseStrategy] for unknown classes.
// This package cannot cut the ring of such a cluster or keyspace; the caller may read it as one
// range.
var ErrUnsupported = errors.New("not supported")

// MaxKeyLen is the largest number of bytes in a serialized partition key, and so in each of its
// components. The server refuses longer keys.
const MaxKeyLen = 65535

// Partitioner maps partition keys to tokens, and tokens to and from their text and CQL values. Its
// methods are safe for concurrent use.
//
// A Token argument must be a token of this partitioner, between Min and Max; for any other token
// the result is unspecified.
type Partitioner interface {
	// Name returns the simple class name, such as "Murmur3Partitioner".
	Name() string
	// Parse reads a decimal token, the form in system.local.tokens. The error quotes the text and
	// reports whether it is not a number or out of bounds.
	Parse(s string) (Token, error)
	// Append appends the token in decimal, the form that Parse reads.
	Append(dst []byte, t Token) []byte
	// AppendWire appends the CQL value to bind in a comparison with token(pk), without a length
	// prefix: a bigint for Murmur3, a varint for Random.
	AppendWire(dst []byte, t Token) []byte
	// ReadWire reads the CQL value that SELECT token(pk) returns. It returns an error for a null, a
	// wrong length or a value out of bounds.
	ReadWire(b []byte) (Token, error)
	// Hash returns the token of a serialized partition key; see [AppendKey]. No row has an empty
	// key; its token is Min, as in Cassandra.
	Hash(partitionKey []byte) Token
	// Min returns the excluded lower bound of the ring. No row has this token.
	Min() Token
	// Max returns the included upper bound of the ring.
	Max() Token
}

// The supported partitioners.
var (
	// Murmur3 is Murmur3Partitioner, the default since Cassandra 1.2. ScyllaDB uses it for all
	// ordinary tables.
	Murmur3 Partitioner = murmur3{}
	// Random is RandomPartitioner, the MD5 partitioner of older clusters.
	Random Partitioner = random{}
)

const partitionerPackage = "org.apache.cassandra.dht."

// ByClass returns the partitioner for a Java class. The name may be simple or qualified, as in
// system.local.partitioner. For any other class the error wraps [ErrUnsupported].
func ByClass(class string) (Partitioner, error) {
	name := strings.TrimPrefix(class, partitionerPackage)
	for _, p := range []Partitioner{Murmur3, Random} {
		if p.Name() == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("partitioner %q: %w", class, ErrUnsupported)
}

// AppendKey appends the serialized partition key of the components. Each component holds the bytes
// of one column's CQL value, in the order of the PRIMARY KEY. A single component is appended
// unchanged. Of several, each is written as a 16-bit big-endian length, the bytes and a zero byte.
//
// A component longer than [MaxKeyLen] has no serialized form. AppendKey truncates its length to 16
// bits, so the token of the result is meaningless. The server would refuse the row; the caller
// should check the lengths first.
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

// SplitKey returns the components of a key that AppendKey wrote from several. The parts are slices
// of key.
func SplitKey(key []byte) (parts [][]byte, err error) {
	for len(key) > 0 {
		if len(key) < 2 {
			return nil, errors.New("partition key is cut off")
		}
		n := int(key[0])<<8 | int(key[1])
		if len(key) < 2+n+1 {
			return nil, errors.New("partition key is cut off")
		}
		parts, key = append(parts, key[2:2+n]), key[2+n+1:]
	}
	return parts, nil
}
