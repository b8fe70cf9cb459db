package jsonl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// show returns the members of a record as name=value|name=value.
func show(r Record) string {
	var parts []string
	for _, f := range r.Fields {
		parts = append(parts, string(f.Name)+"="+string(f.Value))
	}
	return strings.Join(parts, "|")
}

func TestParserRules(t *testing.T) {
	for _, c := range []struct{ name, in, want, err string }{
		{"empty object", "{}", "", ""},
		{"blanks", " { \"a\" : 1 ,\t\"b\" : [ 1 , 2 ] } \r", "a=1|b=[ 1 , 2 ]", ""},
		{"values as they stand", `{"a":"\u0041","b":-1.50E+3,"c":null,"d":{"x":{}},"e":true}`, `a="\u0041"|b=-1.50E+3|c=null|d={"x":{}}|e=true`, ""},
		{"escapes in names", `{"\u0061\/":1,"\"":2,"\ud83d\ude00":3,"":4}`, "a/=1|\"=2|\U0001F600=3|=4", ""},
		{"names that differ in case", `{"a":1,"A":2}`, "a=1|A=2", ""},
		{"a lone surrogate in a value", `{"a":"\ud83d"}`, `a="\ud83d"`, ""},
		{"inner members are not compared", `{"a":{"b":1,"b":2}}`, `a={"b":1,"b":2}`, ""},

		{"array", `[1]`, "", "line 7, column 1: expected an object, found an array"},
		{"word", ` hello`, "", `line 7, column 2: expected an object, found "hello"`},
		{"null", `null`, "", "line 7, column 1: expected an object, found null"},
		{"byte order mark", bom + `{}`, "", `line 7, column 1: expected an object, found "\ufeff"`},
		{"open", `{"a":1`, "a=1", "line 7, column 7: expected ',' or '}', found the end"},
		{"only the brace", `{`, "", "line 7, column 2: expected the name of a member in double quotes, found the end"},
		{"comma at the end", `{"a":1,}`, "a=1", `line 7, column 8: expected the name of a member in double quotes, found "}"`},
		{"bare name", `{a:1}`, "", `line 7, column 2: expected the name of a member in double quotes, found "a"`},
		{"no colon", `{"a" 1}`, "", "line 7, column 6: expected ':', found a number"},
		{"no value", `{"a":1,"b":}`, "a=1", `line 7, column 12: expected a value, found "}"`},
		{"bad value further in", `{"a":1,"b":[{"c":tru}]}`, "a=1", `line 7, column 18: expected a value, found "tru"`},
		{"open string", `{"a":"x}`, "", "line 7, column 6: string is not closed"},
		{"after the object", `{"a":1}, {"a":2}`, "a=1", `line 7, column 8: expected the end of the line after the object, found ","`},
		{"two objects", `{"a":1} {"a":2}`, "a=1", `line 7, column 9: expected the end of the line after the object, found an object`},
		{"member twice", `{"a":1,"b":2,"a":3}`, "a=1|b=2", `line 7, column 14: member "a" occurs twice`},
		{"member twice by escape", `{"ab":1, "\u0061b":2}`, "ab=1", `line 7, column 10: member "ab" occurs twice`},
		{"lone surrogate in a name", `{"ab\ud83d":1}`, "", `line 7, column 5: \ud83d is half of a surrogate pair without the other`},
		{"deep", `{"a":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + "}", "a=" + strings.Repeat("[", 9999) + strings.Repeat("]", 9999), ""},
		{"too deep", `{"a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + "}", "", "line 7, column 10005: more than 10000 nested arrays and objects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := NewParser()
			for _, end := range []string{"", "\n"} {
				p.Reset(Chunk{Data: []byte("\n" + c.in + end + "\n"), Offset: 100, Line: 6})
				require.True(t, p.Next())
				r := p.Record()
				require.Equal(t, c.want, show(r))
				require.Equal(t, c.in+"\n", string(r.Raw))
				require.Equal(t, int64(101), r.Offset)
				require.Equal(t, int64(7), r.Line)
				if c.err == "" {
					require.NoError(t, r.Err)
				} else {
					require.EqualError(t, r.Err, c.err)
				}
				checkRecord(t, r)
				require.False(t, p.Next())
				require.Empty(t, p.Record())
				require.False(t, p.Next())
			}
		})
	}
}

