package cqlshtext

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func TestScalars(t *testing.T) {
	for _, c := range []struct {
		typ, text, want string
		o               Options
	}{
		{typ: "double", text: "-1_0.2_5e1_0", want: "-10.25e10"},
		{typ: "double", text: "1'234·5", want: "1234.5", o: Options{ThousandsSep: "'", DecimalSep: "·"}},
		{typ: "double", text: "1.5", want: "1.5", o: Options{DecimalSep: ","}},
		{typ: "float", text: "+.5", want: "0.5"},
		{typ: "decimal", text: "1,234.50", want: "1234.50", o: commas},
		{typ: "varint", text: " 1,000,000,000,000,000,000,000 ", want: "1000000000000000000000", o: commas},
		{typ: "boolean", text: " false ", want: "false"},
		{typ: "uuid", text: "urn:uuid:550e8400-e29b-41d4-a716-446655440000", want: "550e8400-e29b-41d4-a716-446655440000"},
		{typ: "timeuuid", text: "{8AC6D1DC-08E1-11E5-8E9F-19F5B5E2A3C4}", want: "8ac6d1dc-08e1-11e5-8e9f-19f5b5e2a3c4"},
		{typ: "inet", text: "10.1.256", want: "10.1.1.0"},
		{typ: "inet", text: "10.16777215", want: "10.255.255.255"},
		{typ: "inet", text: "0.0.0", want: "0.0.0.0"},
		{typ: "inet", text: "::ffff:1.2.3.4", want: "::ffff:1.2.3.4"},
		{typ: "date", text: "-719163", want: "0000-12-31"},
		{typ: "date", text: "2147483647", want: "+5881580-07-11"},
		{typ: "date", text: "-2147483648", want: "-5877641-06-23"},
		{typ: "date", text: "2016-12-1", want: "2016-12-01"},
		{typ: "time", text: "1:02:03.5", want: "01:02:03.5"},
		{typ: "duration", text: "P1Y2M", want: "1y2mo"},
		{typ: "'org.example.Odd'", text: "0x01", want: "0x01"},
		{typ: "empty", text: "0x", want: "0x"},
	} {
		t.Run(c.typ+" "+c.text, func(t *testing.T) {
			got, err := toWire(t, mustPlan(t, c.typ, c.o), c.text)
			require.NoError(t, err)
			require.Equal(t, wireOf(t, c.typ, c.want), got)
		})
	}
}

func TestScalarErrors(t *testing.T) {
	cases := []readCase{
		{
			typ:  "int",
			text: "_1",
			err:  `invalid int "_1": an underscore is only allowed between digits`,
		},
		{typ: "int", text: "1_", err: "an underscore"},
		{typ: "int", text: "1__0", err: "an underscore"},
		{typ: "int", text: "1_x", err: "an underscore"},
		{
			typ:  "int",
			text: "0x00000001",
			err:  `invalid int "0x00000001": hex bytes are only allowed for a blob`,
		},
		{
			typ:  "int",
			text: "0,x,00000001",
			o:    commas,
			err:  `invalid int "0,x,00000001": hex bytes are only allowed for a blob`,
		},
		{typ: "double", text: "1;5", o: german, err: `invalid double "1;5": not a number`},
		{typ: "inet", text: "1", err: "not an IPv4"},
		{typ: "inet", text: "010.1", err: "not an IPv4"},
		{typ: "inet", text: "256.1", err: "not an IPv4"},
		{typ: "inet", text: "1.2.65536", err: "not an IPv4"},
		{typ: "inet", text: "1.16777216", err: "not an IPv4"},
		{typ: "inet", text: "1.", err: "not an IPv4"},
		{typ: "inet", text: "1..2", err: "not an IPv4"},
		{
			typ:  "date",
			text: "0",
			err:  `invalid date "0": a number of days is only allowed for a date outside the years 1 to 9999`,
		},
		{typ: "date", text: "2932896", err: "a number of days"},
		{typ: "date", text: "-719162", err: "a number of days"},
		{
			typ:  "date",
			text: "2147483648",
			err:  "out of range -2147483648..2147483647 days for date",
		},
		{typ: "date", text: "99999999999999999999", err: "out of range"},
		{
			typ:  "date",
			text: "2016-2-30",
			err:  `invalid date "2016-2-30": no such day in that month`,
		},
		{typ: "date", text: "2016-2-", err: `invalid date "2016-2-": not a date`},
		{typ: "date", text: "2016-123", err: "not a date"},
		{typ: "date", text: "2016--11", err: "not a date"},
		{typ: "time", text: "1:", err: `invalid time "1:": not a time`},
		{typ: "time", text: "25:00:00", err: "time of day out of range"},
		{typ: "timestamp", text: "99999999999999999999", err: "out of range for timestamp"},
		{
			typ:  "timestamp",
			text: "2015-12-13'T'25:00",
			err:  `invalid timestamp "2015-12-13'T'25:00": time of day out of range`,
		},
		{typ: "timestamp", text: "x", err: "not of the form"},
		{
			typ:  "text",
			text: "\xff",
			err:  `invalid text "\xff": invalid UTF-8 byte 0xff at offset 0`,
		},
		{typ: "blob", text: "x", err: "hex bytes must begin with 0x"},
	}
	for i := range cases {
		cases[i].name = cases[i].typ + " " + cases[i].text
	}
	runCases(t, cases)
}

