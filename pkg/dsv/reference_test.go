package dsv

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The reference reads the whole input byte by byte, without regard to speed. The tests compare
// Splitter and Parser with it.

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
	bad    *fault // nil: the line is not bad
	fields []refField
	errAt  int    // index in raw of the wrong byte, or -1
	errMsg string // the fault
}

// fail turns in, up to its first line end, into a record with an error at index at.
func (u refUnit) fail(f Format, in string, at int, msg string) refUnit {
	u.raw, u.errAt, u.errMsg = in[:at+refLine(f, in[at:])], at, msg
	return u
}

// refEscape reports whether there is an escape at in[i].
func refEscape(f Format, in string, i int) bool {
	return f.Escape != 0 && f.Escape != f.Quote && in[i] == f.Escape
}

// refOuter reports whether there is one that has a meaning outside quotes.
func refOuter(f Format, in string, i int) bool { return !f.EscapeInQuotes && refEscape(f, in, i) }

// refBlank reports whether b is trimmed.
func refBlank(f Format, b byte) bool {
	return f.Trim && (b == ' ' || b == '\t') && b != f.Delimiter && b != f.Quote && b != f.Escape &&
		!strings.Contains(f.Rest, string(rune(b)))
}

// refDelimiter reports whether a delimiter is at the start of in.
func refDelimiter(f Format, in string) bool {
	return strings.HasPrefix(in, string([]byte{f.Delimiter})+f.Rest)
}

// refUnescaped returns what a byte behind an escape stands for.
func refUnescaped(f Format, b byte) string {
	if i := strings.IndexByte("nrt", b); i >= 0 && f.NewlineEscapes {
		return "\n\r\t"[i : i+1]
	}
	return string([]byte{b})
}

// refEmpty reports whether a line is blank.
func refEmpty(f Format, line string) bool {
	for line != "" && refBlank(f, line[0]) {
		line = line[1:]
	}
	return line == "" || line == "\n" || line == "\r\n"
}

// refLine returns the length of the line at the start of in, including its line end.
func refLine(f Format, in string) int {
	for i := 0; i < len(in); i++ {
		switch {
		case refOuter(f, in, i):
			i++
		case in[i] == '\n':
			return i + 1
		}
	}
	return len(in)
}

