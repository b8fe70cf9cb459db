package dsv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// show returns the fields of a record as text|text, with null as ∅ and quoted text in brackets.
func show(r Record) string {
	var parts []string
	for _, f := range r.Fields {
		switch {
		case f.Quoted:
			parts = append(parts, "["+string(f.Text)+"]")
		case len(f.Text) == 0:
			parts = append(parts, "∅")
		default:
			parts = append(parts, string(f.Text))
		}
	}
	return strings.Join(parts, "|")
}

func parse(f Format, in string) (shown []string, errs []string) {
	p := NewParser(f)
	for p.Reset(Chunk{Data: []byte(in), Line: 1}); p.Next(); {
		shown = append(shown, show(p.Record()))
		if err := p.Record().Err; err != nil {
			errs = append(errs, err.Error())
		}
	}
	return shown, errs
}

func TestParserRules(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want []string
		errs []string
	}{
		{name: "nothing", in: ""},
		{name: "plain", in: "a,b\nc,d\n", want: []string{"a|b", "c|d"}},
		{name: "no last line end", in: "a,b\nc,d", want: []string{"a|b", "c|d"}},
		{name: "CRLF", in: "a,b\r\n\"c\",\"d\"\r\n", want: []string{"a|b", "[c]|[d]"}},
		{name: "lone CR is data", in: "a\rb\rc,\r\r\n\r", want: []string{"a\rb\rc|\r", "\r"}},
		{name: "null and empty", in: ",\"\",\n", want: []string{"∅|[]|∅"}},
		{name: "null at the very end", in: "\"a\",", want: []string{"[a]|∅"}},
		{name: "null before CRLF", in: "a,\r\n", want: []string{"a|∅"}},
		{name: "blank lines", in: "\n\r\na\n\n\nb\n\r\n", want: []string{"a", "b"}},
		{name: "blanks are kept", in: " a , b\v\n \n", want: []string{" a | b\v", " "}},
		{
			name: "delimiter, CR and LF in quotes",
			in:   "\"a,\nb\r\n\rc\",d\n",
			want: []string{"[a,\nb\r\n\rc]|d"},
		},
		{
			name: "doubled quotes",
			in:   "\"\"\"\",\"a\"\"b\"\"\"\"c\"\n",
			want: []string{"[\"]|[a\"b\"\"c]"},
		},
		{name: "quote in an unquoted field", in: "a\"b\"\",c\"\n", want: []string{"a\"b\"\"|c\""}},
		{name: "blank before a quote", in: " \"a\"\n", want: []string{" \"a\""}},
		{name: "NUL and bad UTF-8", in: "\x00,\xff\"\n", want: []string{"\x00|\xff\""}},
		{name: "closing quote at the very end", in: "a,\"b\"", want: []string{"a|[b]"}},
		{
			name: "byte after a closing quote",
			in:   "a,\"b\" ,c\nd\n", want: []string{"a", "d"},
			errs: []string{
				`line 1, column 6: closing quote is followed by " ", not by a delimiter or a line end`,
			},
		},
		{
			name: "the same on a later line",
			in:   "\"a\nb\"\xffc,\"d\ne\n", want: []string{"", "e"},
			errs: []string{
				`line 1, column 1: quote is closed only 1 line below, and followed by "\xff", not by a delimiter or a line end`,
			},
		},
		{
			name: "lone CR after a closing quote",
			in:   "\"a\"\rb\n\"c\"\r", want: []string{"", ""},
			errs: []string{
				`line 1, column 4: closing quote is followed by "\r", not by a delimiter or a line end`,
				`line 2, column 4: closing quote is followed by "\r", not by a delimiter or a line end`,
			},
		},
		{
			name: "never closed",
			in:   "a,b,\"c\nd,e\n\"\"\n", want: []string{"a|b", "d|e", "[]"},
			errs: []string{"line 1, column 5: quote is never closed"},
		},
		{
			name: "closed, and another one never",
			in:   "z,\"a\nx\",\"y\nx\n", want: []string{"z", "x\"", "x"},
			errs: []string{
				"line 1, column 3: quote leads into a record that never ends",
				"line 2, column 4: quote is never closed",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, errs := parse(DefaultFormat, tt.in)
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.errs, errs)

			swap := strings.NewReplacer(",", "\t", "\"", "'")
			got, errs = parse(Format{Delimiter: '\t', Quote: '\''}, swap.Replace(tt.in))
			for i := range tt.want {
				require.Equal(t, swap.Replace(tt.want[i]), got[i])
			}
			require.Len(t, errs, len(tt.errs))
			checkWhole(t, DefaultFormat, tt.in)
		})
	}
}