func TestFieldPosition(t *testing.T) {
	for end, column := range map[string]int{"": 17, "\n": 17, "\r\n": 17, " \r\n": 18} {
		p := NewParser()
		p.Reset(Chunk{Data: []byte(`{"a": 1, "b":[]}` + end), Line: 3})
		require.True(t, p.Next())
		for i, want := range []int{7, 14, column, column} {
			line, got := p.Record().FieldPosition(i)
			require.Equal(t, int64(3), line)
			require.Equal(t, want, got, "field %d, end %q", i, end)
		}
	}
	line, column := Record{Line: 5}.FieldPosition(0)
	require.Equal(t, int64(5), line)
	require.Equal(t, 1, column)
}

// TestNamesOfSeveralRecords checks records that share names with the previous record in every way.
func TestNamesOfSeveralRecords(t *testing.T) {
	for _, c := range []struct{ in, errs string }{
		{`{"a":1,"b":2,"c":3}` + "\n" + `{"a":1,"b":2,"c":3}`, ""},
		{`{"a":1,"b":2,"c":3}` + "\n" + `{"a":1,"c":3}` + "\n" + `{"b":1}` + "\n" + `{}` + "\n" + `{"a":1,"b":2,"c":3,"d":4}`, ""},
		{`{"a":1,"b":2}` + "\n" + `{"b":1,"a":2}` + "\n" + `{"a":1,"b":2}`, ""},
		{`{"a":1,"b":2}` + "\n" + `{"a":1,"a":2}` + "\n" + `{"a":1,"b":2}`, "2"},
		{`{"a":1,"b":2}` + "\n" + `{"b":1,"a":2,"b":3}` + "\n" + `{"c":1,"c":2}`, "23"},
		{`{"a":1,"b":2}` + "\n" + `{"a":1,"b":2,"c":3,"a":4}`, "2"},
		{`{"a":1,"a":2}` + "\n" + `{"a":1,"a":2}` + "\n" + `{"a":1}`, "12"},
		{`{"ab":1,"c":2}` + "\n" + `{"a":1,"bc":2}` + "\n" + `{"abc":1,"":2}`, ""},
		{`{"a":1,"\u0062":2}` + "\n" + `{"\u0061":1,"b":2,"\u0062":3}`, "2"},
	} {
		p := NewParser()
		p.Reset(Chunk{Data: []byte(c.in), Line: 1})
		errs := ""
		for p.Next() {
			checkRecord(t, p.Record())
			if p.Record().Err != nil {
				errs += fmt.Sprint(p.Record().Line)
			}
		}
		require.Equal(t, c.errs, errs, c.in)
	}
}

// object returns an object of n members whose names start with the given letter, followed by the
// members in rest.
func object(letter string, n int, rest string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%s%d":0`, letter, i)
	}
	return "{" + b.String()[1:] + rest + "}\n"
}

func TestManyMembers(t *testing.T) {
	in := object("a", MaxFields, "") + object(
		"b",
		MaxFields,
		`,"c":0`,
	) + object(
		"b",
		MaxFields-1,
		`,"b7":0`,
	) + object("a", MaxFields, "")
	p := NewParser()
	p.Reset(Chunk{Data: []byte(in), Line: 1})
	for _, want := range []string{"", "record has more than 65536 members", `member "b7" occurs twice`, ""} {
		require.True(t, p.Next())
		if want == "" {
			require.NoError(t, p.Record().Err)
			require.Len(t, p.Record().Fields, MaxFields)
		} else {
			require.ErrorContains(t, p.Record().Err, want)
		}
	}
}

func TestAppendingToATextLeavesItsNeighboursAlone(t *testing.T) {
	data := []byte(`{"a":1,"\u0062":2,"\u0063":3}` + "\n{}\n")
	before := string(data)
	p := NewParser()
	p.Reset(Chunk{Data: data})
	require.True(t, p.Next())
	for _, f := range p.Record().Fields {
		_, _ = append(f.Name, '#'), append(f.Value, '#')
	}
	_ = append(p.Record().Raw, '#')
	require.Equal(t, "a=1|b=2|c=3", show(p.Record()))
	require.Equal(t, before, string(data))
}

func TestParserDoesNotAllocate(t *testing.T) {
	c := Chunk{
		Line: 1,
		Data: []byte(
			strings.Repeat(
				`{"a":1,"b\n":"x","c":[1,{"d":null}]}`+"\n"+`{"c":"\u0041","e":2,"a":1}`+"\r\n\n",
				100,
			),
		),
	}
	p := NewParser()
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
