package dsv

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// samples are inputs that together use every rule of the format.
var samples = []string{
	"",
	" a ,\t\" b \" , c\td\t\n \t\r\n  \"x\ny\"\t\r\n,  \n \"a\" b\n \"c",
	"\\ \"a\" , \\ b\\  ,\\\t\"c\n \\, \"d\"\n\t\"e\" \\\nf\n   ",
	"\"a \"  \t \n, \"b\"\"\" ,\"c\" \"d\"\n \" \n x\" y\n  \"",
	"\n",
	"\r\n",
	"\r",
	"a",
	"a,b\nc,d\n",
	"a,b\r\nc,d",
	"a\rb,c\r\r\n,\r\n",
	"\n\n\r\na\n\n\nb\n\n",
	"\"a,b\",\"c\nd\",\"e\r\nf\"\r\n\"\",,\"\"\n",
	"\"a\"\"b\"\"\",\"\"\"\"\nx\n",
	"a\"b,c\"\"d,e\"\n\"f\"\n",
	"\"a\"b,c\nd,e\n",
	"\"a\nb\"c,\"d\ne\n",
	"\"a\"\r",
	"\"a\"\rb\nc\n",
	"\"a\",\nb,\"\"\n",
	"\"",
	"\"\"",
	"\"\"\"",
	"a,\"b\nc,d\ne\n",
	"\"a\nx\",\"y\nx\",\"y\nok\nx\",\"y\n",
	"\"a\nx\",\"y\nz\nx\",\"\"\"y\n1\"\n2\n\"3\n",
	"\x00,\xff\n\"\x00\"\n",
	bom + "a,b\n" + bom + "c\n",
	bom + "\"a\nb\",c\nd\n",
	bom,
	bom[:2],
	bom[:1] + "\n",
	",\n,,\n",
	"\"" + strings.Repeat("x\",\"y\n", 40),
	strings.Repeat("\"", 41) + "\n\"\n",
	strings.Repeat("long,", 30) + "\nshort\n" + strings.Repeat("\"q\nq\",", 20),
	"a\\,b,\\\"c\",d\\\ne\n\"f\\\"\\\n,\",\\g\n",
	"\\",
	"a,b\\\nc\\",
	"\"a\\\"\n\\",
	"\\\n\\\r\n\\\r\r\n\"\\\r\"\r\n",
	"a\\\\,\"b\\\\\"\n\\\\\n\"\"\\\"\n\"\"\"\n",
	"\"a\"\\\nb\\\\\nc\n\"d\"\\",
	"\\,\"a\nb\\\n\"c,\"d\n",
	"a\\\nb,\"c\nd\\\n\"e\n",
	"\"\\\nx\",\"y\\\nx\\\\\nx\",\"y\nok\\\n\n",
	strings.Repeat("long\\\n", 20) + "\nx\\\n\"y\n" + strings.Repeat("\\", 21) + "\n\"",
	bom + "\\\n" + bom + "\\\"\n",
}

// escaped is the format of most tests with escapes.
var escaped = Format{Delimiter: ',', Quote: '"', Escape: '\\'}

func TestSplitterAgreesWithReference(t *testing.T) {
	for i, in := range samples {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for _, chunk := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16, 17, 31, 64} {
				for _, limit := range []int{2, 3, 7, 20, 1000} {
					o := Options{ChunkSize: chunk, MaxRecord: limit}
					for _, f := range []Format{DefaultFormat, escaped} {
						cuts := checkSplit(t, f, in, strings.NewReader(in), o)
						require.Equal(
							t,
							cuts,
							checkSplit(t, f, in, iotest.OneByteReader(strings.NewReader(in)), o),
						)
						require.Equal(
							t,
							cuts,
							checkSplit(
								t,
								f,
								in,
								iotest.DataErrReader(iotest.HalfReader(strings.NewReader(in))),
								o,
							),
						)
					}
				}
			}
		})
	}
}

// randomReader returns pieces of random length, some of them empty.
type randomReader struct {
	r   io.Reader
	rnd *rand.Rand
}

