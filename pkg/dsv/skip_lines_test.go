package dsv

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// The lines are physical ones: quotes, escapes and comments have no meaning in them.
func TestLinesBeforeTheFirstRecordAreSkipped(t *testing.T) {
	const in = bom + "a \"title\n\n" + "a very long line of \\\n# x\nk,v\r\n\"1\n2\",3\n"
	for _, f := range []Format{
		DefaultFormat,
		{Delimiter: ',', Quote: '"', Escape: '\\', Comment: '#'},
	} {
		for _, size := range []int{1, 7, 1 << 10} {
			for _, r := range []io.Reader{
				strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)),
			} {
				s := NewSplitter(r, f, Options{ChunkSize: size, MaxRecord: 16, SkipLines: 4})
				header, err := s.Header()
				require.NoError(t, err)
				require.Equal(t, "k,v\r\n", string(header.Raw))
				require.Equal(t, int64(5), header.Line)
				require.Equal(t, int64(strings.Index(in, "k,v")), header.Offset)
				c, err := s.Next(nil)
				require.NoError(t, err)
				require.Equal(t, "\"1\n2\",3\n", string(c.Data))
				require.Equal(t, int64(6), c.Line)
				require.Equal(t, int64(strings.Index(in, "\"1")), c.Offset)

				// From there on, nothing is skipped.
				s = NewSplitter(strings.NewReader(in[c.Offset:]), f,
					Options{SkipLines: 4, Offset: c.Offset, Line: c.Line})
				again, err := s.Next(nil)
				require.NoError(t, err)
				require.Equal(t, c, again)
			}
		}
	}
}

func TestSkippedLinesWithoutAnEnd(t *testing.T) {
	for _, in := range []string{"", "a", "a\n", "a\nb", "a\nb\n"} {
		s := NewSplitter(strings.NewReader(in), DefaultFormat, Options{SkipLines: 2})
		_, err := s.Next(nil)
		require.ErrorIs(t, err, io.EOF)
	}
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken))
	_, err := NewSplitter(r, DefaultFormat, Options{SkipLines: 2}).Next(nil)
	require.ErrorIs(t, err, broken)

	s := NewSplitter(strings.NewReader("a\rb\rc,d\r"), Format{Delimiter: ',', Quote: '"', CR: true},
		Options{SkipLines: 2})
	c, err := s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, Chunk{Data: []byte("c,d\n"), Offset: 4, Line: 3, Records: 1}, c)
}
