package jsonl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// arrays are inputs that are arrays, good ones and damaged ones.
var arrays = []string{
	"[]",
	" \t\r\n[ \n ] \n",
	bom + "\n [{}]",
	`[{"a":1},{"a":2}]`,
	"[\n  {\n    \"a\": 1,\n    \"b\": [1, {\"c\": \"],}\"}]\n  },\n  {\"a\": 2}\n]\n",
	"[\r\n{\"a\":1}\r\n,\r\n{\"a\":2}\r\n]\r\n",
	`[{"a":"\"],[{\\"},{"\u0061":{}}]`,
	`[{"a":1}`,
	`[{"a":1},`,
	`[{"a":1},{"a":`,
	`[{"a":1},{"a":"x`,
	"[",
	"[ \n",
	`[{"a":1}] {"b":2}` + "\n[3]\n",
	"[]]",
	`[{"a":1}{"a":2},{"a":3}]`,
	`[{"a":1},,{"a":3}]`,
	`[{"a":1},]`,
	`[,{"a":1}]`,
	"[,]",
	`[[{"a":1}],{"a":2}]`,
	`[{"a":1}, 5 ,"x",null,{"a":2}]`,
	`[{"a":1} 5,{"a":2}]`,
	"[{\"a\":\"x\n},{\"a\":2}]",
	`[{"a":[1},{"a":2}]`,
	`[},{"a":1}]`,
	`[{"a":1,"a":2},{"a":1}]`,
	`[{"long":"` + strings.Repeat("x", 90) + `"},{}]`,
	`[` + strings.Repeat(" ", 90) + `{}` + strings.Repeat("\n", 90) + `,{}` + strings.Repeat(" ", 90) + `]`,
	"[" + strings.Repeat("{},", 60) + "{}]",
}

// splitArray reads an array with a Splitter and a Parser. It returns the elements and the bad
// pieces, a line each, and the starts of the chunks.
func splitArray(t *testing.T, in string, r io.Reader, o Options) (records []string, cuts []int64) {
	t.Helper()
	last := int64(-1)
	var bad []Bad
	o.Bad = collect(&bad)
	report := func() {
		for _, b := range bad {
			require.True(t, b.Last)
			require.Greater(t, b.Offset, last)
			last = b.Offset
			records = append(records, fmt.Sprintf("%d:%d: %s: %s", b.Line, b.Column, b.Reason, b.Piece))
		}
		bad = nil
	}
	s, p := NewSplitter(r, o), NewParser()
	var buf []byte
	for {
		c, err := s.Next(buf)
		report()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.Greater(t, c.Offset, last)
		require.Equal(t, in[c.Offset:c.Offset+int64(len(c.Data))], string(c.Data))
		require.Positive(t, c.Records)
		require.True(t, c.Records == 1 || len(c.Data) <= o.ChunkSize)
		line, column := advance(1, 1, []byte(strings.TrimPrefix(in[:c.Offset], bom)))
		require.Equal(t, line, c.Line)
		require.Equal(t, column, c.Column)
		cuts = append(cuts, c.Offset)
		n := 0
		for p.Reset(c); p.Next(); n++ {
			r := p.Record()
			require.Greater(t, r.Offset, last)
			last = r.Offset + int64(len(r.Raw)) - 1
			require.Equal(t, in[r.Offset:last+1], string(r.Raw))
			line, column := advance(1, 1, []byte(strings.TrimPrefix(in[:r.Offset], bom)))
			require.Equal(t, line, r.Line)
			require.Equal(t, column, r.Column)
			require.Equal(t, strings.Trim(string(r.Raw), " \t\r\n"), string(r.Raw))
			for i, f := range r.Fields {
				at, from := r.FieldPosition(i)
				line, column := advance(1, 1, []byte(
					strings.TrimPrefix(in[:r.Offset+int64(f.Offset)], bom)))
				require.Equal(t, line, at)
				require.Equal(t, column, from)
			}
			text := show(r)
			if r.Err != nil {
				text += " " + r.Err.Error()
			} else {
				checkMembers(t, r)
			}
			records = append(records, fmt.Sprintf("%d:%d: %s", r.Line, r.Column, text))
		}
		require.Equal(t, c.Records, n)
		buf = c.Data
	}
	_, err := s.Next(nil)
	require.Equal(t, io.EOF, err)
	return records, cuts
}

