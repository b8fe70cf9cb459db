package dsv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// checkCSV compares with encoding/csv on input without CR, up to its first error. That package
// turns CRLF in quotes into LF and drops a CR at the very end. It refuses a quote in an unquoted
// field, and cannot continue after a broken record.
func checkCSV(t *testing.T, in string) {
	t.Helper()
	in = strings.ReplaceAll(in, "\r", "")
	r := csv.NewReader(strings.NewReader(in))
	r.FieldsPerRecord = -1
	p := NewParser(DefaultFormat)
	p.Reset(Chunk{Data: []byte(in), Line: 1})
	for {
		want, err := r.Read()
		if errors.Is(err, io.EOF) {
			require.False(t, p.Next())
			return
		}
		if err != nil {
			require.True(t, p.Next())
			var syntax *csv.ParseError
			require.ErrorAs(t, err, &syntax)
			if syntax.Err == csv.ErrQuote {
				require.Error(t, p.Record().Err)
			}
			return
		}
		require.True(t, p.Next())
		got := p.Record()
		require.NoError(t, got.Err)
		require.Len(t, got.Fields, len(want))
		for i, text := range want {
			require.Equal(t, text, string(got.Fields[i].Text))
		}
		line, _ := r.FieldPos(0)
		require.Equal(t, int64(line), got.Line)
	}
}

func TestAgreesWithEncodingCSV(t *testing.T) {
	for _, in := range samples {
		checkCSV(t, in)
	}
}

func FuzzParse(f *testing.F) {
	for _, in := range samples {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		keep := bytes.Clone(in)
		checkWhole(t, DefaultFormat, string(in))
		checkWhole(t, Format{Delimiter: 'x', Quote: 'y'}, string(in))
		checkWhole(t, escaped, string(in))
		checkWhole(t, Format{Delimiter: 'x', Quote: 'y', Escape: 'z'}, string(in))
		checkWhole(t, Format{Delimiter: ',', Quote: '"', Escape: '"'}, string(in))
		for _, f := range variants {
			checkWhole(t, f, string(in))
		}
		checkCSV(t, string(in))
		for _, f := range []Format{DefaultFormat, escaped} {
			p := NewParser(f)
			for p.Reset(Chunk{Data: in, Line: 1}); p.Next(); {
				p.Record().FieldPosition(len(p.Record().Fields))
			}
		}
		require.Equal(t, keep, in, "the input is left as it was")
	})
}

func FuzzSplitterAgrees(f *testing.F) {
	for i, in := range samples {
		f.Add([]byte(in), uint8(i), uint8(7*i))
	}
	f.Fuzz(func(t *testing.T, in []byte, chunk, limit uint8) {
		o := Options{ChunkSize: int(chunk) + 1, MaxRecord: int(limit) + 2}
		for _, f := range append(variants, DefaultFormat, escaped) {
			cuts := checkSplit(t, f, string(in), bytes.NewReader(in), o)
			slowly := checkSplit(t, f, string(in), iotest.OneByteReader(bytes.NewReader(in)), o)
			require.Equal(t, cuts, slowly)
			checkSkipLines(t, f, string(in), o)
		}
	})
}

// checkSkipLines compares the cuts behind a first line with those of the rest alone.
func checkSkipLines(t *testing.T, f Format, in string, o Options) {
	t.Helper()
	const first = "\"\\\n"
	if strings.HasPrefix(in, bom) {
		return // it is data behind a line
	}
	want := cutsOf(t, f, []byte(in), o)
	for i := range want {
		want[i].offset += int64(len(first))
		want[i].line++
	}
	o.SkipLines = 1
	require.Equal(t, want, cutsOf(t, f, []byte(first+in), o))
}

// FuzzWriteRead splits texts into fields at each 0xff; a field 0xfe is null.
func FuzzWriteRead(f *testing.F) {
	f.Add([]byte("a\xffb,c\xff\xff\xfe\xffd\"\"e\xff\r\n"), byte(','), byte('"'), byte(0), false)
	f.Add([]byte(bom+"\xff"+bom+"x"), byte('\t'), byte('\''), byte('\''), true)
	f.Add([]byte(""), byte(','), byte('"'), byte('\\'), true)
	f.Add([]byte("\r\xff\n\xff\r"), byte(';'), byte('"'), byte(0), false)
	f.Add(
		[]byte("a\\\xff\"\xff\\N\xff\xfe\xff\\,\"\\\xff\\\n\xff"+bom+"\\"),
		byte(','),
		byte('"'),
		byte('\\'),
		true,
	)
	f.Fuzz(func(t *testing.T, texts []byte, delim, quote, escape byte, crlf bool) {
		format := Format{Delimiter: delim, Quote: quote, Escape: escape}
		if format.Validate() != nil {
			return
		}
		fields := bytes.Split(texts, []byte{0xff})
		if len(fields) == 1 && string(fields[0]) == "\xfe" {
			return
		}
		end := "\n"
		if crlf {
			end = "\r\n"
		}
		var out []byte
		for i, text := range fields {
			if i > 0 {
				out = append(out, delim)
			}
			if string(text) == "\xfe" {
				out = format.AppendField(out, nil, false)
			} else {
				out = format.AppendField(out, text, true)
			}
		}
		out = append(out, end...)
		out = append(out, out...)

		s, p := NewSplitter(bytes.NewReader(out), format, Options{}), NewParser(format)
		c, err := s.Next(nil)
		require.NoError(t, err)
		require.Equal(t, 2, c.Records)
		for p.Reset(c); p.Next(); {
			got := p.Record()
			require.NoError(t, got.Err)
			require.Len(t, got.Fields, len(fields))
			for i, want := range fields {
				if string(want) == "\xfe" {
					require.Empty(t, got.Fields[i].Text)
					require.False(t, got.Fields[i].Quoted)
					continue
				}
				require.Equal(t, string(want), string(got.Fields[i].Text))
				require.Equal(t, len(want) == 0 || format.NeedsQuotes(want), got.Fields[i].Quoted)
			}
		}
		_, err = s.Next(nil)
		require.Equal(t, io.EOF, err)
	})
}
