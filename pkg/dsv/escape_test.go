package dsv

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEscapeRules(t *testing.T) {
	cut := ": " + cutEscape
	tests := []struct {
		name string
		in   string
		want []string
		errs []string
	}{
		{name: "nothing escaped", in: "a,\"b\"\r\n,\"\"\n", want: []string{"a|[b]", "∅|[]"}},
		{
			name: "any byte stands for itself",
			in:   `\a\,\"\\\` + "\x00\\\xff\n",
			want: []string{"a,\"\\\x00\xff"},
		},
		{
			name: "the same in quotes",
			in:   `"\a\,\"\\\` + "\x00\\\xff\"\n",
			want: []string{"[a,\"\\\x00\xff]"},
		},
		{name: "no letter has a meaning", in: `\N,\n,C:\new` + "\n", want: []string{"N|n|C:new"}},
		{name: "a field of an escaped quote", in: `\"a",\"` + "\n", want: []string{`"a"|"`}},
		{
			name: "quote after an escaped delimiter",
			in:   `a\,"b",c` + "\n",
			want: []string{`a,"b"|c`},
		},
		{
			name: "quote after a delimiter after an escape",
			in:   `a\\,"b",c` + "\n",
			want: []string{`a\|[b]|c`},
		},
		{name: "escaped at both ends of a field", in: `\a,b\c,\d` + "\n", want: []string{"a|bc|d"}},
		{name: "quote in an unquoted field", in: `a"b",c` + "\n", want: []string{`a"b"|c`}},
		{name: "doubled quotes", in: `"a""b","""",""` + "\n", want: []string{`[a"b]|["]|[]`}},
		{name: "doubled and escaped quotes", in: `"\"""\""` + "\n", want: []string{`["""]`}},
		{
			name: "escape before the closing quote",
			in:   `"a\\","b\\\""` + "\n",
			want: []string{`[a\]|[b\"]`},
		},
		{name: "escaped LF", in: "a\\\nb,c\nd\n", want: []string{"a\nb|c", "d"}},
		{name: "escaped LF in quotes", in: "\"a\\\nb\",c\nd\n", want: []string{"[a\nb]|c", "d"}},
		{name: "quote after an escaped LF", in: "\\\n\"a\"\n", want: []string{"\n\"a\""}},
		{
			name: "escaped escape before LF",
			in:   "a\\\\\nb\\\\\\\nc\n",
			want: []string{`a\`, "b\\\nc"},
		},
		{
			name: "escaped CR before LF ends the record",
			in:   "a\\\r\nb\n",
			want: []string{"a\r", "b"},
		},
		{name: "escaped CR before CRLF", in: "a\\\r\r\nb\n", want: []string{"a\r", "b"}},
		{name: "escape before CRLF is escaped", in: "a\\\\\r\nb\n", want: []string{`a\`, "b"}},
		{name: "escaped CR alone", in: "a\\\rb\r\n", want: []string{"a\rb"}},
		{name: "an escaped LF is no blank line", in: "\\\n\n\n\\\n", want: []string{"\n", "\n"}},
		{name: "an escaped LF is the last byte", in: "a,b\\\n", want: []string{"a|b\n"}},
		{name: "null after an escape", in: "\\a,\n", want: []string{"a|∅"}},
		{
			name: "escape at the end",
			in:   "a,b\nc,\"d\",e\\", want: []string{"a|b", "c|[d]"},
			errs: []string{"line 2, column 8" + cut},
		},
		{
			name: "escape at the end on a later line",
			in:   "a,\\\nb\\\\\\", want: []string{"a"},
			errs: []string{"line 2, column 4" + cut},
		},
		{
			name: "nothing but an escape",
			in:   "\\",
			want: []string{""},
			errs: []string{"line 1, column 1" + cut},
		},
		{
			name: "escape at the end in quotes",
			in:   "a,\"b\\", want: []string{"a"},
			errs: []string{"line 1, column 3: quote is never closed"},
		},
		{
			name: "escape after a closing quote",
			in:   "a,\"b\"\\,c\nd\n", want: []string{"a", "d"},
			errs: []string{
				`line 1, column 6: closing quote is followed by "\\", not by a delimiter or a line end`,
			},
		},
		{
			name: "a record with an error ends with its line",
			in:   "\"a\\\nb\"c\\\nd\ne\n", want: []string{"", "e"},
			errs: []string{
				`line 1, column 1: quote is closed only 1 line below, and followed by "c", not by a delimiter or a line end`,
			},
		},
		{
			name: "never closed costs one line",
			in:   "a\\\nb,\"c\\\n\\\"d\ne\n\\\"\n", want: []string{"a\nb", "e", "\""},
			errs: []string{"line 2, column 3: quote is never closed"},
		},
		{
			name: "closed, and another one never",
			in:   "\\\n,\"a\nx\",\\\n\"y\\\nz\",\"\\\"\n", want: []string{"\n", "x\"|\n\"y\nz\""},
			errs: []string{
				"line 2, column 2: quote leads into a record that never ends",
				"line 5, column 4: quote is never closed",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, errs := parse(escaped, tt.in)
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.errs, errs)
			checkWhole(t, escaped, tt.in)

			swap := strings.NewReplacer(",", "\t", `"`, "'", `\`, "^")
			got, errs = parse(
				Format{Delimiter: '\t', Quote: '\'', Escape: '^'}, swap.Replace(tt.in),
			)
			for i := range tt.want {
				require.Equal(t, swap.Replace(tt.want[i]), got[i])
			}
			require.Len(t, errs, len(tt.errs))
		})
	}
}

