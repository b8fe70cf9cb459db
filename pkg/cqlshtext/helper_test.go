package cqlshtext

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// userTypes are the user types of the tests.
var userTypes = testkit.UserTypes{
	"addr": {{Name: "street", Type: "text"}, {Name: "zip", Type: "int"}},
	"addr3": {
		{Name: "street", Type: "text"},
		{Name: "zip", Type: "int"},
		{Name: "tags", Type: "frozen<list<text>>"},
	},
	"tt": {{Name: "t", Type: "time"}},
	"odd": {
		{Name: "class", Type: "int"},
		{Name: "Mixed", Type: "int"},
		{Name: "a,b", Type: "int"},
		{Name: "a", Type: "text"},
		{Name: "x\ty", Type: "timestamp"},
		{Name: "_z", Type: "boolean"},
		{Name: "back\\slash", Type: "frozen<addr>"},
	},
	"none": {},
}

func mustParse(t testing.TB, typ string) *cqltype.Type {
	t.Helper()
	parsed, err := cqltype.Parse(typ, userTypes.Find)
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
