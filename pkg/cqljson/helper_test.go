package cqljson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// column is a type with its encoder and decoder.
type column struct {
	typ   *cqltype.Type
	text  cqltext.Codec
	json  Encoder
	wires Decoder
}

func mustPlan(t testing.TB, typ string) column {
	t.Helper()
	parsed, err := cqltype.Parse(typ, testkit.Types.Find)
	require.NoError(t, err)
	text, err := cqltext.Plan(parsed)
	require.NoError(t, err)
	enc, err := Plan(parsed)
	require.NoError(t, err)
	dec, err := PlanDecoder(parsed)
	require.NoError(t, err)
	return column{parsed, text, enc, dec}
}

// wire returns the wire bytes of a text.
func (c column) wire(t testing.TB, text string) []byte {
	t.Helper()
	wire, err := c.text.AppendWire(nil, []byte(text))
	require.NoError(t, err)
	return wire
}

// prefix is the content of every buffer before an encoder appends to it.
const prefix = "kept"

// encode calls the encoder with a buffer that has content. It checks that the content and the input
// are unchanged, and that nothing is appended on an error.
func (c column) encode(t testing.TB, wire []byte) (string, error) {
	t.Helper()
	before := bytes.Clone(wire)
	out, err := c.json.AppendJSON([]byte(prefix), wire)
	require.True(t, bytes.Equal(before, wire), "the input was changed")
	if err != nil {
		require.Equal(t, prefix, string(out))
		return "", err
	}
	require.True(t, strings.HasPrefix(string(out), prefix))
	return string(out[len(prefix):]), nil
}

// checkLossless checks that the JSON is valid and equivalent to the CQL text of the same bytes, and
// that reading it gives these bytes.
func (c column) checkLossless(t testing.TB, wire []byte) {
	t.Helper()
	text, textErr := c.text.AppendText(nil, wire)
	got, err := c.encode(t, wire)
	if textErr != nil {
		require.EqualError(t, err, textErr.Error())
		return
	}
	require.NoError(t, err)
	require.True(t, json.Valid([]byte(got)), "JSON %s", got)
	require.True(t, utf8.ValidString(got), "JSON %q", got)
	require.NotContains(t, got, "\n")
	back := readJSON(t, c.typ, got)
	if cqltext.TextLike(c.typ) {
		back = strings.ReplaceAll(back[1:len(back)-1], "''", "'")
	} else if n := len(back); n > 0 && back[0] == '\'' {
		// A text that has quotes inside a collection has none here.
		back = back[1 : n-1]
	}
	require.Equal(t, string([]rune(string(text))), back, "JSON %s", got)
	c.checkBack(t, got, wire)
}

// readJSON returns the CQL literal for the JSON of a value of type typ, as cqltext writes it inside
// a collection.
func readJSON(t testing.TB, typ *cqltype.Type, text string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	literal := readValue(t, typ, dec)
	require.False(t, dec.More())
	return literal
}

// next returns the next token. The decoder has checked its place.
func next(t testing.TB, dec *json.Decoder) json.Token {
	t.Helper()
	tok, err := dec.Token()
	require.NoError(t, err)
	return tok
}

func readValue(t testing.TB, typ *cqltype.Type, dec *json.Decoder) string {
	t.Helper()
	switch tok := next(t, dec).(type) {
	case nil:
		return "null"
	case bool:
		require.Equal(t, cqltype.Boolean, typ.Kind)
		return fmt.Sprint(tok)
	case json.Number:
		return tok.String()
	case string:
		return literalOf(typ, tok)
	case json.Delim:
		return readComposite(t, typ, tok, dec)
	default:
		require.Failf(t, "unexpected token", "%v", tok)
		return ""
	}
}

// literalOf returns the literal of a value whose JSON is a string.
func literalOf(typ *cqltype.Type, s string) string {
	switch typ.Kind {
	case cqltype.Ascii, cqltype.Text:
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	case cqltype.Timestamp, cqltype.Date, cqltype.Time, cqltype.Inet:
		if !strings.HasPrefix(s, "0x") {
			return "'" + s + "'"
		}
	}
	return s
}

// readComposite reads the rest after the opening bracket.
func readComposite(t testing.TB, typ *cqltype.Type, opening json.Delim, dec *json.Decoder) string {
	t.Helper()
	open, closing := string(opening), map[json.Delim]string{'[': "]", '{': "}"}[opening]
	switch typ.Kind {
	case cqltype.Set:
		open, closing = "{", "}"
	case cqltype.Tuple:
		open, closing = "(", ")"
	}
	var parts []string
	for i := 0; dec.More(); i++ {
		var part string
		switch typ.Kind {
		case cqltype.Map:
			key := next(t, dec).(string)
			literal := literalOf(typ.Elems[0], key)
			if !typ.Elems[0].Kind.Scalar() && !strings.HasPrefix(key, "0x") {
				literal = readJSON(t, typ.Elems[0], key)
			}
			part = literal + ": " + readValue(t, typ.Elems[1], dec)
		case cqltype.UDT:
			require.Equal(t, typ.FieldNames[i], next(t, dec))
			part = cqltype.QuoteIdent(typ.FieldNames[i]) + ": " + readValue(t, typ.Elems[i], dec)
		case cqltype.Tuple:
			part = readValue(t, typ.Elems[i], dec)
		default:
			part = readValue(t, typ.Elems[0], dec)
		}
		parts = append(parts, part)
	}
	next(t, dec)
	return open + strings.Join(parts, ", ") + closing
}
