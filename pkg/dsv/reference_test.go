package dsv

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// The reference reads the whole input byte by byte, with no thought of speed.
// The tests hold Splitter and Parser against it.

type refField struct {
	text   string
	quoted bool
	offset int
}

type refUnit struct {
	raw    string
	offset int
	line   int
	blank  bool
	bad    string // reason, for a bad line
	fields []refField
	errAt  int // index in raw of a byte that may not follow a quote, or -1
}

// refRecord reads the record at the start of in. Ends is false when the input
// ends inside quotes; open is then the index of the opening quote.
func refRecord(f Format, in string) (u refUnit, open int, ends bool) {
	u.errAt = -1
	i := 0
	for {
		field := refField{offset: i}
		if i < len(in) && in[i] == f.Quote {
			field.quoted = true
			open = i
			i++
			for {
				if i == len(in) {
					return u, open, false
				}
				if in[i] != f.Quote {
					field.text += in[i : i+1]
					i++
					continue
				}
				if i+1 < len(in) && in[i+1] == f.Quote {
					field.text += in[i : i+1]
					i += 2
					continue
				}
				i++
				break
			}
			rest := in[i:]
			switch {
			case rest == "" || rest[0] == '\n' || rest[0] == f.Delimiter || len(rest) > 1 && rest[:2] == "\r\n":
			default:
				u.errAt = i
				for i < len(in) && in[i] != '\n' {
					i++
				}
				u.raw = in[:min(i+1, len(in))]
				return u, 0, true
			}
		} else {
			for i < len(in) && in[i] != f.Delimiter && in[i] != '\n' && !(in[i] == '\r' && i+1 < len(in) && in[i+1] == '\n') {
				field.text += in[i : i+1]
				i++
			}
		}
		u.fields = append(u.fields, field)
		if i < len(in) && in[i] == f.Delimiter {
			i++
			continue
		}
		if i < len(in) && in[i] == '\r' {
			i++
		}
		if i < len(in) {
			i++
		}
		u.raw = in[:i]
		return u, 0, true
	}
}

// refUnits cuts the input, after its byte order mark, into records, blank
// lines and bad lines.
func refUnits(f Format, in string, limit int) []refUnit {
	var units []refUnit
	at, line := 0, 1
	if len(in) >= 3 && in[:3] == bom {
		at = 3
	}
	for at < len(in) {
		rest := in[at:]
		first := len(rest)
		if n := bytes.IndexByte([]byte(rest), '\n'); n >= 0 {
			first = n + 1
		}
		u, open, ends := refRecord(f, rest)
		carry := -1
		if _, o, e := refRecord(f, rest[:first]); !e {
			carry = o
		}
		size := len(u.raw)
		if !ends {
			size = len(rest)
		}
		switch {
		case size > limit && carry >= 0 && first <= limit && first < len(rest):
			u = refUnit{raw: rest[:first], bad: oversize(carry+1, limit).reason()}
		case size > limit:
			u = refUnit{raw: rest[:first], bad: oversize(0, limit).reason()}
		case !ends:
			u = refUnit{raw: rest[:first], bad: unclosed(carry+1, open >= first).reason()}
		case u.raw == "\n" || u.raw == "\r\n":
			u = refUnit{raw: u.raw, blank: true}
		}
		u.offset, u.line = at, line
		units = append(units, u)
		at += len(u.raw)
		line += bytes.Count([]byte(u.raw), newline)
	}
	return units
}

// checkRecord compares one record of a Parser with the reference.
func checkRecord(t *testing.T, want refUnit, got Record) {
	t.Helper()
	require.Equal(t, want.raw, string(got.Raw))
	require.Equal(t, int64(want.offset), got.Offset)
	require.Equal(t, int64(want.line), got.Line)
	require.Len(t, got.Fields, len(want.fields))
	for i, w := range want.fields {
		g := got.Fields[i]
		require.Equal(t, w, refField{text: string(g.Text), quoted: g.Quoted, offset: g.Offset})
		line, column := got.FieldPosition(i)
		wantLine, wantColumn := refPosition(want, w.offset)
		require.Equal(t, wantLine, line)
		require.Equal(t, wantColumn, column)
	}
	if want.errAt < 0 {
		require.NoError(t, got.Err)
		return
	}
	line, column := refPosition(want, want.errAt)
	require.Equal(t, &SyntaxError{Line: line, Column: column, Msg: afterQuote(want.raw[want.errAt])}, got.Err)
}

