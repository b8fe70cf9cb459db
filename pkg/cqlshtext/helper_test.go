package cqlshtext

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// testUDTs are the user types of the tests: names and types of the fields.
var testUDTs = map[string]struct{ names, types []string }{
	"addr":  {[]string{"street", "zip"}, []string{"text", "int"}},
	"addr3": {[]string{"street", "zip", "tags"}, []string{"text", "int", "frozen<list<text>>"}},
	"tt":    {[]string{"t"}, []string{"time"}},
	"odd": {
		[]string{"class", "Mixed", "a,b", "a", "x\ty", "_z", "back\\slash"},
		[]string{"int", "int", "int", "text", "timestamp", "boolean", "frozen<addr>"},
	},
	"none": {},
}

func testUDT(name string) (*cqltype.Type, error) {
	def, ok := testUDTs[name]
	if !ok {
		return nil, fmt.Errorf("unknown type %s", name)
	}
	t := &cqltype.Type{Kind: cqltype.UDT, Keyspace: "ks", Name: name, FieldNames: def.names}
	for _, s := range def.types {
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

func mustPlan(t testing.TB, typ string, o Options) Codec {
	t.Helper()
	c, err := Plan(mustParse(t, typ), o)
	require.NoError(t, err)
	return c
}

// prefix is the content of every buffer before a codec appends to it.
const prefix = "kept"

// toWire reads a text and returns the hex of its bytes, or null. It checks that the content of the
// buffer and the text are unchanged, and that nothing is appended on an error.
func toWire(t testing.TB, c Codec, text string) (string, error) {
	t.Helper()
	in := []byte(text)
	if c.IsNull(in) {
		return "null", nil
	}
	out, err := c.AppendWire([]byte(prefix), in)
	require.Equal(t, text, string(in), "the input was changed")
	require.True(t, strings.HasPrefix(string(out), prefix))
	if err != nil {
		require.Equal(t, prefix, string(out))
		return "", err
	}
	return hex.EncodeToString(out[len(prefix):]), nil
}

// wireOf returns the hex of the value that package cqltext reads from a text.
func wireOf(t testing.TB, typ, text string) string {
	t.Helper()
	c, err := cqltext.Plan(mustParse(t, typ))
	require.NoError(t, err)
	wire, err := c.AppendWire(nil, []byte(text))
	require.NoError(t, err)
	return hex.EncodeToString(wire)
}

// readCase is a text and its result: the hex of the bytes, null, or a part of the error.
type readCase struct {
	name, typ string
	o         Options
	text      string
	want, err string
}

func runCases(t *testing.T, cases []readCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := toWire(t, mustPlan(t, c.typ, c.o), c.text)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}
