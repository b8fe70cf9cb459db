package dsv

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drain reads all chunks. It returns their texts and the bad lines, with the pieces of each joined.
func drain(t *testing.T, r io.Reader, f Format, o Options) (good []string, bad []Bad) {
	t.Helper()
	o.Bad = func(b Bad) error {
		if b.First {
			piece := b.Piece
			b.Piece = nil
			bad = append(bad, b)
			b.Piece = piece
		}
		last := &bad[len(bad)-1]
		last.Piece, last.Last = append(last.Piece, b.Piece...), b.Last
		return nil
	}
	s := NewSplitter(r, f, o)
	for {
		c, err := s.Next(nil)
		if err == io.EOF {
			return good, bad
		}
		require.NoError(t, err)
		good = append(good, string(c.Data))
	}
}

func TestBadLines(t *testing.T) {
	tests := []struct {
		name  string
		in    string
		limit int
		good  []string
		bad   []Bad
	}{
		{
			name: "never closed",
			in:   "a\nb,\"c\nd\ne\n",
			good: []string{"a\n", "d\ne\n"},
			bad: []Bad{
				{
					Offset: 2,
					Line:   2,
					Column: 3,
					Reason: "quote opened at column 3 is never closed",
					Piece:  []byte("b,\"c\n"),
				},
			},
		},
		{
			name: "never closed in the last line",
			in:   "a\n\"b",
			good: []string{"a\n"},
			bad: []Bad{
				{
					Offset: 2,
					Line:   2,
					Column: 1,
					Reason: "quote opened at column 1 is never closed",
					Piece:  []byte("\"b"),
				},
			},
		},
		{
			name: "each quote opened is closed by the next one",
			in:   "\"a\nx\",\"y\nx\",\"y\nok\n",
			good: []string{"ok\n"},
			bad: []Bad{
				{
					Offset: 0,
					Line:   1,
					Column: 1,
					Reason: "quote opened at column 1 leads into a record that never ends",
					Piece:  []byte("\"a\n"),
				},
				{
					Offset: 3,
					Line:   2,
					Column: 4,
					Reason: "quote opened at column 4 leads into a record that never ends",
					Piece:  []byte("x\",\"y\n"),
				},
				{
					Offset: 9,
					Line:   3,
					Column: 4,
					Reason: "quote opened at column 4 is never closed",
					Piece:  []byte("x\",\"y\n"),
				},
			},
		},
		{
			name:  "record too long over several lines",
			in:    "a\n\"b\nccccccc\nd\"\ne\n",
			limit: 10,
			good:  []string{"a\n", "ccccccc\n", "d\"\ne\n"},
			bad: []Bad{
				{
					Offset: 2,
					Line:   2,
					Column: 1,
					Reason: "quote opened at column 1 makes the record longer than 10 bytes",
					Piece:  []byte("\"b\n"),
				},
			},
		},
		{
			name:  "line too long",
			in:    "a\n" + strings.Repeat("b", 100) + "\nc\n",
			limit: 10,
			good:  []string{"a\n", "c\n"},
			bad: []Bad{
				{
					Offset: 2,
					Line:   2,
					Column: 1,
					Reason: "record is longer than 10 bytes",
					Piece:  []byte(strings.Repeat("b", 100) + "\n"),
				},
			},
		},
		{
			name:  "last line too long and without an end",
			in:    strings.Repeat("\"b\"\",", 50),
			limit: 10,
			bad: []Bad{
				{
					Offset: 0,
					Line:   1,
					Column: 1,
					Reason: "record is longer than 10 bytes",
					Piece:  []byte(strings.Repeat("\"b\"\",", 50)),
				},
			},
		},
		{
			name:  "just as long as allowed",
			in:    "12345678\n\"12\n567\"\n1234567\r\n\"2345678\"",
			limit: 9,
			good:  []string{"12345678\n", "\"12\n567\"\n", "1234567\r\n", "\"2345678\""},
		},
		{
			name:  "one byte longer",
			in:    "123456789\n\"12\n5678\"\n12345678\r\n\"23456789\"",
			limit: 9,
			good:  []string{"5678\"\n"},
			bad: []Bad{
				{
					Offset: 0,
					Line:   1,
					Column: 1,
					Reason: "record is longer than 9 bytes",
					Piece:  []byte("123456789\n"),
				},
				{
					Offset: 10,
					Line:   2,
					Column: 1,
					Reason: "quote opened at column 1 makes the record longer than 9 bytes",
					Piece:  []byte("\"12\n"),
				},
				{
					Offset: 20,
					Line:   4,
					Column: 1,
					Reason: "record is longer than 9 bytes",
					Piece:  []byte("12345678\r\n"),
				},
				{
					Offset: 30,
					Line:   5,
					Column: 1,
					Reason: "record is longer than 9 bytes",
					Piece:  []byte("\"23456789\""),
				},
			},
		},
		{
			name: "columns do not count the byte order mark, offsets do",
			in:   bom + "a,\"b\n",
			bad: []Bad{
				{
					Offset: 3,
					Line:   1,
					Column: 3,
					Reason: "quote opened at column 3 is never closed",
					Piece:  []byte("a,\"b\n"),
				},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.bad {
				tt.bad[i].First, tt.bad[i].Last = true, true
			}
			good, bad := drain(
				t,
				strings.NewReader(tt.in),
				DefaultFormat,
				Options{ChunkSize: 10, MaxRecord: tt.limit},
			)
			require.Equal(t, strings.Join(tt.good, "|"), strings.Join(good, "|"))
			require.Equal(t, tt.bad, bad)
		})
	}
}

