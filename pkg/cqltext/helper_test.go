package cqltext

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// testUDTs are the user types of the tests.
var testUDTs = map[string]struct{ names, types string }{
	"addr":  {"street zip Mixed\"Name select", "text int list<int> frozen<tuple<text>>"},
	"inner": {"a b", "int text"},
	"outer": {"nested other", "frozen<inner> map<text, frozen<inner>>"},
	"none":  {"", ""},
}

func testUDT(name string) (*cqltype.Type, error) {
	def, ok := testUDTs[name]
	if !ok {
		return nil, fmt.Errorf("unknown type %s", name)
	}
	t := &cqltype.Type{
		Kind:       cqltype.UDT,
		Keyspace:   "ks",
		Name:       name,
		FieldNames: strings.Fields(def.names),
	}
	// The field types have blanks only after commas.
	for _, s := range strings.Fields(strings.ReplaceAll(def.types, ", ", ",")) {
		e, err := cqltype.Parse(s, testUDT)
		if err != nil {
			return nil, err
		}
		t.Elems = append(t.Elems, e)
	}
	return t, nil
}

func mustParse(t testing.TB, typ string) *cqltype.Type {
	t.Helper()
	parsed, err := cqltype.Parse(typ, testUDT)
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

// unhex reads hex that may contain blanks.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
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
	require.NoError(t, mustLayout(t, typ).CheckAs(cqlwire.Stored, unhex(t, wireHex)))
}

// exactText checks that the wire value and the text correspond in both directions.
func exactText(t *testing.T, typ, wireHex, text string) {
	t.Helper()
	c, wire := mustPlan(t, typ), unhex(t, wireHex)
	got, err := toText(t, c, wire)
	require.NoError(t, err)
	require.Equal(t, text, got)
	back, err := toWire(t, c, text)
	require.NoError(t, err)
	require.Equal(t, hex.EncodeToString(wire), hex.EncodeToString([]byte(back)))
}