func (r randomReader) Read(b []byte) (int, error) {
	return r.r.Read(b[:r.rnd.IntN(min(len(b), 9)+1)])
}

func TestSplitterOnRandomInput(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := []string{
		"a",
		"bc",
		",",
		",",
		"\"",
		"\"",
		"\"\"",
		"\n",
		"\n",
		"\r\n",
		"\r",
		"\",\"",
		"\"\n\"",
		"x\",\"y\n",
		bom,
		"\\",
		"\\",
		"\\\n",
		"\\\"",
	}
	for range 3000 {
		var b strings.Builder
		for range rnd.IntN(40) {
			b.WriteString(words[rnd.IntN(len(words))])
		}
		in := b.String()
		o := Options{ChunkSize: 1 + rnd.IntN(50), MaxRecord: 2 + rnd.IntN(60)}
		for _, f := range []Format{DefaultFormat, escaped} {
			cuts := checkSplit(t, f, in, strings.NewReader(in), o)
			require.Equal(
				t, cuts, checkSplit(t, f, in, randomReader{strings.NewReader(in), rnd}, o),
			)
			checkWhole(t, f, strings.TrimPrefix(in, bom))
		}
	}
}

func TestChunksAreAsLongAsAllowed(t *testing.T) {
	s := NewSplitter(
		strings.NewReader("aa\nbb\ncc\n"+"\"a long\nrecord\"\n"+"d\n"),
		DefaultFormat,
		Options{ChunkSize: 7},
	)
	want := []Chunk{
		{Data: []byte("aa\nbb\n"), Offset: 0, Line: 1, Records: 2},
		{Data: []byte("cc\n"), Offset: 6, Line: 3, Records: 1},
		{Data: []byte("\"a long\nrecord\"\n"), Offset: 9, Line: 4, Records: 1},
		{Data: []byte("d\n"), Offset: 25, Line: 6, Records: 1},
	}
	for _, w := range want {
		c, err := s.Next(nil)
		require.NoError(t, err)
		require.Equal(t, w, c)
	}
	_, err := s.Next(nil)
	require.Equal(t, io.EOF, err)
}

func TestNextUsesTheBufferGiven(t *testing.T) {
	s := NewSplitter(strings.NewReader("ab\ncd\n"), DefaultFormat, Options{ChunkSize: 3})
	buf := make([]byte, 1, 8)
	c, err := s.Next(buf)
	require.NoError(t, err)
	require.Same(t, &buf[0], &c.Data[0])
	first := string(c.Data)
	_, err = s.Next(make([]byte, 8))
	require.NoError(t, err)
	require.Equal(t, first, string(c.Data), "a returned chunk does not change")
}

// A long record is returned in the window's memory, and the caller's buffer becomes the window.
func TestLongRecordIsNotCopied(t *testing.T) {
	long := strings.Repeat("x", 100_000) + "\n"
	s := NewSplitter(
		strings.NewReader(long+"a,b\n"+long),
		DefaultFormat,
		Options{ChunkSize: 1000, MaxRecord: 200_000},
	)
	given := make([]byte, 0, 5000)
	c, err := s.Next(given)
	require.NoError(t, err)
	require.Equal(t, long, string(c.Data))
	require.Less(t, cap(s.in.buf), 10_000)
	clear(c.Data) // the chunk belongs to the caller
	c, err = s.Next(c.Data[:0])
	require.NoError(t, err)
	require.Equal(t, "a,b\n", string(c.Data))
	require.Less(t, cap(s.in.buf), 110_000)
	c, err = s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, long, string(c.Data))
	_, err = s.Next(nil)
	require.ErrorIs(t, err, io.EOF)
}

