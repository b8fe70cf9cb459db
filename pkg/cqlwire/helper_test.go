package cqlwire

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
		Elems: []*cqltype.Type{{Kind: cqltype.Int}, {Kind: cqltype.Text}},
	}, nil
}

func mustPlan(t testing.TB, typ string) *Layout {
	t.Helper()
	parsed, err := cqltype.Parse(typ, testUDT)
	require.NoError(t, err)
	l, err := Plan(parsed)
	require.NoError(t, err)
	require.Equal(t, typ, l.String())
	return l
}

// unhex reads hex that may contain blanks.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
}
