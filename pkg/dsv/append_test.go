package dsv

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppendField(t *testing.T) {
	long := strings.Repeat("x", longText)
	tests := []struct {
		text         string
		quoteIfEmpty bool
		want         string
	}{
		{"", false, ""},
		{"", true, `""`},
		{"a", true, "a"},
		{" a ", true, " a "},
		{"a;b'c", true, "a;b'c"},
		{"\x00\xff", true, "\x00\xff"},
		{"a,b", false, `"a,b"`},
		{`a"b`, false, `"a""b"`},
		{`""`, false, `""""""`},
		{"a\rb", false, "\"a\rb\""},
		{"\n", false, "\"\n\""},
		{bom, false, `"` + bom + `"`},
		{bom + "a", false, `"` + bom + `a"`},
		{"a" + bom, false, "a" + bom},
		{bom[:2], false, bom[:2]},
		{long, true, long},
		{long + ",", false, `"` + long + `,"`},
		{long + "\n", false, `"` + long + "\n\""},
		{long + "\r", false, `"` + long + "\r\""},
		{`"` + long, false, `"""` + long + `"`},
		{bom + long, false, `"` + bom + long + `"`},
	}
	for _, tt := range tests {
		got := DefaultFormat.AppendField([]byte("x,"), []byte(tt.text), tt.quoteIfEmpty)
		require.Equal(t, "x,"+tt.want, string(got))
		quotes := tt.text != "" && strings.HasPrefix(tt.want, `"`)
		require.Equal(t, quotes, DefaultFormat.NeedsQuotes([]byte(tt.text)), "%q", tt.text)
	}
	semi := Format{Delimiter: ';', Quote: '\''}
	require.Equal(t, "a,b\"", string(semi.AppendField(nil, []byte("a,b\""), false)))
	require.Equal(t, "';'''", string(semi.AppendField(nil, []byte(";'"), false)))
}

func TestAppendQuoted(t *testing.T) {
	require.Equal(t, `a,""`, string(DefaultFormat.AppendQuoted([]byte("a,"), nil)))
	require.Equal(t, `"b"`, string(DefaultFormat.AppendQuoted(nil, []byte("b"))))
	require.Equal(t, `"""b"""`, string(DefaultFormat.AppendQuoted(nil, []byte(`"b"`))))
}

func TestAppendDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 256)
	texts := [][]byte{nil, []byte("plain"), []byte("a,\"b\""), []byte(strings.Repeat("long", 20))}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		buf = buf[:0]
		for _, text := range texts {
			buf = DefaultFormat.AppendField(buf, text, true)
			buf = escaped.AppendField(buf, text, true)
		}
	}))
}

func TestValidate(t *testing.T) {
	require.NoError(t, DefaultFormat.Validate())
	require.NoError(t, Format{Delimiter: '\t', Quote: '\''}.Validate())
	require.NoError(t, Format{Delimiter: ',', Quote: '"', Escape: '\\'}.Validate())
	require.NoError(t, Format{Delimiter: ',', Quote: '"', Escape: '"'}.Validate())
	tests := []struct {
		f    Format
		want string
	}{
		{Format{}, `delimiter '\x00' is reserved: NUL, CR and LF cannot be used`},
		{Format{Delimiter: ','}, `quote '\x00' is reserved: NUL, CR and LF cannot be used`},
		{
			Format{Delimiter: '\n', Quote: '"'},
			`delimiter '\n' is reserved: NUL, CR and LF cannot be used`,
		},
		{
			Format{Delimiter: ',', Quote: '\r'},
			`quote '\r' is reserved: NUL, CR and LF cannot be used`,
		},
		{Format{Delimiter: 0xa7, Quote: '"'}, `delimiter 0xa7 is not an ASCII byte`},
		{Format{Delimiter: '|', Quote: '|'}, `delimiter and quote are both '|'`},
		{Format{Delimiter: '|', Quote: '|', Escape: '|'}, `delimiter and quote are both '|'`},
		{
			Format{Delimiter: ',', Quote: '"', Escape: '\n'},
			`escape '\n' is reserved: NUL, CR and LF cannot be used`,
		},
		{
			Format{Delimiter: ',', Quote: '"', Escape: '\r'},
			`escape '\r' is reserved: NUL, CR and LF cannot be used`,
		},
		{Format{Delimiter: ',', Quote: '"', Escape: 0xa7}, `escape 0xa7 is not an ASCII byte`},
		{Format{Delimiter: '|', Quote: '"', Escape: '|'}, `delimiter and escape are both '|'`},
	}
	for _, tt := range tests {
		require.EqualError(t, tt.f.Validate(), tt.want)
	}
}
