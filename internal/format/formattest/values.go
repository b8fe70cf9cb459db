package formattest

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// texts are values that a format may take for something else.
var texts = []string{
	"", " ", "plain", " blanks ", `"`, `""`, `say "x"`, "'", `\`, `\"`, `\\`, `a\`, ",", ";", "\t", "|",
	"a,b", "two\nlines", "\n", "\r", "\r\n", "a\rb", "# comment", "null", "NULL", "NA", `\N`, "{}", "[]",
	"0x", "0x00", "true", "-1", "größe", "日本語", "👍🏽", "\u2028", "\ufeffmark", "\x00", "\x1b[0m",
	strings.Repeat("long ", 3000),
}

// typed are the types, in CQL, with texts of cqltext. One that begins with 0x is the wire value.
var typed = []struct {
	cql   string
	texts []string
}{
	{"ascii", []string{"", "plain", `a "b", 'c'`, "NA", "two\nlines", "\x7f"}},
	{"bigint", []string{"0", "-9223372036854775808", "9223372036854775807", "0x"}},
	{"blob", []string{"0x", "0x00", "0xcafe", "0x" + strings.Repeat("0d0a22", 99)}},
	{"boolean", []string{"true", "false", "0x"}},
	{"date", []string{"1970-01-01", "0x00000000", "0xffffffff", "2024-02-29"}},
	{"decimal", []string{"0", "0.10", "-1E+10", "1E-20", strings.Repeat("9", 60) + ".5", "0x"}},
	{"double", []string{"0", "-0", "0.1", "1E308", "4.9E-324", "NaN", "Infinity", "0x7ff8000000000001"}},
	{"duration", []string{"0s", "1y2mo3d", "-1h2m3s4ms5us6ns"}},
	{"float", []string{"0", "-0", "0.1", "3.4E38", "NaN", "-Infinity", "0x7fc00001", "0x"}},
	{"inet", []string{"10.0.0.1", "::1", "::ffff:1.2.3.4", "fe80::1"}},
	{"int", []string{"0", "-2147483648", "2147483647", "0x"}},
	{"smallint", []string{"0", "-32768", "32767"}},
	{"text", texts},
	{"time", []string{"00:00:00", "23:59:59.999999999"}},
	{"timestamp", []string{"1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "-0001-01-01T00:00:00Z",
		"0x8000000000000000", "0x7fffffffffffffff"}},
	{"timeuuid", []string{"123e4567-e89b-12d3-a456-426614174000"}},
	{"tinyint", []string{"0", "-128", "127"}},
	{"uuid", []string{"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-4fff-bfff-ffffffffffff"}},
	{"varint", []string{"0", "-1", strings.Repeat("7", 70), "0x0000", "0x"}},
	{"list<int>", []string{"[]", "[1, 2, 3]", "[-1]"}},
	{"list<text>", []string{"[]", "['', 'a', 'it''s', 'NA', 'null', 'a,b', '\"', 'two\nlines']"}},
	{"set<double>", []string{"{}", "{0.5, 1.5}"}},
	{"frozen<set<blob>>", []string{"{}", "{0x, 0x00}"}},
	{"map<text, timestamp>", []string{"{}", "{'': '1970-01-01T00:00:00Z', 'a: b': '2000-01-01T00:00:00Z'}"}},
	{"frozen<map<int, boolean>>", []string{"{}", "{1: true, 2: false}"}},
	{"tuple<int, text, tuple<float, blob>>", []string{"(1, 'a', (0.5, 0x00))", "(null, '', null)"}},
	{"vector<float, 3>", []string{"[0.5, -1.5, 2]"}},
	{"vector<text, 2>", []string{"['', 'a\"b']"}},
	{"address", []string{"{\"Street Name\": 'a', zip: 1}", "{\"Street Name\": null, zip: 2}"}},
	{"list<frozen<address>>", []string{"[]", "[{\"Street Name\": 'it''s\n', zip: 1}]"}},
	{"frozen<list<frozen<map<text, frozen<set<frozen<tuple<int, time>>>>>>>>",
		[]string{"[]", "[{}, {'a': {}, 'b': {(1, '00:00:01'), (2, null)}}]"}},
}

// counters are the values of a column of counters, which no table has beside others.
var counters = []string{"0", "-1", "9223372036854775807"}

// address is a user type.
func address(name string) (*cqltype.Type, error) {
	if name != "address" {
		return nil, fmt.Errorf("unknown type %s", name)
	}
	return &cqltype.Type{
		Kind:       cqltype.UDT,
		Keyspace:   "ks",
		Name:       "address",
		FieldNames: []string{"Street Name", "zip"},
		Elems:      []*cqltype.Type{{Kind: cqltype.Text}, {Kind: cqltype.Int}},
	}, nil
}

// names are those of the first columns behind the key. The others are c0, c1 and so on.
var names = []string{`say "x"`, "a,b", "two\nlines", "größe", "NA", "Mixed Case", "ttl(x)"}

// parse returns a type, and the wire values of texts.
func parse(cql string, texts []string) (*cqltype.Type, [][]byte, error) {
	t, err := cqltype.Parse(cql, address)
	if err != nil {
		return nil, nil, err
	}
	codec, err := cqltext.Plan(t)
	if err != nil {
		return nil, nil, err
	}
	values := make([][]byte, len(texts))
	for i, text := range texts {
		if values[i], err = codec.AppendWire([]byte{}, []byte(text)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", cql, err)
		}
	}
	return t, values, nil
}

// selector selects a column.
func selector(name string, t *cqltype.Type) schema.Selector {
	c := schema.Column{Name: name, Kind: schema.Regular, Type: t}
	return schema.Selector{Name: name, Type: t, Column: c, Plain: true}
}

// decimal returns the text of an int or a bigint that is not negative.
func decimal(cell []byte) string {
	if cell == nil {
		return "null"
	}
	n := 0
	for _, b := range cell {
		n = n<<8 | int(b)
	}
	return strconv.Itoa(n)
}

// number returns an int as wire bytes.
func number(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(int32(n))) }