// checkMembers compares the members of an element with encoding/json.
func checkMembers(t *testing.T, r Record) {
	t.Helper()
	want, err := refMembers(t, r.Raw)
	require.NoError(t, err)
	require.Len(t, r.Fields, len(want))
}

// What is found does not depend on where the input is cut, or how it is read.
func TestArrayCuts(t *testing.T) {
	for i, in := range arrays {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			whole, _ := splitArray(t, in, strings.NewReader(in), Options{ChunkSize: 1 << 20})
			checkWholeArray(t, in, whole)
			for chunk := 16; chunk <= 128; chunk += 7 {
				for _, limit := range []int{2, 3, 7, 20, 1000} {
					o := Options{ChunkSize: chunk, MaxRecord: limit}
					got, cuts := splitArray(t, in, strings.NewReader(in), o)
					if limit == 1000 {
						require.Equal(t, whole, got)
					}
					for _, r := range []io.Reader{
						iotest.OneByteReader(strings.NewReader(in)),
						iotest.DataErrReader(iotest.HalfReader(strings.NewReader(in))),
					} {
						again, where := splitArray(t, in, r, o)
						require.Equal(t, got, again)
						require.Equal(t, cuts, where)
					}
				}
			}
		})
	}
}

// An array that encoding/json reads has an element for each of its own, and nothing bad.
func checkWholeArray(t *testing.T, in string, records []string) {
	t.Helper()
	var all []json.RawMessage
	if json.Unmarshal([]byte(strings.TrimPrefix(in, bom)), &all) != nil {
		return
	}
	require.Len(t, records, len(all))
	for i, element := range all {
		var members map[string]json.RawMessage
		if json.Unmarshal(element, &members) != nil || string(element) == "null" {
			require.Contains(t, records[i], "expected an object")
		}
	}
}

func TestArrayOfRandomText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	words := []string{`{"a":1}`, `{"b":"x\""}`, ",", ",", "\n", " ", "[", "]", "{", "}", `"`, "5"}
	for range 2000 {
		var b strings.Builder
		b.WriteString("[")
		for range rnd.IntN(40) {
			b.WriteString(words[rnd.IntN(len(words))])
		}
		in := b.String()
		o := Options{ChunkSize: 16 + rnd.IntN(50), MaxRecord: 2 + rnd.IntN(60)}
		got, cuts := splitArray(t, in, strings.NewReader(in), o)
		again, where := splitArray(t, in, iotest.OneByteReader(strings.NewReader(in)), o)
		require.Equal(t, got, again)
		require.Equal(t, cuts, where)
	}
}

func TestArrayRules(t *testing.T) {
	const noEnd = "the array has no end: expected ',' or ']', found the end of the input: ["
	for in, want := range map[string][]string{
		"[]":                          nil,
		" \n[ \n ] \n":                nil,
		bom + `[{"a":1}]`:             {"1:2: a=1"},
		`[{"a":1},{"a":2}]`:           {"1:2: a=1", "1:10: a=2"},
		"[\n  {\n\"a\": 1},\n  {}\n]": {"2:3: a=1", "4:3: "},
		`[{"a":1} `:                   {"1:2: a=1", "1:10: " + noEnd},
		`[{"a":1},`:                   {"1:2: a=1", "1:10: " + noEnd},
		"[\n":                         {"2:1: " + noEnd},
		"[\n{\"a\":1,\n ":             {"2:1: a=1 line 3, column 2: expected the name of a member in double quotes, found the end"},
		`[{"a":1}] {"b":2}`: {
			"1:2: a=1",
			`1:11: expected the end of the input after the array, found an object: {"b":2}`,
		},
		`[{"a":1} {"a":2},{"a":3}]`: {
			"1:2: a=1 line 1, column 10: expected ',' or ']' after the object, found an object",
			"1:18: a=3",
		},
		"[{},\n,{}]":      {"1:2: ", `2:1:  line 2, column 1: expected an object, found ","`, "2:2: "},
		"[{},\n]":         {"1:2: ", `2:1:  line 2, column 1: expected an object, found "]"`},
		`[[{"a":1}],{}]`:  {"1:2:  line 1, column 2: expected an object, found an array", "1:12: "},
		`[{}, 5,{}]`:      {"1:2: ", "1:6:  line 1, column 6: expected an object, found a number", "1:8: "},
		`[{} 5,{}]`:       {"1:2:  line 1, column 5: expected ',' or ']' after the object, found a number", "1:7: "},
		`[{"a":1,"a":2}]`: {`1:2: a=1 line 1, column 9: member "a" occurs twice`},
	} {
		got, _ := splitArray(t, in, strings.NewReader(in), Options{ChunkSize: 1 << 20})
		require.Equal(t, want, got, in)
	}
}

