//go:build integration

package integration

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// differValue makes a value that a server takes: sets and maps in any order, some elements of sets
// more than once, tuples and user types with nulls or fewer fields than they have. No map has a key
// twice: JSON has no such maps (package cqljson).
func differValue(t *testing.T, r *rand.Rand, typ *cqltype.Type) []byte {
	t.Helper()
	var out []byte
	some := r.IntN(4)
	switch typ.Kind {
	case cqltype.List, cqltype.Set:
		out = cqlwire.AppendCount(nil, some)
		for range some {
			out = cqlwire.AppendElem(out, differValue(t, r, typ.Elems[0]))
		}
	case cqltype.Map:
		out = cqlwire.AppendCount(nil, 0)
		seen := map[string]bool{}
		for range some {
			key := differValue(t, r, typ.Elems[0])
			if !seen[string(key)] {
				seen[string(key)] = true
				out = cqlwire.AppendElem(cqlwire.AppendElem(out, key), differValue(t, r, typ.Elems[1]))
			}
		}
		cqlwire.PutCount(out, 0, len(seen))
	case cqltype.Tuple, cqltype.UDT:
		for i, e := range typ.Elems {
			switch n := r.IntN(8); {
			case i > 0 && n == 0:
				return out
			case n < 2:
				out = cqlwire.AppendNull(out)
			default:
				out = cqlwire.AppendElem(out, differValue(t, r, e))
			}
		}
	case cqltype.Vector:
		l, err := cqlwire.Plan(typ)
		require.NoError(t, err)
		for range typ.Dimension {
			mark := len(out)
			out, err = l.Close(append(l.Open(out), differValue(t, r, typ.Elems[0])...), mark)
			require.NoError(t, err)
		}
	default:
		return randomValue(t, r, typ)
	}
	return out
}
