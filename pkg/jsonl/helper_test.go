package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// refUnit is a line in the reference, which splits the whole input at its line ends, without regard
// to speed.
type refUnit struct {
	raw    string
	offset int
	line   int
	blank  bool
}

func refUnits(in string) []refUnit {
	at := 0
	if strings.HasPrefix(in, bom) {
		at = len(bom)
	}
	var units []refUnit
	for _, raw := range strings.SplitAfter(in[at:], "\n") {
		if raw == "" {
			continue
		}
		blank := strings.Trim(raw, " \t\r\n") == ""
		units = append(units, refUnit{raw, at, len(units) + 1, blank})
		at += len(raw)
	}
	return units
}

// checkSplit reads in with a Splitter and a Parser and compares the results with the reference. It
// returns the starts of the chunks.
func checkSplit(t *testing.T, in string, r io.Reader, o Options) (cuts []int64) {
	t.Helper()
	units := refUnits(in)
	var whole, piece []byte
	first := true
	o.Bad = func(b Bad) error {
		require.NotEmpty(t, units, "bad line that is none: %q", b.Piece)
		want := units[0]
		require.Greater(t, len(want.raw), o.MaxRecord)
		require.Equal(t, int64(want.offset), b.Offset)
		require.Equal(t, int64(want.line), b.Line)
		require.Equal(t, 1, b.Column)
		require.Equal(t, first, b.First)
		piece, first = append(piece, b.Piece...), b.Last
		whole = append(whole, b.Piece...)
		if b.Last {
			require.Equal(t, want.raw, string(piece))
			piece, units = nil, units[1:]
		}
		return nil
	}
	s, p := NewSplitter(r, o), NewParser()
	var buf []byte
	for {
		c, err := s.Next(buf)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.NotEmpty(t, c.Data)
		require.Equal(t, int64(units[0].offset), c.Offset)
		require.Equal(t, int64(units[0].line), c.Line)
		cuts = append(cuts, c.Offset)
		whole = append(whole, c.Data...)
		p.Reset(c)
		records, size := 0, 0
		for lines := 0; size < len(c.Data); lines++ {
			want := units[0]
			units = units[1:]
			require.LessOrEqual(t, len(want.raw), o.MaxRecord)
			if size += len(want.raw); size > o.ChunkSize {
				require.Zero(t, lines, "a long chunk has one line")
			}
			if want.blank {
				continue
			}
			records++
			require.True(t, p.Next())
			got := p.Record()
			require.Equal(t, want.raw, string(got.Raw))
			require.Equal(t, int64(want.offset), got.Offset)
			require.Equal(t, int64(want.line), got.Line)
			checkRecord(t, got)
		}
		require.Equal(t, len(c.Data), size)
		require.False(t, p.Next())
		require.Equal(t, records, c.Records)
		if len(units) > 0 && len(units[0].raw) <= o.MaxRecord && size < o.ChunkSize {
			require.Greater(t, size+len(units[0].raw), o.ChunkSize, "the next line had room")
		}
		buf = c.Data
	}
	require.Empty(t, units)
	require.True(t, first)
	require.Equal(t, strings.TrimPrefix(in, bom), string(whole))
	_, err := s.Next(nil)
	require.Equal(t, io.EOF, err)
	return cuts
}

// checkRecord compares a record with encoding/json.
func checkRecord(t *testing.T, r Record) {
	t.Helper()
	want, err := refMembers(t, r.Raw)
	if r.Err != nil {
		require.Error(t, err, "%v", r.Err)
		var syntax *SyntaxError
		require.True(t, errors.As(r.Err, &syntax))
		require.Equal(t, r.Line, syntax.Line)
		require.GreaterOrEqual(t, syntax.Column, 1)
		require.LessOrEqual(t, syntax.Column, len(r.Raw)+1)
		return
	}
	require.NoError(t, err)
	require.Len(t, r.Fields, len(want))
	for i, f := range r.Fields {
		require.Equal(t, want[i].name, string(f.Name))
		require.Equal(t, want[i].value, string(f.Value))
		require.Equal(t, want[i].offset, f.Offset)
		require.Equal(t, want[i].value, string(r.Raw[f.Offset:f.Offset+len(f.Value)]))
		line, column := r.FieldPosition(i)
		require.Equal(t, r.Line, line)
		require.Equal(t, f.Offset+1, column)
	}
}

type refMember struct {
	name, value string
	offset      int
}

var errRecord = errors.New("not a record")

// refMembers reads a line with encoding/json and returns the members of its object. Like the
// parser, it refuses a name that occurs twice or contains a lone surrogate.
func refMembers(t *testing.T, line []byte) ([]refMember, error) {
	if !json.Valid(line) || bytes.TrimLeft(line, " \t\r\n")[0] != '{' {
		return nil, errRecord
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var members []refMember
	seen := make(map[string]bool)
	for dec.More() {
		before := dec.InputOffset()
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		source := bytes.TrimLeft(line[before:dec.InputOffset()], ", \t\r\n")
		name, ok := refText(string(source[1 : len(source)-1]))
		if !ok || seen[name] {
			return nil, errRecord
		}
		seen[name] = true
		require.Equal(t, tok, string([]rune(name)))
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		members = append(
			members, refMember{name, string(value), int(dec.InputOffset()) - len(value)},
		)
	}
	return members, nil
}

// refText resolves the escapes of a valid JSON string, one character at a time. ok is false if one
// is a lone surrogate.
func refText(body string) (text string, ok bool) {
	unit := func(at int) rune {
		if at+6 > len(body) || body[at:at+2] != `\u` {
			return 0
		}
		u, _ := strconv.ParseUint(body[at+2:at+6], 16, 16)
		return rune(u)
	}
	for at := 0; at < len(body); at++ {
		if body[at] != '\\' {
			text += body[at : at+1]
			continue
		}
		if at++; body[at] != 'u' {
			text += map[byte]string{'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", '"': `"`, '\\': `\`, '/': "/"}[body[at]]
			continue
		}
		r := unit(at - 1)
		at += 4
		if utf16.IsSurrogate(r) {
			if r = utf16.DecodeRune(r, unit(at+1)); r == utf8.RuneError {
				return "", false
			}
			at += 6
		}
		text += string(r)
	}
	return text, true
}
