package jsonl

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
	"\n",
	"\r\n",
	" \t\r",
	"{}",
	"{}\n{}\r\n\n \n{}",
	`{"a":1,"b":"x"}` + "\n" + `{"a":2,"b":"y"}` + "\n" + `{"a":3}` + "\n" + `{"b":"z"}`,
	" { \"a\" : [1, {\"b\":null}] , \"c\" : \"\" } \r\n",
	`{"a":1,"a":2}` + "\n" + `{"a":1,"\u0061":2}` + "\n" + `{"b":{"a":1,"a":2}}`,
	`{"a":1}{"b":2}` + "\n" + `[{"a":1}]` + "\n" + "1\nnull\n\"x\"\n{\n}\n",
	`{"\n\"\\":1,"\ud83d\ude00":2,"\u00e9":3,"é":4}` + "\n" + `{"\ud83d":1}`,
	`{"a":"\ud83d"}` + "\n" + `{"a":"x` + "\n" + `y"}`,
	"{\"\xff\":1,\"\xfe\":2}\n{\"\xff\":\"\x01\"}\n",
	bom + `{"a":1}` + "\n" + bom + `{"a":1}` + "\n",
	bom,
	bom[:2],
	bom + "\n\n" + `{"a":1}`,
	strings.Repeat("{}\n", 60),
	`{"long":"` + strings.Repeat("x", 90) + `"}` + "\n{}\n" + strings.Repeat("[", 90) + "\n\n{}",
	strings.Repeat(" ", 100) + "\n{}\n" + strings.Repeat(" ", 100),
	"\x00\n{\"a\":\x00}\n\ufeff\n",
	`{"a":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + "}\n",
}

func TestSplitterAgreesWithReference(t *testing.T) {
	for i, in := range samples {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for chunk := 1; chunk <= 64; chunk++ {
				for _, limit := range []int{2, 3, 7, 20, 1000} {
					o := Options{ChunkSize: chunk, MaxRecord: limit}
					cuts := checkSplit(t, in, strings.NewReader(in), o)
					require.Equal(
						t, cuts, checkSplit(t, in, iotest.OneByteReader(strings.NewReader(in)), o),
					)
					require.Equal(
						t,
						cuts,
						checkSplit(
							t,
							in,
							iotest.DataErrReader(iotest.HalfReader(strings.NewReader(in))),
							o,
						),
					)
				}
			}
		})
	}
}

func TestSplitterOnRandomInput(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := []string{"{}", `{"a":1}`, `{"a":"bc","d":[]}`, "\n", "\n", "\n", "\r\n", " ", "x", bom}
	for range 2000 {
		var b strings.Builder
		for range rnd.IntN(40) {
			b.WriteString(words[rnd.IntN(len(words))])
		}
		in := b.String()
		o := Options{ChunkSize: 1 + rnd.IntN(50), MaxRecord: 2 + rnd.IntN(60)}
		cuts := checkSplit(t, in, strings.NewReader(in), o)
		require.Equal(t, cuts, checkSplit(t, in, iotest.OneByteReader(strings.NewReader(in)), o))
	}
}

// collect returns a callback that collects the bad lines, with the pieces of each joined.
func collect(bad *[]Bad) func(Bad) error {
	return func(b Bad) error {
		if b.First {
			*bad = append(*bad, b)
			(*bad)[len(*bad)-1].Piece = nil
		}
		last := &(*bad)[len(*bad)-1]
		last.Piece, last.Last = append(last.Piece, b.Piece...), b.Last
		return nil
	}
}

func TestBadLines(t *testing.T) {
	long := strings.Repeat("x", 100)
	in := bom + "{}\n" + long + "\n{}\r\n12345678\n123456789\n" + long
	var bad []Bad
	s := NewSplitter(
		strings.NewReader(in), Options{ChunkSize: 20, MaxRecord: 9, Bad: collect(&bad)},
	)
	var got []Chunk
	for {
		c, err := s.Next(nil)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		got = append(got, c)
	}
	require.Equal(t, []Chunk{
		{Data: []byte("{}\n"), Offset: 3, Line: 1, Records: 1},
		{Data: []byte("{}\r\n12345678\n"), Offset: 107, Line: 3, Records: 2},
	}, got)
	reason := "record is longer than 9 bytes"
	require.Equal(t, []Bad{
		{
			Offset: 6,
			Line:   2,
			Column: 1,
			Reason: reason,
			Piece:  []byte(long + "\n"),
			First:  true,
			Last:   true,
		},
		{
			Offset: 120,
			Line:   5,
			Column: 1,
			Reason: reason,
			Piece:  []byte("123456789\n"),
			First:  true,
			Last:   true,
		},
		{
			Offset: 130,
			Line:   6,
			Column: 1,
			Reason: reason,
			Piece:  []byte(long),
			First:  true,
			Last:   true,
		},
	}, bad)
}

func TestBadLineWithoutCallback(t *testing.T) {
	s := NewSplitter(
		strings.NewReader("{}\n"+strings.Repeat(" ", 20)+"{}\n{}\n"), Options{MaxRecord: 10},
	)
	c, err := s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, "{}\n", string(c.Data))
	for range 2 {
		_, err = s.Next(nil)
		require.Equal(
			t, &SyntaxError{Line: 2, Column: 1, Msg: "record is longer than 10 bytes"}, err,
		)
	}
}

func TestCallbackErrorIsFinal(t *testing.T) {
	full := errors.New("no space left for rejects")
	for after := range 3 {
		calls := 0
		s := NewSplitter(
			strings.NewReader(strings.Repeat("a", 200)),
			Options{ChunkSize: 16, MaxRecord: 20, Bad: func(Bad) error {
				if calls++; calls > after {
					return full
				}
				return nil
			}},
		)
		for range 2 {
			_, err := s.Next(nil)
			require.Equal(t, full, err)
		}
		require.Equal(t, after+1, calls)
	}
}

func TestReadErrorComesAfterTheLinesBeforeIt(t *testing.T) {
	broken := errors.New("disk gone")
	for _, in := range []string{"{}\n{}\n{", bom + "{}\n{"} {
		s := NewSplitter(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), Options{})
		c, err := s.Next(nil)
		require.NoError(t, err)
		require.Equal(t, strings.TrimPrefix(strings.TrimSuffix(in, "{"), bom), string(c.Data))
		for range 2 {
			_, err = s.Next(nil)
			require.ErrorIs(t, err, broken)
			require.EqualError(t, err, "read input at byte 7: disk gone")
		}
	}
	var bad []Bad
	r := io.MultiReader(strings.NewReader(strings.Repeat("x", 30)), iotest.ErrReader(broken))
	_, err := NewSplitter(r, Options{ChunkSize: 16, MaxRecord: 10, Bad: collect(&bad)}).Next(nil)
	require.EqualError(t, err, "read input at byte 30: disk gone")
	require.Len(t, bad, 1)
	require.False(t, bad[0].Last)

	_, err = NewSplitter(iotest.ErrReader(fmt.Errorf("cut off: %w", io.EOF)), Options{}).Next(nil)
	require.EqualError(t, err, "read input at byte 0: cut off: EOF")
}

// idle is a reader that never returns a byte.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestIdleReader(t *testing.T) {
	_, err := NewSplitter(idle{}, Options{}).Next(nil)
	require.ErrorIs(t, err, io.ErrNoProgress)
}

func TestNextUsesTheBufferGiven(t *testing.T) {
	s := NewSplitter(strings.NewReader("{ }\n{ }\n{}"), Options{ChunkSize: 5})
	buf := make([]byte, 1, 64)
	c, err := s.Next(buf)
	require.NoError(t, err)
	require.Same(t, &buf[0], &c.Data[0])
	_, err = s.Next(make([]byte, 8))
	require.NoError(t, err)
	require.Equal(t, "{ }\n", string(c.Data), "a returned chunk does not change")
}

func TestSplitterDoesNotAllocatePerChunk(t *testing.T) {
	in := strings.Repeat(`{"a":1}`+"\n", 1000)
	s := NewSplitter(strings.NewReader(in+in+in), Options{ChunkSize: 100})
	buf, err := s.Next(nil)
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(100, func() { buf, err = s.Next(buf.Data) }))
	require.NoError(t, err)
}

func TestMaxRecords(t *testing.T) {
	s := NewSplitter(strings.NewReader("{}\n\n{}\n{}\n{}\n{}"), Options{MaxRecords: 2})
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
	require.Equal(t, []string{"{}\n\n{}\n", "{}\n{}\n", "{}"}, got)
}

func TestFailed(t *testing.T) {
	broken := errors.New("broken")
	s := NewSplitter(
		io.MultiReader(strings.NewReader("{}\n{}\n{}\n{"), iotest.ErrReader(broken)),
		Options{ChunkSize: 6},
	)
	_, err := s.Next(nil)
	require.NoError(t, err)
	require.NoError(t, s.Failed())
	c, err := s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, "{}\n", string(c.Data))
	require.ErrorIs(t, s.Failed(), broken)
	_, err = s.Next(nil)
	require.ErrorIs(t, err, broken)
}
