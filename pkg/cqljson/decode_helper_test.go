package cqljson

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// decode calls the decoder with bytes in the buffer already, and checks that these and the input are left alone and
// that nothing is added on an error, which has its place in the JSON.
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

// checkBack checks the law: JSON that was written of a valid value gives the same bytes back.
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
		require.True(t, keyTwice(c.typ, wire), "JSON %s", json)
		return
	}
	require.NoError(t, err, "JSON %s", json)
	require.Equal(t, string(wire), string(got), "JSON %s", json)
}

// keyTwice reports whether a map in a wire value has a key twice.
func keyTwice(typ *cqltype.Type, wire []byte) bool {
	pos, step := 4, 1
	switch typ.Kind {
	case cqltype.Tuple, cqltype.UDT:
		pos = 0
	case cqltype.Vector:
		return keyTwiceVector(typ, wire)
	case cqltype.Map:
		step = 2
	case cqltype.List, cqltype.Set:
	default:
		return false
	}
	keys := make(map[string]bool)
	for i := 0; pos < len(wire); i++ {
		elem, next, _ := elemAt(wire, pos)
		pos = next
		place := i
		if typ.Kind == cqltype.List || typ.Kind == cqltype.Set || typ.Kind == cqltype.Map {
			place = i % step
		}
		if typ.Kind == cqltype.Map && place == 0 {
			if keys[string(elem)] {
				return true
			}
			keys[string(elem)] = true
		}
		if elem != nil && keyTwice(typ.Elems[place], elem) {
			return true
		}
	}
	return false
}

func keyTwiceVector(typ *cqltype.Type, wire []byte) bool {
	if fixedLen(typ.Elems[0]) >= 0 {
		return false
	}
	for pos := 0; pos < len(wire); {
		n, begin, _ := uvintAt(wire, pos)
		pos = begin + n
		if keyTwice(typ.Elems[0], wire[begin:pos]) {
			return true
		}
	}
	return false
}