func TestHeader(t *testing.T) {
	s := NewSplitter(
		strings.NewReader(bom+"\n\r\n\"i\nd\",name\r\n1,x\n"), DefaultFormat, Options{},
	)
	h, err := s.Header()
	require.NoError(t, err)
	require.Equal(t, int64(6), h.Offset)
	require.Equal(t, int64(3), h.Line)
	require.Equal(t, "\"i\nd\",name\r\n", string(h.Raw))
	require.Len(t, h.Fields, 2)
	require.Equal(t, "i\nd", string(h.Fields[0].Text))
	require.Equal(t, "name", string(h.Fields[1].Text))

	c, err := s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, Chunk{Data: []byte("1,x\n"), Offset: 18, Line: 5, Records: 1}, c)
	require.Equal(t, "name", string(h.Fields[1].Text), "the header is the caller's")
}

func TestHeaderErrors(t *testing.T) {
	for _, in := range []string{"", bom, "\n\r\n"} {
		_, err := NewSplitter(strings.NewReader(in), DefaultFormat, Options{}).Header()
		require.Equal(t, io.EOF, err, "%q", in)
	}
	bad := func(Bad) error { return errors.New("called for a header") }
	for in, want := range map[string]string{
		"\n\"a\"b\nc\n": `line 2, column 4: closing quote is followed by "b", not by a delimiter or a line end`,
		"\na,\"b\nc\n":  `line 2, column 3: quote is never closed`,
		"0123456789\n":  `line 1, column 1: record is longer than 8 bytes`,
	} {
		_, err := NewSplitter(
			strings.NewReader(in), DefaultFormat, Options{MaxRecord: 8, Bad: bad},
		).Header()
		require.EqualError(t, err, want)
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax)
	}
}

func TestReadErrorComesAfterTheRecordsBeforeIt(t *testing.T) {
	broken := errors.New("disk gone")
	s := NewSplitter(
		io.MultiReader(strings.NewReader("a\nb\nc"), iotest.ErrReader(broken)),
		DefaultFormat,
		Options{},
	)
	c, err := s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, "a\nb\n", string(c.Data))
	for range 2 {
		_, err = s.Next(nil)
		require.ErrorIs(t, err, broken)
		require.EqualError(t, err, "read input at byte 5: disk gone")
	}

	_, err = NewSplitter(iotest.ErrReader(broken), DefaultFormat, Options{}).Header()
	require.ErrorIs(t, err, broken)
}

// idle is a reader that never returns a byte.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestIdleReader(t *testing.T) {
	_, err := NewSplitter(idle{}, DefaultFormat, Options{}).Next(nil)
	require.ErrorIs(t, err, io.ErrNoProgress)
}

func TestConstructorsRefuseInvalidFormats(t *testing.T) {
	require.Panics(t, func() { NewSplitter(strings.NewReader(""), Format{}, Options{}) })
	require.Panics(t, func() { NewParser(Format{Delimiter: ',', Quote: ','}) })
}

func TestMaxRecords(t *testing.T) {
	s := NewSplitter(
		strings.NewReader("a\n\nb\nc\n\"d\n\"\ne"), DefaultFormat, Options{MaxRecords: 2},
	)
	var got []string
	for {
		c, err := s.Next(nil)
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		require.LessOrEqual(t, c.Records, 2)
		got = append(got, string(c.Data))
	}
	require.Equal(t, []string{"a\n\nb\n", "c\n\"d\n\"\n", "e"}, got)
}

func TestFailed(t *testing.T) {
	broken := errors.New("broken")
	s := NewSplitter(
		io.MultiReader(strings.NewReader("a\nb\nc\nd"), iotest.ErrReader(broken)),
		DefaultFormat,
		Options{ChunkSize: 4},
	)
	c, err := s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, "a\nb\n", string(c.Data))
	require.NoError(t, s.Failed())
	c, err = s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, "c\n", string(c.Data))
	require.ErrorIs(t, s.Failed(), broken)
	_, err = s.Next(nil)
	require.ErrorIs(t, err, broken)

	s = NewSplitter(strings.NewReader("a"), DefaultFormat, Options{})
	_, err = s.Next(nil)
	require.NoError(t, err)
	_, err = s.Next(nil)
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, s.Failed())
}