// refRecord reads the record at the start of in. If the input ends inside quotes, ends is false and
// open is the index of the opening quote.
func refRecord(f Format, in string) (u refUnit, open int, ends bool) {
	u.errAt = -1
	i := 0
	for {
		for i < len(in) && refBlank(f, in[i]) {
			i++
		}
		field := refField{offset: i}
		keep := 0 // bytes of the text that no blank is trimmed from
		if i < len(in) && in[i] == f.Quote {
			field.quoted = true
			open = i
			i++
			for {
				if i == len(in) {
					return u, open, false
				}
				if refEscape(f, in, i) {
					if i++; i < len(in) {
						if f.EscapeInQuotes && in[i] != f.Quote && in[i] != f.Escape &&
							refUnescaped(f, in[i]) == in[i:i+1] {
							field.text += string(rune(f.Escape))
						}
						field.text += refUnescaped(f, in[i])
						i++
					}
					continue
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
			for i < len(in) && refBlank(f, in[i]) {
				i++
			}
			rest := in[i:]
			switch {
			case rest == "" || rest[0] == '\n' || refDelimiter(f, rest) || len(rest) > 1 && rest[:2] == "\r\n":
			default:
				if lines := strings.Count(in[open:i], "\n"); lines > 0 {
					u = u.fail(f, in, i, afterLaterQuote(in[i], lines))
					u.errAt = open
					return u, 0, true
				}
				return u.fail(f, in, i, afterQuote(in[i])), 0, true
			}
		} else {
			for i < len(in) && !refDelimiter(f, in[i:]) && in[i] != '\n' &&
				!strings.HasPrefix(in[i:], "\r\n") {
				if refOuter(f, in, i) {
					if i++; i == len(in) {
						return u.fail(f, in, i-1, cutEscape), 0, true
					}
					keep = len(field.text) + 1
					field.text += refUnescaped(f, in[i])
					i++
					continue
				}
				field.text += in[i : i+1]
				i++
			}
			for n := len(field.text); n > keep && refBlank(f, field.text[n-1]); n-- {
				field.text = field.text[:n-1]
			}
		}
		u.fields = append(u.fields, field)
		if refDelimiter(f, in[i:]) {
			i += 1 + len(f.Rest)
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

// refUnits splits the input, after its byte order mark, into records, blank lines and bad lines.
func refUnits(f Format, in string, limit int) []refUnit {
	var units []refUnit
	at, line := 0, 1
	if len(in) >= 3 && in[:3] == bom {
		at = 3
	}
	for at < len(in) {
		rest := in[at:]
		first := refLine(f, rest)
		u, open, ends := refRecord(f, rest)
		carry := -1
		if _, o, e := refRecord(f, rest[:first]); !e {
			carry = o
		}
		size := len(u.raw)
		if !ends {
			size = len(rest)
		}
		u.line = line
		bad := refUnit{raw: rest[:first], line: line, bad: &fault{line: int64(line), column: 1}}
		if carry >= 0 {
			bad.bad.line, bad.bad.column = refPosition(bad, carry)
		}
		switch {
		case size > limit && carry >= 0 && first <= limit && first < len(rest):
			bad.bad.quote, bad.bad.text = true, fmt.Sprintf(
				"makes the record longer than %d bytes", limit,
			)
			u = bad
		case size > limit:
			bad.bad.line, bad.bad.column = int64(line), 1
			bad.bad.text = fmt.Sprintf("record is longer than %d bytes", limit)
			u = bad
		case !ends && open >= first:
			bad.bad.quote, bad.bad.text = true, "leads into a record that never ends"
			u = bad
		case !ends:
			bad.bad.quote, bad.bad.text = true, "is never closed"
			u = bad
		case refEmpty(f, u.raw):
			u = refUnit{raw: u.raw, line: line, blank: true}
		}
		u.offset = at
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
	require.Equal(t, &SyntaxError{Line: line, Column: column, Msg: want.errMsg}, got.Err)
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

// checkSplit reads in with a Splitter and a Parser and compares the results with the reference. It
// returns the starts of the chunks.
func checkSplit(t *testing.T, f Format, in string, r io.Reader, o Options) (cuts []int64) {
	t.Helper()
	units := refUnits(f, in, o.MaxRecord)
	var whole []byte
	var piece Bad
	o.Bad = func(b Bad) error {
		require.NotEmpty(t, units, "bad line that is none: %q", b.Piece)
		want := units[0]
		require.NotNil(t, want.bad, "bad line that is none: %q", b.Piece)
		require.Equal(t, want.bad.reason(), b.Reason)
		require.Equal(t, int64(want.offset), b.Offset)
		require.Equal(t, want.bad.line, b.Line)
		require.Equal(t, want.bad.column, b.Column)
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
			require.Equal(
				t,
				1,
				len(refUnits(f, "\n"+string(c.Data), o.MaxRecord))-1,
				"long chunk of several records",
			)
		}
		records := 0
		skip := func() {
			end := c.Offset + int64(len(c.Data))
			for len(units) > 0 && units[0].blank && int64(units[0].offset) < end {
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
		if want.bad == nil {
			checkRecord(t, want, got)
			continue
		}
		require.Equal(t, want.raw, string(got.Raw))
		require.Equal(t, int64(want.line), got.Line)
		var syntax *SyntaxError
		require.ErrorAs(t, got.Err, &syntax)
		require.Equal(t, want.bad.err(), syntax)
		before, _, _ := refRecord(f, want.raw)
		require.Len(t, got.Fields, len(before.fields))
	}
	for _, u := range units {
		require.True(t, u.blank)
	}
}