func refPosition(u refUnit, at int) (line int64, column int) {
	line, column = int64(u.line), 1
	for i := range at {
		column++
		if u.raw[i] == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}

// checkSplit reads in through a Splitter and a Parser and compares all that
// comes out with the reference. It returns where the chunks began.
func checkSplit(t *testing.T, f Format, in string, r io.Reader, o Options) (cuts []int64) {
	t.Helper()
	units := refUnits(f, in, o.MaxRecord)
	var whole []byte
	var piece Bad
	o.Bad = func(b Bad) error {
		require.NotEmpty(t, units, "bad line that is none: %q", b.Piece)
		want := units[0]
		require.Equal(t, want.bad, b.Reason)
		require.Equal(t, int64(want.offset), b.Offset)
		require.Equal(t, int64(want.line), b.Line)
		if b.First {
			piece = Bad{}
		} else {
			require.False(t, piece.Last)
		}
		piece.Piece = append(piece.Piece, b.Piece...)
		piece.Last = b.Last
		whole = append(whole, b.Piece...)
		if b.Last {
			require.Equal(t, want.raw, string(piece.Piece))
			units = units[1:]
		}
		return nil
	}
	s, p := NewSplitter(r, f, o), NewParser(f)
	var buf []byte
	for {
		c, err := s.Next(buf)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.NotEmpty(t, c.Data)
		require.LessOrEqual(t, cap(s.in.buf), s.in.limit)
		whole = append(whole, c.Data...)
		cuts = append(cuts, c.Offset)
		if len(c.Data) > o.ChunkSize {
			require.Equal(t, 1, len(refUnits(f, "\n"+string(c.Data), o.MaxRecord))-1, "long chunk of several records")
		}
		records := 0
		skip := func() {
			for len(units) > 0 && units[0].blank && int64(units[0].offset) < c.Offset+int64(len(c.Data)) {
				units = units[1:]
			}
		}
		for p.Reset(c); p.Next(); records++ {
			skip()
			require.NotEmpty(t, units)
			checkRecord(t, units[0], p.Record())
			units = units[1:]
		}
		skip()
		require.Equal(t, c.Records, records)
		buf = c.Data
	}
	require.Empty(t, units)
	if len(in) >= 3 && in[:3] == bom {
		in = in[3:]
	}
	require.Equal(t, in, string(whole))
	_, err := s.Next(nil)
	require.ErrorIs(t, err, io.EOF)
	return cuts
}

// checkWhole parses in, which has no byte order mark, as one chunk.
func checkWhole(t *testing.T, f Format, in string) {
	t.Helper()
	units := refUnits(f, "\n"+in, len(in)+2)[1:]
	p := NewParser(f)
	p.Reset(Chunk{Data: []byte(in), Offset: 1, Line: 2})
	for p.Next() {
		for len(units) > 0 && units[0].blank {
			units = units[1:]
		}
		require.NotEmpty(t, units)
		want, got := units[0], p.Record()
		units = units[1:]
		if want.bad == "" {
			checkRecord(t, want, got)
			continue
		}
		require.Equal(t, want.raw, string(got.Raw))
		require.Equal(t, int64(want.line), got.Line)
		var syntax *SyntaxError
		require.ErrorAs(t, got.Err, &syntax)
		require.Equal(t, int64(want.line), syntax.Line)
		before, _, _ := refRecord(f, want.raw)
		require.Len(t, got.Fields, len(before.fields))
		require.Equal(t, leftOpen(f, got.Raw)+1, syntax.Column)
	}
	for _, u := range units {
		require.True(t, u.blank)
	}
}
