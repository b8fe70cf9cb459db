package format

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// newDelimited returns an encoder of columns as delimited text.
func newDelimited(columns []schema.Selector, text dsv.Format, null string) (Encoder, error) {
	o, err := Delimited{text}.Output(columns, OutputOptions{Null: null})
	if err != nil {
		return nil, err
	}
	return o.NewEncoder(), nil
}

func int32Cell(n int32) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

func TestAppendHeader(t *testing.T) {
	for _, c := range []struct {
		names  []string
		format dsv.Format
		want   string
	}{
		{[]string{"id"}, dsv.DefaultFormat, "id\n"},
		{[]string{"id", "lastName", "Total"}, dsv.DefaultFormat, "id,lastName,Total\n"},
		{[]string{"a,b", `say "x"`, "two\nlines", " blank "}, dsv.DefaultFormat, "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\", blank \n"},
		{[]string{"a,b", "c|d"}, dsv.Format{Delimiter: '|', Quote: '\''}, "a,b|'c|d'\n"},
		{[]string{"", "a"}, dsv.DefaultFormat, "\"\",a\n"},
		{[]string{"größe"}, dsv.DefaultFormat, "größe\n"},
	} {
		var columns []schema.Selector
		for _, name := range c.names {
			columns = append(columns, tabletest.Selector(name, "int"))
		}
		o, err := Delimited{c.format}.Output(columns, OutputOptions{Header: true})
		require.NoError(t, err)
		require.Equal(t, "before"+c.want, string(o.AppendBegin([]byte("before"))))
	}
}