func TestLongBadLineComesInPieces(t *testing.T) {
	in := strings.Repeat("b", 1000) + "\nc\n"
	var sizes []int
	s := NewSplitter(
		strings.NewReader(in),
		DefaultFormat,
		Options{ChunkSize: 64, MaxRecord: 100, Bad: func(b Bad) error {
			require.Equal(t, len(sizes) == 0, b.First)
			require.LessOrEqual(t, len(b.Piece), 100+64+1)
			sizes = append(sizes, len(b.Piece))
			return nil
		}},
	)
	c, err := s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, Chunk{Data: []byte("c\n"), Offset: 1001, Line: 2, Records: 1}, c)
	require.Greater(t, len(sizes), 10)
}

func TestBadLineWithoutCallback(t *testing.T) {
	s := NewSplitter(strings.NewReader("a\nb,\"c\nd\n"), DefaultFormat, Options{})
	c, err := s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, "a\n", string(c.Data))
	for range 2 {
		_, err = s.Next(nil)
		require.Equal(t, &SyntaxError{Line: 2, Column: 3, Msg: "quote is never closed"}, err)
	}
}

func TestCallbackErrorIsFinal(t *testing.T) {
	full := errors.New("no space left for rejects")
	for _, in := range []string{"\"a\nb\n", strings.Repeat("a", 100)} {
		s := NewSplitter(
			strings.NewReader(in),
			DefaultFormat,
			Options{ChunkSize: 8, MaxRecord: 20, Bad: func(Bad) error { return full }},
		)
		for range 2 {
			_, err := s.Next(nil)
			require.Equal(t, full, err)
		}
	}
}

// TestHostileInputCostsLinearWork finishes quickly if each byte is read a bounded number of times.
// It would not finish in practice if each bad line caused a new scan of everything after it.
func TestHostileInputCostsLinearWork(t *testing.T) {
	const lines, limit = 60_000, 1 << 18
	tests := map[string]string{
		"every line closes and opens a quote": "\"" + strings.Repeat("x\",\"y\n", lines),
		"every line opens a quote":            strings.Repeat("x,\"y\n", lines),
		"every other line is whole": "\"" + strings.Repeat(
			"x\",\"y\nx\"\",\"\"y\n",
			lines/2,
		),
		"only doubled quotes follow":  "\"" + strings.Repeat("\"\"\n", lines),
		"empty lines inside quotes":   "\"" + strings.Repeat("\n", 4*lines),
		"doubled quotes at line ends": strings.Repeat("x\"\",\"\ny\"\"\n", lines/2),
		"only escaped line ends":      strings.Repeat("x\\\n", lines),
		"the same inside quotes":      "\"" + strings.Repeat("x\\\n", lines),
		"inside and outside at an escaped LF": "\"" + strings.Repeat(
			"x\",\"y\\\nx\",\"y\n",
			lines/2,
		),
		"escaped quotes and delimiters": "\"" + strings.Repeat("\\\"\\,\n", lines),
		"only escapes":                  strings.Repeat("\\", 4*lines),
		"runs of escapes at line ends": "\"" + strings.Repeat(
			strings.Repeat("\\", 99)+"\n",
			lines/50,
		),
		"one field, all of it escaped":      "x" + strings.Repeat("\\,", lines) + "\n",
		"a short field before each escape":  strings.Repeat("x,\\\\\n", lines),
		"every line does both, and escapes": "\"" + strings.Repeat("x\\\"\",\"y\n", lines/2),
		"a far quote, and then an escape":   strings.Repeat("x,y\n", lines) + "\"\\\"",
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			f := DefaultFormat
			if strings.Contains(in, `\`) {
				f = escaped
			}
			for _, limit := range []int{limit, len(in) + 1} {
				total := 0
				s := NewSplitter(
					strings.NewReader(in),
					f,
					Options{ChunkSize: 1 << 16, MaxRecord: limit, Bad: func(b Bad) error {
						total += len(b.Piece)
						return nil
					}},
				)
				var buf []byte
				for {
					c, err := s.Next(buf)
					if err == io.EOF {
						break
					}
					require.NoError(t, err)
					total += len(c.Data)
					buf = c.Data
				}
				require.Equal(t, len(in), total)
			}
			raw := 0
			p := NewParser(f)
			for p.Reset(Chunk{Data: []byte(in), Line: 1}); p.Next(); {
				raw += len(p.Record().Raw)
			}
			require.LessOrEqual(t, raw, len(in))
		})
	}
}