func TestParserPlaces(t *testing.T) {
	p := NewParser(DefaultFormat)
	p.Reset(Chunk{Data: []byte("\r\n\"a\nb\",c,\"\n\nd\",e\r\nlast"), Offset: 100, Line: 7})

	require.True(t, p.Next())
	r := p.Record()
	require.Equal(t, "\"a\nb\",c,\"\n\nd\",e\r\n", string(r.Raw))
	require.Equal(t, int64(102), r.Offset)
	require.Equal(t, int64(8), r.Line)
	want := []struct {
		line   int64
		column int
	}{{8, 1}, {9, 4}, {9, 6}, {11, 4}, {11, 5}}
	for i, w := range want {
		line, column := r.FieldPosition(i)
		require.Equal(t, w.line, line, "field %d", i)
		require.Equal(t, w.column, column, "field %d", i)
	}

	require.True(t, p.Next())
	r = p.Record()
	require.Equal(t, int64(12), r.Line)
	line, column := r.FieldPosition(1)
	require.Equal(t, int64(12), line)
	require.Equal(t, 5, column)

	require.False(t, p.Next())
	require.Empty(t, p.Record())
	require.False(t, p.Next())
}

func TestTextsOfARecordStayApart(t *testing.T) {
	var in, want strings.Builder
	for i := range 200 {
		fmt.Fprintf(&in, "\"%d\"\"%s\",", i, strings.Repeat("x", i))
		fmt.Fprintf(&want, "[%d\"%s]|", i, strings.Repeat("x", i))
	}
	got, errs := parse(DefaultFormat, in.String())
	require.Empty(t, errs)
	require.Equal(t, []string{want.String() + "∅"}, got)
}

func TestAppendingToATextLeavesItsNeighboursAlone(t *testing.T) {
	data := []byte("a,\"b\"\"\",\"c\"\n")
	p := NewParser(DefaultFormat)
	p.Reset(Chunk{Data: data})
	require.True(t, p.Next())
	for _, f := range p.Record().Fields {
		_ = append(f.Text, '#')
	}
	_ = append(p.Record().Raw, '#')
	require.Equal(t, "a|[b\"]|[c]", show(p.Record()))
	require.Equal(t, "a,\"b\"\"\",\"c\"\n", string(data))
}

func TestTooManyFields(t *testing.T) {
	in := strings.Repeat(",", MaxFields-1) + "\n" + strings.Repeat(
		",", MaxFields+5,
	) + "\"a\nb\"\nc\n"
	p := NewParser(DefaultFormat)
	p.Reset(Chunk{Data: []byte(in), Line: 1})
	require.True(t, p.Next())
	require.NoError(t, p.Record().Err)
	require.Len(t, p.Record().Fields, MaxFields)
	require.True(t, p.Next())
	require.Equal(
		t,
		&SyntaxError{Line: 2, Column: MaxFields + 1, Msg: "record has more than 65536 fields"},
		p.Record().Err,
	)
	require.Len(t, p.Record().Fields, MaxFields)
	require.True(t, p.Next())
	require.Equal(t, "c", show(p.Record()))
	require.Equal(t, int64(4), p.Record().Line)
}

func TestParserDoesNotAllocate(t *testing.T) {
	c := Chunk{Data: []byte(strings.Repeat("a,\"b\",\"c\"\"d\",,\"e\nf\"\r\n", 100)), Line: 1}
	p := NewParser(DefaultFormat)
	run := func() {
		for p.Reset(c); p.Next(); {
			if p.Record().Err != nil {
				panic(p.Record().Err)
			}
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(10, run))
}
