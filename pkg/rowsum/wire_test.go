package rowsum

import (
	"math/rand/v2"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// The functions here return values in the native protocol, for the tests.

func i4(n int) []byte { return order.AppendUint32(nil, uint32(n)) }

// tuple returns a tuple or a user-defined type.
func tuple(elems ...[]byte) []byte {
	v := []byte{}
	for _, e := range elems {
		v = cqlwire.AppendElem(v, e)
	}
	return v
}

// coll returns a list or a set.
func coll(elems ...[]byte) []byte { return append(i4(len(elems)), tuple(elems...)...) }

// mapping returns a map of keys and values in turn.
func mapping(kvs ...[]byte) []byte { return append(i4(len(kvs)/2), tuple(kvs...)...) }

// shuffled returns the elements in a random order.
func shuffled[T any](r *rand.Rand, elems []T) []T {
	out := append([]T(nil), elems...)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
