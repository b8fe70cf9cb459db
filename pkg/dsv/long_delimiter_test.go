package dsv

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// several are formats whose delimiter has several bytes, or in which letters stand for line ends.
var several = []Format{
	{Delimiter: '|', Rest: "|", Quote: '"'},
	{Delimiter: ',', Rest: ",a,", Quote: '"'},
	{Delimiter: ',', Rest: "a", Quote: '"', Escape: '\\'},
	{Delimiter: ',', Rest: " ,", Quote: '"', Trim: true},
	{Delimiter: ',', Rest: ",", Quote: '"', Escape: '\\', Trim: true, NewlineEscapes: true},
	{Delimiter: ',', Quote: '"', Escape: '\\', EscapeInQuotes: true},
	{Delimiter: ',', Rest: "|", Quote: '"', Escape: '\\', EscapeInQuotes: true, Trim: true},
	{Delimiter: ',', Quote: '"', Escape: '\\', EscapeInQuotes: true, NewlineEscapes: true},
	{Delimiter: ',', Quote: '"', Escape: '\\', NewlineEscapes: true},
}

// variants are the formats besides the usual ones that every input is read in.
var variants = slices.Clip(slices.Concat(trimmed, several))

func TestDelimitersOfSeveralBytes(t *testing.T) {
	format := Format{Delimiter: ':', Rest: ":", Quote: '"'}
	const in = "a::b:::c::\"::\"\n" + // the first two of three
		":\"x\"::y:\n" + // half a delimiter is data, and so is the quote behind it
		":::\"x\ny\"::z\r\n" +
		"::\"x\ny\"::\n" +
		"\"x\":y\n" +
		"\"x\"::\n" +
		"\"x\":"
	want := []string{"a|b|:c|::", ":\"x\"|y:", "|:\"x", "y\"|z", "|x\ny|", "", "x|", ""}
	for _, chunk := range []int{1, 7, 1 << 10} {
		got, lines := texts(t, format, strings.NewReader(in), chunk)
		require.Equal(t, want, got)
		require.Equal(t, []int64{1, 2, 3, 4, 5, 7, 8, 9}, lines)
	}
}

func TestLettersForLineEnds(t *testing.T) {
	format := several[len(several)-1]
	for _, text := range []string{"a\nb", "\r\n", "\\n", "tab\tn", "\\\n\"", ",\n,", strings.Repeat("long\n", 9)} {
		line := format.AppendField(nil, []byte(text), true)
		require.NotContains(t, string(line), "\n")
		require.NotContains(t, string(line), "\r")
		p := NewParser(format)
		p.Reset(Chunk{Data: line, Line: 1})
		require.True(t, p.Next())
		require.NoError(t, p.Record().Err)
		require.Len(t, p.Record().Fields, 1)
		require.Equal(t, text, string(p.Record().Fields[0].Text))
	}
	require.Equal(t, `"a\nb"`, string(format.AppendField(nil, []byte("a\nb"), true)))
}

func TestFormatsOfSeveralBytes(t *testing.T) {
	for _, f := range several {
		require.NoError(t, f.Validate())
	}
	for _, f := range []Format{
		{Delimiter: ',', Rest: "\n", Quote: '"'},
		{Delimiter: ',', Rest: "é", Quote: '"'},
		{Delimiter: ',', Rest: "\"", Quote: '"'},
		{Delimiter: ',', Rest: "\\", Quote: '"', Escape: '\\'},
		{Delimiter: ',', Quote: '"', NewlineEscapes: true},
		{Delimiter: ',', Quote: '"', Escape: '"', NewlineEscapes: true},
		{Delimiter: ',', Quote: 'n', Escape: '\\', NewlineEscapes: true},
	} {
		require.Error(t, f.Validate())
	}
}

// Short texts of the bytes that mean something meet each case.
func TestRandomTextInVariants(t *testing.T) {
	const bytesOf = ",,,a|||\"\"\" \n\\\rn;"
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		in := make([]byte, random.IntN(24))
		for i := range in {
			in[i] = bytesOf[random.IntN(len(bytesOf))]
		}
		o := Options{ChunkSize: 1 + random.IntN(9), MaxRecord: 2 + random.IntN(30)}
		for _, f := range variants {
			checkWhole(t, f, string(in))
			checkSplit(t, f, string(in), bytes.NewReader(in), o)
			checkSplit(t, f, string(in), iotest.OneByteReader(bytes.NewReader(in)), o)
			checkWritten(t, f, in)
		}
	}
}

// checkWritten writes a text as two fields and reads them again.
func checkWritten(t *testing.T, f Format, text []byte) {
	t.Helper()
	if f.Trim {
		return // a writer has no need of it
	}
	line := f.AppendField(f.AppendDelimiter(f.AppendField(nil, text, true)), text, true)
	p := NewParser(f)
	p.Reset(Chunk{Data: line, Line: 1})
	require.True(t, p.Next())
	require.NoError(t, p.Record().Err)
	require.Len(t, p.Record().Fields, 2)
	for _, field := range p.Record().Fields {
		require.Equal(t, string(text), string(field.Text))
	}
	require.False(t, p.Next())
}

// Each of these would take hours if bytes before a quote were read again for each delimiter,
// escape or quote.
func TestManyDelimitersCostLinearWork(t *testing.T) {
	const n = 300_000
	long := Format{Delimiter: '|', Rest: "|", Quote: '"'}
	withEscape, withTrim := long, long
	withEscape.Escape, withTrim.Trim = '\\', true
	for name, c := range map[string]struct {
		f  Format
		in string
	}{
		"delimiters":           {withEscape, strings.Repeat("||", n) + "\"x\"\n"},
		"escapes":              {withEscape, strings.Repeat("\\a", n) + "\"x\"\n"},
		"both":                 {withEscape, strings.Repeat("||\\||", n) + "\"x\"\n"},
		"halves":               {long, strings.Repeat("| ", n) + strings.Repeat("\"", n) + "\n"},
		"blanks before quotes": {withTrim, strings.Repeat(" ", n) + "x" + strings.Repeat("\"", n) + "\n"},
		"blanks among quotes":  {withTrim, "x" + strings.Repeat("  \"", n) + "\n"},
		"quotes and blanks":    {withTrim, strings.Repeat("\"\" ||", n) + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSplitter(strings.NewReader(c.in), c.f, Options{ChunkSize: 1 << 16})
			chunk, err := s.Next(nil)
			require.NoError(t, err)
			require.Equal(t, 1, chunk.Records)
			require.Len(t, chunk.Data, len(c.in))
		})
	}
}
