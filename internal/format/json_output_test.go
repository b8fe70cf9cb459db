package format

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// newJSON returns an encoder of columns as JSON.
func newJSON(columns []schema.Selector) (Encoder, error) {
	o, err := JSON{}.Output(columns, OutputOptions{})
	if err != nil {
		return nil, err
	}
	return o.NewEncoder(), nil
}

func TestJSONAppendRow(t *testing.T) {
	for _, c := range []struct {
		name  string
		types []string
		cells [][]byte
		want  string
	}{
		{"plain", []string{"int", "text"}, [][]byte{int32Cell(-7), []byte("abc")}, `{"a":-7,"b":"abc"}`},
		{"null and empty text", []string{"text", "int", "text"}, [][]byte{nil, nil, {}}, `{"a":null,"b":null,"c":""}`},
		{"escapes", []string{"text"}, [][]byte{[]byte("a\"b\\c\nd\te\x01")}, `{"a":"a\"b\\c\nd\te\u0001"}`},
		{"a list", []string{"list<int>"}, [][]byte{{0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 2}}, `{"a":[1,2]}`},
		{"a blob", []string{"blob"}, [][]byte{{0xca, 0xfe}}, `{"a":"0xcafe"}`},
		{"cells beyond the selection", []string{"int"}, [][]byte{int32Cell(1), []byte("key")}, `{"a":1}`},
		{"nothing selected", nil, [][]byte{[]byte("key")}, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := newJSON(tabletest.Selectors(c.types...))
			require.NoError(t, err)
			for range 2 {
				got, err := e.AppendRow([]byte("before\n"), c.cells)
				require.NoError(t, err)
				require.Equal(t, "before\n"+c.want+"\n", string(got))
				require.True(t, json.Valid(got[len("before\n"):]))
			}
		})
	}
}

func TestJSONErrors(t *testing.T) {
	_, err := newJSON([]schema.Selector{{Name: "Odd", Type: &cqltype.Type{Kind: cqltype.List}}})
	require.ErrorContains(t, err, `column "Odd": `)
	e, err := newJSON(tabletest.Selectors("text", "int"))
	require.NoError(t, err)
	_, err = e.AppendRow(nil, [][]byte{[]byte("x"), {1, 2}})
	require.ErrorContains(t, err, `column "b": `)
}

// Names may be any text.
func TestJSONNames(t *testing.T) {
	var columns []schema.Selector
	names := []string{
		"id",
		"lastName",
		`say "x"`,
		"two\nlines",
		"größe",
		"",
		`back\slash`,
		"ttl(v)",
	}
	var cells [][]byte
	for i, name := range names {
		columns = append(columns, tabletest.Selector(name, "int"))
		cells = append(cells, int32Cell(int32(i)))
	}
	e, err := newJSON(columns)
	require.NoError(t, err)
	line, err := e.AppendRow(nil, cells)
	require.NoError(t, err)
	var got map[string]int
	require.NoError(t, json.Unmarshal(line, &got))
	require.Len(t, got, len(names))
	for i, name := range names {
		require.Equal(t, i, got[name])
	}
}

// Any text is encoded as one valid line.
func FuzzJSONRow(f *testing.F) {
	f.Add("name", []byte("abc"), false)
	f.Add("a\"b", []byte("x\ny\xff\u2028"), true)
	f.Fuzz(func(t *testing.T, name string, text []byte, null bool) {
		e, err := newJSON([]schema.Selector{tabletest.Selector(name, "text"), tabletest.Selector("b", "blob")})
		require.NoError(t, err)
		cells := [][]byte{append([]byte{}, text...), append([]byte{}, text...)}
		if null {
			cells[0] = nil
		}
		line, err := e.AppendRow(nil, cells)
		require.NoError(t, err)
		require.True(t, json.Valid(line))
		require.Equal(t, len(line)-1, strings.IndexByte(string(line), '\n'))
	})
}

// bracketed is a text that is not CQL's.
type bracketed struct{ number bool }

func (b bracketed) IsNumber() bool { return b.number }

func (b bracketed) AppendText(dst, wire []byte) ([]byte, error) {
	if b.number {
		return append(dst, "1.5"...), nil
	}
	return append(append(dst, '"'), wire...), nil
}

// Texts that are not CQL's are strings or numbers, and fields.
func TestTextsThatAreNotCQLs(t *testing.T) {
	for _, c := range []struct {
		format Format
		number bool
		want   string
	}{
		{JSON{}, false, `{"a":"\"` + "\\u0001" + `x"}` + "\n"},
		{JSON{}, true, `{"a":1.5}` + "\n"},
		{CSV, false, `"""` + "\x01" + `x"` + "\n"},
		{CSV, true, "1.5\n"},
	} {
		o, err := c.format.Output(tabletest.Selectors("date"), OutputOptions{
			Texts: func(schema.Selector) (ValueText, error) { return bracketed{c.number}, nil },
		})
		require.NoError(t, err)
		got, err := o.NewEncoder().AppendRow(nil, [][]byte{[]byte("\x01x")})
		require.NoError(t, err)
		require.Equal(t, c.want, string(got))
	}
}