func TestArrayWithoutCallback(t *testing.T) {
	for in, want := range map[string]string{
		"[{},":        "line 1, column 5: the array has no end: expected ',' or ']', found the end of the input",
		"[\n{}]x":     `line 2, column 4: expected the end of the input after the array, found "x"`,
		"[{}, {   } ": "line 1, column 6: record is longer than 4 bytes",
	} {
		s := NewSplitter(strings.NewReader(in), Options{MaxRecord: 4})
		c, err := s.Next(nil)
		require.NoError(t, err)
		require.Equal(t, 1, c.Records)
		for range 2 {
			_, err = s.Next(nil)
			require.EqualError(t, err, want)
		}
	}
}

func TestReadErrorInAnArray(t *testing.T) {
	broken := errors.New("disk gone")
	for _, in := range []string{"[{},{", "[{},", "[{}] "} {
		s := NewSplitter(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), Options{})
		c, err := s.Next(nil)
		require.NoError(t, err)
		require.Equal(t, 1, c.Records)
		for range 2 {
			_, err = s.Next(nil)
			require.EqualError(t, err, fmt.Sprintf("read input at byte %d: disk gone", len(in)))
		}
	}
}

// A long element comes in pieces, without the comma behind it.
func TestLongElement(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 100) + `"}`
	var bad []Bad
	pieces := 0
	keep := collect(&bad)
	s := NewSplitter(strings.NewReader("[{},\n "+long+",{}]"), Options{
		ChunkSize: 16, MaxRecord: 20, Bad: func(b Bad) error { pieces++; return keep(b) },
	})
	n := 0
	for {
		c, err := s.Next(nil)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		n += c.Records
	}
	require.Equal(t, 2, n)
	require.Greater(t, pieces, 2)
	require.Equal(t, []Bad{{
		Offset: 6, Line: 2, Column: 2, Reason: "record is longer than 20 bytes",
		Piece: []byte(long), First: true, Last: true,
	}}, bad)
}

// Lines are read as such if an array is not looked for.
func TestLinesThatBeginAsAnArray(t *testing.T) {
	for _, s := range []*Splitter{
		NewLineSplitter(strings.NewReader("[1]\n{}\n"), Options{}),
		NewSplitter(strings.NewReader("[1]\n{}\n"), Options{Line: 7, Offset: 100}),
	} {
		c, err := s.Next(nil)
		require.NoError(t, err)
		require.Equal(t, "[1]\n{}\n", string(c.Data))
		require.Zero(t, c.Column)
		require.Equal(t, 2, c.Records)
	}
}

func TestArrayDoesNotAllocate(t *testing.T) {
	in := "[" + strings.Repeat("{\n \"a\":1},\n", 3000) + "{}]"
	s := NewSplitter(strings.NewReader(in), Options{ChunkSize: 100})
	buf, err := s.Next(nil)
	require.NoError(t, err)
	p := NewParser()
	run := func() {
		if buf, err = s.Next(buf.Data); err != nil {
			panic(err)
		}
		for p.Reset(buf); p.Next(); {
			if p.Record().Err != nil {
				panic(p.Record().Err)
			}
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(100, run))
}

func TestHead(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"{}":                       "",
		"{}\n\n{":                  "{}\n\n",
		"{}\n[1]\n[":               "{}\n[1]\n",
		"[":                        "",
		bom + " [ {},{\n} ":        bom + " [ {}]",
		`[{"a":"],"}, {}, {"b":1}`: `[{"a":"],"}, {}]`,
		"[{},":                     "[{}]",
		"[{}] x":                   "[{}] x",
		"[]":                       "[]",
	} {
		require.Equal(t, want, string(Head([]byte(in))), in)
	}
}