func TestEscapeThatIsTheQuoteCountsAsNone(t *testing.T) {
	same := Format{Delimiter: ',', Quote: '"', Escape: '"'}
	in := "\"a\"\"b\",c\"d,\"\"\n\\,\"e\\\"\n"
	want, _ := parse(DefaultFormat, in)
	got, errs := parse(same, in)
	require.Empty(t, errs)
	require.Equal(t, want, got)
	require.Equal(t, `"a""b\"`, string(same.AppendField(nil, []byte(`a"b\`), false)))
	require.True(t, same.NeedsQuotes([]byte(`"`)))
}

func TestTextsWithEscapesStayApart(t *testing.T) {
	data := "a,\\b,\"\\c\",d,\"\"\"\"\n"
	p := NewParser(escaped)
	p.Reset(Chunk{Data: []byte(data)})
	require.True(t, p.Next())
	for _, f := range p.Record().Fields {
		_ = append(f.Text, '#')
	}
	require.Equal(t, "a|b|[c]|d|[\"]", show(p.Record()))
	require.Equal(t, data, string(p.Record().Raw))
}

func TestParserWithEscapeDoesNotAllocate(t *testing.T) {
	c := Chunk{
		Data: []byte(strings.Repeat("a,\\b\\\nc,\"d\\\"e\",,\"f\n\"\"g\"\r\n", 100)),
		Line: 1,
	}
	p := NewParser(escaped)
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

func TestBadLinesWithEscapes(t *testing.T) {
	long := strings.Repeat("b\\\n", 15) + strings.Repeat("\\", 31) + "\nb\n"
	tests := []struct {
		name  string
		in    string
		limit int
		good  []string
		bad   []Bad
	}{
		{
			name: "the quote is on a later line",
			in:   "a\\\nb,\"c\\\nd\ne\n",
			good: []string{"e\n"},
			bad: []Bad{
				{
					Offset: 0,
					Line:   2,
					Column: 3,
					Reason: "quote opened at column 3 is never closed",
					Piece:  []byte("a\\\nb,\"c\\\nd\n"),
				},
			},
		},
		{
			// The first record is inside quotes at all line ends. The second is outside quotes at
			// the escaped one, and ends.
			name: "records that differ at an escaped LF",
			in:   "\"a\nx\\\n\"\"y\nz\n",
			good: []string{"x\\\n\"\"y\nz\n"},
			bad: []Bad{
				{
					Offset: 0,
					Line:   1,
					Column: 1,
					Reason: "quote opened at column 1 is never closed",
					Piece:  []byte("\"a\n"),
				},
			},
		},
		{
			name:  "a long line continues after an escaped LF, in any pieces",
			in:    long + "c\n",
			limit: 10,
			good:  []string{"c\n"},
			bad: []Bad{
				{
					Offset: 0,
					Line:   1,
					Column: 1,
					Reason: "record is longer than 10 bytes",
					Piece:  []byte(long),
				},
			},
		},
		{
			name:  "lines are counted behind it",
			in:    long + "\"c\n",
			limit: 10,
			bad: []Bad{
				{
					Offset: 0,
					Line:   1,
					Column: 1,
					Reason: "record is longer than 10 bytes",
					Piece:  []byte(long),
				},
				{
					Offset: int64(len(long)),
					Line:   18,
					Column: 1,
					Reason: "quote opened at column 1 is never closed",
					Piece:  []byte("\"c\n"),
				},
			},
		},
		{
			name:  "record too long over several lines",
			in:    "\\\n,\"b\nccccccc\nd\"\ne\n",
			limit: 10,
			good:  []string{"ccccccc\n", "d\"\ne\n"},
			bad: []Bad{
				{
					Offset: 0,
					Line:   2,
					Column: 2,
					Reason: "quote opened at column 2 makes the record longer than 10 bytes",
					Piece:  []byte("\\\n,\"b\n"),
				},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.bad {
				tt.bad[i].First, tt.bad[i].Last = true, true
			}
			for chunk := 1; chunk < 20; chunk++ {
				good, bad := drain(
					t,
					strings.NewReader(tt.in),
					escaped,
					Options{ChunkSize: chunk, MaxRecord: tt.limit},
				)
				require.Equal(t, strings.Join(tt.good, ""), strings.Join(good, ""))
				require.Equal(t, tt.bad, bad)
			}
		})
	}
}

func TestHeaderWithEscapes(t *testing.T) {
	s := NewSplitter(strings.NewReader("\\\ni\\,d,name\r\n1,x\n"), escaped, Options{})
	h, err := s.Header()
	require.NoError(t, err)
	require.Equal(t, "\ni,d|name", show(h))
	c, err := s.Next(nil)
	require.NoError(t, err)
	require.Equal(t, Chunk{Data: []byte("1,x\n"), Offset: 13, Line: 3, Records: 1}, c)

	for in, want := range map[string]string{
		"id,\\":         `line 1, column 4: ` + cutEscape,
		"\na\\\n,\"b\n": `line 3, column 2: quote is never closed`,
	} {
		_, err := NewSplitter(strings.NewReader(in), escaped, Options{}).Header()
		require.EqualError(t, err, want)
	}
}

func TestAppendFieldWithEscape(t *testing.T) {
	long := strings.Repeat("x", longText)
	tests := []struct {
		text         string
		quoteIfEmpty bool
		want         string
	}{
		{"", false, ""},
		{"", true, `""`},
		{" a ", true, " a "},
		{"\x00\xff", true, "\x00\xff"},
		{"a,b", false, `"a,b"`},
		{`a"b`, false, `a\"b`},
		{`""`, false, `\"\"`},
		{`\N`, false, `\\N`},
		{`\`, false, `\\`},
		{`a\,"`, false, `"a\\,\""`},
		{"a\rb", false, "\"a\rb\""},
		{"\n", false, "\"\n\""},
		{"\\\r\n", false, "\"\\\\\r\n\""},
		{bom + `\`, false, `"` + bom + `\\"`},
		{long, true, long},
		{long + ",", false, `"` + long + `,"`},
		{long + `"`, false, long + `\"`},
		{`\` + long, false, `\\` + long},
		{`"` + long + "\n", false, `"\"` + long + "\n\""},
	}
	for _, tt := range tests {
		got := escaped.AppendField([]byte("x,"), []byte(tt.text), tt.quoteIfEmpty)
		require.Equal(t, "x,"+tt.want, string(got))
		quotes := tt.text != "" && strings.HasPrefix(tt.want, `"`)
		require.Equal(t, quotes, escaped.NeedsQuotes([]byte(tt.text)), "%q", tt.text)
	}
	require.Equal(t, `"a"`, string(escaped.AppendQuoted(nil, []byte("a"))))
	other := Format{Delimiter: ';', Quote: '\'', Escape: '!'}
	require.Equal(t, `a,b"\!!!'`, string(other.AppendField(nil, []byte(`a,b"\!'`), false)))
	require.Equal(t, `';!!'`, string(other.AppendField(nil, []byte(`;!`), false)))
}
