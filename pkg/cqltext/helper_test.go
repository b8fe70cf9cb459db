package cqltext

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

func mustParse(t testing.TB, typ string) *cqltype.Type {
	t.Helper()
	parsed, err := cqltype.Parse(typ, testkit.Types.Find)
	require.NoError(t, err)
	return parsed
}

// mustLayout returns the layout that checks a type's bytes.
func mustLayout(t testing.TB, typ string) *cqlwire.Layout {
	t.Helper()
	l, err := cqlwire.Plan(mustParse(t, typ))
	require.NoError(t, err)
	return l
}

func mustPlan(t testing.TB, typ string) codec {
	t.Helper()
	c, err := Plan(mustParse(t, typ))
	require.NoError(t, err)
	return c.(codec)
}

// prefix is the content of every buffer before a codec appends to it.
const prefix = "kept"

// toText and toWire call a codec with a buffer that has content. They check that the content is
// unchanged, and that nothing is appended on an error.
func toText(t testing.TB, c Codec, wire []byte) (string, error) {
	t.Helper()
	return checkAppend(t, wire, c.AppendText)
}

func toWire(t testing.TB, c Codec, text string) (string, error) {
	t.Helper()
	return checkAppend(t, []byte(text), c.AppendWire)
}

func checkAppend(t testing.TB, in []byte, f func(dst, in []byte) ([]byte, error)) (string, error) {
	t.Helper()
	before := string(in)
	out, err := f([]byte(prefix), in)
	require.Equal(t, before, string(in), "the input was changed")
	require.True(t, strings.HasPrefix(string(out), prefix))
	if err != nil {
		require.Equal(t, prefix, string(out))
	}
	return strings.TrimPrefix(string(out), prefix), err
}

// exact checks that the wire value and the text correspond in both directions, and that servers
// store the value.
func exact(t *testing.T, typ, wireHex, text string) {
	t.Helper()
	exactText(t, typ, wireHex, text)
	require.NoError(t, mustLayout(t, typ).CheckAs(cqlwire.Stored, testkit.Unhex(t, wireHex)))
}

// exactText checks that the wire value and the text correspond in both directions.
func exactText(t *testing.T, typ, wireHex, text string) {
	t.Helper()
	c, wire := mustPlan(t, typ), testkit.Unhex(t, wireHex)
	got, err := toText(t, c, wire)
	require.NoError(t, err)
	require.Equal(t, text, got)
	back, err := toWire(t, c, text)
	require.NoError(t, err)
	require.Equal(t, hex.EncodeToString(wire), hex.EncodeToString([]byte(back)))
}
