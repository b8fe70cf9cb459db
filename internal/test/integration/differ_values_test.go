//go:build integration

package integration

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// differValue returns a value that a server takes: sets and maps in any order, some elements of
// sets more than once, tuples and user types with nulls. No map has a key twice: JSON has no such
// maps (package cqljson). Values of a key, and of an element that is a cell, are exact. Other
// values may have tuples and user types with fewer fields than their type. For the server such a
// value may equal another one with different bytes, and a merge of files may keep either.
func differValue(t *testing.T, r *rand.Rand, typ *cqltype.Type, exact bool) []byte {
	t.Helper()
	var out []byte
	some := r.IntN(4)
	switch typ.Kind {
	case cqltype.List, cqltype.Set:
		out = cqlwire.AppendCount(nil, some)
		for range some {
			out = cqlwire.AppendElem(out, differValue(t, r, typ.Elems[0], exact))
		}
	case cqltype.Map:
		out = cqlwire.AppendCount(nil, 0)
		seen := map[string]bool{}
		for range some {
			key := differValue(t, r, typ.Elems[0], exact)
			if !seen[string(key)] {
				seen[string(key)] = true
				out = cqlwire.AppendElem(
					cqlwire.AppendElem(out, key),
					differValue(t, r, typ.Elems[1], exact),
				)
			}
		}
		cqlwire.PutCount(out, 0, len(seen))
	case cqltype.Tuple, cqltype.UDT:
		for i, e := range typ.Elems {
			switch n := r.IntN(8); {
			case i > 0 && n == 0 && !exact:
				return out
			case n < 2:
				out = cqlwire.AppendNull(out)
			default:
				out = cqlwire.AppendElem(out, differValue(t, r, e, exact))
			}
		}
	case cqltype.Vector:
		l, err := cqlwire.Plan(typ)
		require.NoError(t, err)
		for range typ.Dimension {
			mark := len(out)
			out, err = l.Close(append(l.Open(out), differValue(t, r, typ.Elems[0], exact)...), mark)
			require.NoError(t, err)
		}
	default:
		wires := distinctEdges(t, typ)
		return wires[r.IntN(len(wires))]
	}
	return out
}

// distinctEdges are the values of edgesOf that are not empty, of equal ones the first.
func distinctEdges(t *testing.T, typ *cqltype.Type) (wires [][]byte) {
	t.Helper()
	order, err := cqlorder.Plan(typ)
	require.NoError(t, err)
	for _, wire := range edgesOf(t, typ) {
		if len(wire) > 0 &&
			!slices.ContainsFunc(
				wires,
				func(w []byte) bool { return order.Compare(w, wire) == 0 },
			) {
			wires = append(wires, wire)
		}
	}
	return wires
}
