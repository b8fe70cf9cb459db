package rowsum

import (
	"math/rand/v2"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// The native protocol's bytes of a few types, for the tests.

func i4(n int) []byte { return order.AppendUint32(nil, uint32(n)) }

// tuple is a tuple or a user-defined type.
func tuple(elems ...[]byte) []byte {
	v := []byte{}
	for _, e := range elems {
		v = cqlwire.AppendElem(v, e)
	}
	return v
}

// coll is a list or a set.
func coll(elems ...[]byte) []byte { return append(i4(len(elems)), tuple(elems...)...) }

// mapping is a map of keys and values in turn.
func mapping(kvs ...[]byte) []byte { return append(i4(len(kvs)/2), tuple(kvs...)...) }

// shuffled returns the elements in another order.
func shuffled[T any](r *rand.Rand, elems []T) []T {
	out := append([]T(nil), elems...)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
