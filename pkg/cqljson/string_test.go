package cqljson

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// checkString checks that a string decodes to the text, except for bytes that are not UTF-8, and
// has no needless escape.
func checkString(t testing.TB, text []byte) {
	t.Helper()
	out := AppendString([]byte(prefix), text)
	require.True(t, strings.HasPrefix(string(out), prefix))
	out = out[len(prefix):]
	require.True(t, json.Valid(out), "%q", out)
	require.True(t, utf8.Valid(out), "%q", out)
	var back string
	require.NoError(t, json.Unmarshal(out, &back))
	require.Equal(t, string([]rune(string(text))), back)
	want := 2
	for rest := text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			want += len(`\ufffd`)
		case strings.ContainsRune("\"\\\n\r\t\b\f", r):
			want += 2
		case r < 0x20:
			want += len(`\u0000`)
		default:
			want += size
		}
		rest = rest[size:]
	}
	require.Len(t, out, want, "%q", out)
}

// TestAppendStringBytes tests each byte at each of the eight places that are read together, and
// after them.
func TestAppendStringBytes(t *testing.T) {
	for c := range 256 {
		for place := range 12 {
			for _, fill := range []string{"a", "\x20", "\x7f", "!", "]", "\"", "\x00"} {
				text := []byte(strings.Repeat(fill, 12))
				text[place] = byte(c)
				checkString(t, text)
			}
		}
	}
}

func TestAppendString(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `""`},
		{"/<>&'\u2028\u2029\x7f", "\"/<>&'\u2028\u2029\x7f\""},
		{"\n\r\t\b\f\"\\", `"\n\r\t\b\f\"\\"`},
		{"\x00\x0b\x1f", `"\u0000\u000b\u001f"`},
		{"a\xffb\n\xc3", `"a\ufffdb\n\ufffd"`},
		{"\xed\xa0\x80", `"\ufffd\ufffd\ufffd"`},
		{"\xc0\x80", `"\ufffd\ufffd"`},
		{"\ufffd\xff", "\"\ufffd\\ufffd\""},
		{"\u20ac\xe2\x82", "\"\u20ac\\ufffd\\ufffd\""},
	} {
		require.Equal(t, c.want, string(AppendString(nil, []byte(c.text))))
		checkString(t, []byte(c.text))
	}
	require.Equal(t, `""`, string(AppendString(nil, nil)))
}

func TestQuoteFrom(t *testing.T) {
	for in, want := range map[string]string{
		"1":         `"1"`,
		"":          `""`,
		`["a\"",1]`: `"[\"a\\\"\",1]"`,
		`""""`:      `"\"\"\"\""`,
	} {
		require.Equal(t, `{"k`+want, string(quoteFrom([]byte(`{"k`+in), 3)))
	}
}
