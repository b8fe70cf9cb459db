package cqljson

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// decode calls the decoder with a buffer that has content. It checks that the content and the input
// are unchanged. On an error, nothing may be appended, and the error must have an offset in the
// JSON.
func (c column) decode(t testing.TB, json string) ([]byte, error) {
	t.Helper()
	in := []byte(json)
	out, err := c.wires.AppendWire([]byte(prefix), in)
	require.Equal(t, json, string(in), "the input was changed")
	if err != nil {
		require.Equal(t, prefix, string(out))
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, c.typ.String(), e.Type)
		require.GreaterOrEqual(t, e.Offset, 0)
		require.LessOrEqual(t, e.Offset, len(json))
		require.True(t, utf8.ValidString(e.JSON), "%q", e.JSON)
		return nil, err
	}
	require.True(t, strings.HasPrefix(string(out), prefix))
	return out[len(prefix):], nil
}

// checkBack checks that the JSON of a valid value gives the same bytes when it is read.
func (c column) checkBack(t testing.TB, json string, wire []byte) {
	t.Helper()
	text, err := c.text.AppendText(nil, wire)
	require.NoError(t, err)
	back, err := c.text.AppendWire(nil, text)
	valid := err == nil && bytes.Equal(back, wire) && utf8.Valid(text)
	got, err := c.decode(t, json)
	if !valid {
		return
	}
	if errors.Is(err, errKeyTwice) {
		require.True(t, keyTwice(t, c.typ, wire), "JSON %s", json)
		return
	}
	require.NoError(t, err, "JSON %s", json)
	require.Equal(t, string(wire), string(got), "JSON %s", json)
}

// keyTwice reports whether a map in a wire value has a key twice.
func keyTwice(t testing.TB, typ *cqltype.Type, wire []byte) bool {
	t.Helper()
	layout, err := cqlwire.Plan(typ)
	require.NoError(t, err)
	keys := make(map[string]bool)
	w := layout.Walk(wire)
	for w.Next() {
		place := w.Index()
		if typ.Kind != cqltype.Tuple && typ.Kind != cqltype.UDT {
			place %= len(typ.Elems)
		}
		if typ.Kind == cqltype.Map && place == 0 {
			if keys[string(w.Elem())] {
				return true
			}
			keys[string(w.Elem())] = true
		}
		if !w.Null() && keyTwice(t, typ.Elems[place], w.Elem()) {
			return true
		}
	}
	return false
}
