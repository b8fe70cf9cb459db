package cqlwire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// userTypes are the user types of the tests.
var userTypes = testkit.UserTypes{
	"two": {{Name: "a", Type: "int"}, {Name: "b", Type: "text"}},
}

func mustPlan(t testing.TB, typ string) *Layout {
	t.Helper()
	parsed, err := cqltype.Parse(typ, userTypes.Find)
	require.NoError(t, err)
	l, err := Plan(parsed)
	require.NoError(t, err)
	require.Equal(t, typ, l.String())
	return l
}
