package cqlorder

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// userTypes are the user types of the tests.
var userTypes = testkit.UserTypes{
	"two": {{Name: "a", Type: "int"}, {Name: "b", Type: "set<text>"}},
}

func mustPlan(t testing.TB, typ string) *Order {
	t.Helper()
	parsed, err := cqltype.Parse(typ, userTypes.Find)
	require.NoError(t, err)
	o, err := Plan(parsed)
	require.NoError(t, err)
	return o
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