func TestUnescape(t *testing.T) {
	on := Options{Unescape: true}
	for _, c := range []struct{ typ, text, want string }{
		{"text", `\\n\n\\\\`, "5c6e0a5c5c"},
		{"text", `\x00\x1F\xa0\x7f`, "001fc2a07f"},
		{"text", `é\t`, "c3a909"},
		{"ascii", `\r`, "0d"},
		{"list<text>", `['it''s\\', \n]`, "0000000200000005697427735c000000010a"},
	} {
		got, err := toWire(t, mustPlan(t, c.typ, on), c.text)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.text)
	}
	for text, want := range map[string]string{
		`a\`:    "a backslash at the end without an escape",
		`ab\q`:  `unknown escape "\\q" at offset 2`,
		`\x1`:   `escape \x without two hex digits after it, at offset 0`,
		`a\xg0`: `escape \x without two hex digits after it, at offset 1`,
	} {
		_, err := toWire(t, mustPlan(t, "text", on), text)
		require.EqualError(t, err, fmt.Sprintf("invalid text %q: %s", text, want))
		got, err := toWire(t, mustPlan(t, "text", Options{}), text)
		require.NoError(t, err)
		require.Equal(t, wireOf(t, "text", text), got)
	}
	_, err := toWire(t, mustPlan(t, "ascii", on), `\xa0`)
	require.ErrorContains(t, err, "invalid ASCII byte 0xc2")
}

// TestNullWord checks a word with a backslash, which is escaped in the file. For text types it is
// null only if escapes are reversed.
func TestNullWord(t *testing.T) {
	for _, c := range []struct {
		typ, null, text  string
		unescape, isNull bool
	}{
		{"text", `\N`, `\N`, false, true},
		{"text", `\N`, `\\N`, false, false},
		{"text", `\N`, `\\N`, true, true},
		{"int", `\N`, `\\N`, false, true},
		{"int", `\N`, ``, false, true},
		{"text", `\N`, ``, false, false},
		{"text", ``, ``, false, true},
		{"int", `NULL`, `null`, false, false},
		{"int", `NULL`, ` `, false, false},
	} {
		codec := mustPlan(t, c.typ, Options{Null: c.null, Unescape: c.unescape})
		require.Equal(t, c.isNull, codec.IsNull([]byte(c.text)), "%+v", c)
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		typ, want string
		o         Options
	}{
		{"int", `no codec for type int: true and false are the same word "FALSE"`, Options{BoolTrue: "FALSE"}},
		{"int", `no codec for type int: a digit in the decimal point or the thousands separator`, Options{DecimalSep: "1"}},
		{"int", `no codec for type int: a digit in the decimal point or the thousands separator`, Options{ThousandsSep: "x0"}},
		{"set<float>", `no codec for type set<float>: decimal point and thousands separator are the same "."`, Options{ThousandsSep: "."}},
	} {
		_, err := Plan(mustParse(t, c.typ), c.o)
		require.EqualError(t, err, c.want)
	}
	_, err := Plan(nil, Options{})
	require.ErrorContains(t, err, "a type is missing")
	_, err = Plan(
		&cqltype.Type{Kind: cqltype.Map, Elems: []*cqltype.Type{{Kind: cqltype.Int}}}, Options{},
	)
	require.ErrorContains(t, err, "map has 1 element types, not 2")
}
