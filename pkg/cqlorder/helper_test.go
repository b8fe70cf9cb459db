package cqlorder

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// testUDT returns the only user type of the tests, two.
func testUDT(name string) (*cqltype.Type, error) {
	if name != "two" {
		return nil, errors.New("unknown")
	}
	return &cqltype.Type{
		Kind: cqltype.UDT, Name: name, FieldNames: []string{"a", "b"},
		Elems: []*cqltype.Type{
			{Kind: cqltype.Int},
			{Kind: cqltype.Set, Elems: []*cqltype.Type{{Kind: cqltype.Text}}},
		},
	}, nil
}

func mustPlan(t testing.TB, typ string) *Order {
	t.Helper()
	parsed, err := cqltype.Parse(typ, testUDT)
	require.NoError(t, err)
	o, err := Plan(parsed)
	require.NoError(t, err)
	return o
}

// unhex reads hex that may contain blanks.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
}

// elems returns a list or set of elements, all in hex.
func elems(list ...string) string {
	b := []byte{0, 0, 0, byte(len(list))}
	for _, e := range list {
		wire, err := hex.DecodeString(strings.ReplaceAll(e, " ", ""))
		if err != nil {
			panic(err)
		}
		b = append(append(b, 0, 0, 0, byte(len(wire))), wire...)
	}
	return hex.EncodeToString(b)
}

// pairs returns a map of keys and values in turn, all in hex.
func pairs(list ...string) string {
	s := elems(list...)
	return hex.EncodeToString([]byte{0, 0, 0, byte(len(list) / 2)}) + s[8:]
}
