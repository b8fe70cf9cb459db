package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesThatNoServerAllowsAreRefused(t *testing.T) {
	for _, name := range []string{"flights", "Flights_2", "_", strings.Repeat("a", 192)} {
		require.NoError(t, CheckKeyspaceName(name))
		require.NoError(t, CheckTableName(name))
	}
	for _, name := range []string{"", ".", "..", "a/b", "../a", "a b", "a\nb", "é", "a;b", "$(x)", strings.Repeat("a", 223)} {
		require.Error(t, CheckKeyspaceName(name), name)
		require.Error(t, CheckTableName(name), name)
	}
	require.NoError(t, CheckTableID(""))
	require.NoError(t, CheckTableID("5A1C395E-b41f-11e5-9f22-ba0be0483c18"))
	require.Error(t, CheckTableID("../../5A1C395E-b41f-11e5-9f22-ba0be0483c18"))
}