func TestAppendRow(t *testing.T) {
	text := func(s string) []byte { return []byte(s) }
	for _, c := range []struct {
		name   string
		types  []string
		format dsv.Format
		null   string
		cells  [][]byte
		want   string
	}{
		{name: "plain", types: []string{"int", "text"}, cells: [][]byte{int32Cell(-7), text("abc")}, want: "-7,abc"},
		{name: "null and empty text", types: []string{"text", "text", "text"}, cells: [][]byte{nil, {}, text("x")}, want: `,"",x`},
		{name: "null of all types", types: []string{"int", "blob", "list<int>"}, cells: [][]byte{nil, nil, nil}, want: ",,"},
		{name: "a single null", types: []string{"int"}, cells: [][]byte{nil}, want: ""},
		{name: "a single empty text", types: []string{"text"}, cells: [][]byte{{}}, want: `""`},
		{name: "quotes where needed", types: []string{"text", "text", "text", "text"},
			cells: [][]byte{text("a,b"), text(`a"b`), text("a\nb"), text("a\rb")}, want: "\"a,b\",\"a\"\"b\",\"a\nb\",\"a\rb\""},
		{name: "blanks and other bytes stay", types: []string{"text", "text"}, cells: [][]byte{text(" a\t"), text("\x00\xff")}, want: " a\t,\x00\xff"},
		{name: "a byte order mark", types: []string{"text"}, cells: [][]byte{text("\ufeffa")}, want: "\"\ufeffa\""},
		{name: "a list", types: []string{"list<int>"},
			cells: [][]byte{{0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 2}}, want: `"[1, 2]"`},
		{name: "blobs", types: []string{"blob", "blob"}, cells: [][]byte{{0xca, 0xfe}, {}}, want: "0xcafe,0x"},
		{name: "other delimiter and quote", types: []string{"text", "text", "text"}, format: dsv.Format{Delimiter: ';', Quote: '\''},
			cells: [][]byte{text("a;b"), text("it's"), text(`a,"b"`)}, want: `'a;b';'it''s';a,"b"`},
		{name: "a delimiter that numbers have", types: []string{"int", "int"}, format: dsv.Format{Delimiter: '-', Quote: '"'},
			cells: [][]byte{int32Cell(-1), int32Cell(2)}, want: `"-1"-2`},
		{name: "a quote that numbers have", types: []string{"int", "int"}, format: dsv.Format{Delimiter: ',', Quote: '1'},
			cells: [][]byte{int32Cell(1), int32Cell(2)}, want: `1111,2`},
		{name: "null text", types: []string{"int", "text", "text"}, null: "NA", cells: [][]byte{nil, nil, {}}, want: `NA,NA,""`},
		{name: "text that equals it", types: []string{"text", "text"}, null: "NA", cells: [][]byte{text("NA"), text("na")}, want: `"NA",na`},
		{name: "number that equals it", types: []string{"int", "int", "int"}, null: "0", cells: [][]byte{nil, int32Cell(0), int32Cell(10)}, want: `0,"0",10`},
		{name: "list that equals it", types: []string{"list<int>"}, null: "[]", cells: [][]byte{{0, 0, 0, 0}}, want: `"[]"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.format == (dsv.Format{}) {
				c.format = dsv.DefaultFormat
			}
			e, err := newDelimited(tabletest.Selectors(c.types...), c.format, c.null)
			require.NoError(t, err)
			for range 2 {
				got, err := e.AppendRow([]byte("before\n"), c.cells)
				require.NoError(t, err)
				require.Equal(t, "before\n"+c.want+"\n", string(got))
			}
		})
	}
}

func TestAppendRowMalformedValue(t *testing.T) {
	e, err := newDelimited(tabletest.Selectors("text", "int"), dsv.DefaultFormat, "")
	require.NoError(t, err)
	_, err = e.AppendRow(nil, [][]byte{[]byte("x"), {1, 2}})
	require.ErrorContains(t, err, `column "b": malformed int value`)
	got, err := e.AppendRow(nil, [][]byte{[]byte("x"), int32Cell(5)})
	require.NoError(t, err)
	require.Equal(t, "x,5\n", string(got))
}

func TestDelimitedOutputErrors(t *testing.T) {
	_, err := newDelimited(
		[]schema.Selector{{Name: "Odd", Type: &cqltype.Type{Kind: cqltype.List}}},
		dsv.DefaultFormat,
		"",
	)
	require.ErrorContains(t, err, `column "Odd"`)
	for _, null := range []string{",", `"`, "N,A", "a\nb", "\r", `\"N"`} {
		_, err := newDelimited(tabletest.Selectors("int"), dsv.DefaultFormat, null)
		require.ErrorContains(t, err, "text for null values")
	}
	_, err = newDelimited(tabletest.Selectors("int"), dsv.Format{Delimiter: ';', Quote: '\''}, `,"`)
	require.NoError(t, err)
}

// A reader of the same format takes the encoder's lines apart into the same texts, and
// distinguishes null from the empty text.
func FuzzAppendRow(f *testing.F) {
	f.Add([]byte("abc"), []byte(""), true, byte(','), byte('"'), "")
	f.Add([]byte("a,b\n\"c\""), []byte("NA"), false, byte(';'), byte('\''), "NA")
	f.Add([]byte("\xef\xbb\xbfx"), []byte("\r"), true, byte('\t'), byte('|'), "\\N")
	columns := tabletest.Selectors("text", "text", "text")
	f.Fuzz(func(t *testing.T, one, two []byte, null bool, delimiter, quote byte, nullText string) {
		format := dsv.Format{Delimiter: delimiter, Quote: quote}
		if format.Validate() != nil || format.NeedsQuotes([]byte(nullText)) {
			return
		}
		e, err := newDelimited(columns, format, nullText)
		require.NoError(t, err)
		cells := [][]byte{append([]byte{}, one...), append([]byte{}, two...), []byte("end")}
		if null {
			cells[1] = nil
		}
		line, err := e.AppendRow(nil, cells)
		require.NoError(t, err)
		fields := parseLine(t, format, line)
		require.Len(t, fields, len(cells))
		for i, cell := range cells {
			isNull := !fields[i].Quoted && string(fields[i].Text) == nullText
			require.Equal(t, cell == nil, isNull)
			if cell != nil {
				require.Equal(t, string(cell), string(fields[i].Text))
			}
		}
	})
}

// parseLine reads the fields of the one record in line.
func parseLine(t testing.TB, format dsv.Format, line []byte) []dsv.Field {
	p := dsv.NewParser(format)
	p.Reset(dsv.Chunk{Data: line, Records: 1})
	require.True(t, p.Next())
	require.NoError(t, p.Record().Err)
	fields := p.Record().Fields
	require.False(t, p.Next())
	return fields
}

func TestEscapeFormulas(t *testing.T) {
	columns := tabletest.Selectors("text", "int")
	e, err := newDelimited(columns, dsv.DefaultFormat, "")
	require.NoError(t, err)
	row := func(text string) string {
		line, err := e.AppendRow(nil, [][]byte{[]byte(text), {0xff, 0xff, 0xff, 0xff}})
		require.NoError(t, err)
		return string(line)
	}
	require.Equal(t, "=1+1,-1\n", row("=1+1"))
	o, err := CSV.Output(columns, OutputOptions{EscapeFormulas: true})
	require.NoError(t, err)
	e = o.NewEncoder()
	for text, want := range map[string]string{
		"=1+1": "'=1+1,-1\n", "+x": "'+x,-1\n", "-x": "'-x,-1\n", "@x": "'@x,-1\n", "\tx": "'\tx,-1\n",
		"\rx": "\"'\rx\",-1\n", "x=": "x=,-1\n", "": "\"\",-1\n", "=a,b": "\"'=a,b\",-1\n",
	} {
		require.Equal(t, want, row(text))
	}
}

// The lines of Python's csv.writer with escapechar, doublequote=False and QUOTE_MINIMAL.
func TestCSVWriter(t *testing.T) {
	escape := dsv.Format{Delimiter: ',', Quote: '"', Escape: '\\'}
	for _, c := range []struct {
		format dsv.Format
		null   string
		cells  []string // "-": null
		want   string
	}{
		{escape, "", []string{"-", "", "x"}, ",,x"},
		{escape, "", []string{"-"}, `""`},
		{escape, "", []string{""}, `""`},
		{escape, "null", []string{"-", "null", ""}, "null,null,"},
		{escape, `\N`, []string{"-", `a\b`}, `\\N,a\\b`},
		{escape, "a,b", []string{"-", `say "x"`}, `"a,b",say \"x\"`},
		{escape, "", []string{"a\nb", "c\r", "d,e", " "}, "\"a\nb\",\"c\r\",\"d,e\", "},
		{dsv.DefaultFormat, "", []string{`say "x"`, "y"}, `"say ""x""",y`},
	} {
		var types []string
		var cells [][]byte
		for _, cell := range c.cells {
			types = append(types, "text")
			if cell == "-" {
				cells = append(cells, nil)
			} else {
				cells = append(cells, []byte(cell))
			}
		}
		o, err := Delimited{c.format}.Output(
			tabletest.Selectors(types...),
			OutputOptions{Null: c.null, CSVWriter: true, Header: true},
		)
		require.NoError(t, err)
		require.True(t, bytes.HasSuffix(o.AppendBegin(nil), []byte("\r\n")))
		got, err := o.NewEncoder().AppendRow([]byte("before"), cells)
		require.NoError(t, err)
		require.Equal(t, "before"+c.want+"\r\n", string(got))
	}
}
