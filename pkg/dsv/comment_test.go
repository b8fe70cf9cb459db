package dsv

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// texts splits an input into small chunks, and returns the texts and lines of its records.
func texts(t *testing.T, f Format, in io.Reader, chunk int) (out []string, lines []int64) {
	t.Helper()
	s := NewSplitter(in, f, Options{ChunkSize: chunk, Bad: func(Bad) error { return nil }})
	p := NewParser(f)
	for {
		c, err := s.Next(nil)
		if errors.Is(err, io.EOF) {
			return out, lines
		}
		require.NoError(t, err)
		p.Reset(c)
		n := 0
		for ; p.Next(); n++ {
			var record []string
			for _, field := range p.Record().Fields {
				record = append(record, string(field.Text))
			}
			out, lines = append(out, strings.Join(record, "|")), append(lines, p.Record().Line)
		}
		require.Equal(t, c.Records, n)
	}
}

// A comment is not a record, wherever it is and whatever it contains, except inside quotes.
func TestCommentsAreLeftOut(t *testing.T) {
	const in = "# from \"vendor, X\n#\na,b\r\n#\"\n\"1\n# no comment\",#2\n\n#,\"\r\n#\n3,\"#\"\n#"
	for _, escape := range []byte{0, '\\'} {
		f := Format{Delimiter: ',', Quote: '"', Escape: escape, Comment: '#'}
		for _, chunk := range []int{1, 7, 1 << 10} {
			for _, r := range []io.Reader{
				strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)),
			} {
				got, lines := texts(t, f, r, chunk)
				require.Equal(t, []string{"a|b", "1\n# no comment|#2", "3|#"}, got)
				require.Equal(t, []int64{3, 5, 10}, lines)
			}
		}
		header, err := NewSplitter(strings.NewReader(in), f, Options{}).Header()
		require.NoError(t, err)
		require.Equal(t, "a,b\r\n", string(header.Raw))
	}
}

// A comment after a line that is left open is a line of its own.
func TestCommentBehindAQuoteThatIsNeverClosed(t *testing.T) {
	f := Format{Delimiter: ',', Quote: '"', Comment: '#'}
	got, _ := texts(t, f, strings.NewReader("a,b\nc,\"d\n# x\ne,f\n"), 4)
	require.Equal(t, []string{"a|b", "e|f"}, got)
}

func TestTrailingDelimiterIsNoField(t *testing.T) {
	for _, escape := range []byte{0, '\\'} {
		f := Format{Delimiter: ';', Quote: '"', Escape: escape, Trailing: true}
		got, _ := texts(t, f, strings.NewReader("a;b;\n1;;\n2;3\n;\n;\"\"\n4;5;6\n"), 8)
		require.Equal(t, []string{"a|b", "1|", "2|3", "", "|", "4|5|6"}, got)
	}
}

func TestLinesThatEndInCRAlone(t *testing.T) {
	f := Format{Delimiter: ',', Quote: '"', CR: true, Comment: '#'}
	got, lines := texts(t, f, strings.NewReader("# x\ra,b\r\"1\r2\",3\r4,5"), 4)
	require.Equal(t, []string{"a|b", "1\n2|3", "4|5"}, got)
	require.Equal(t, []int64{2, 3, 5}, lines)
}

func TestCommentThatMeansSomethingElse(t *testing.T) {
	for _, c := range []byte{',', '"', '\\', '\n', 0x80} {
		require.Error(t, Format{Delimiter: ',', Quote: '"', Escape: '\\', Comment: c}.Validate())
	}
	require.NoError(t, Format{Delimiter: ',', Quote: '"', Comment: '\\'}.Validate())
}
