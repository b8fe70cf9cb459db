package cqlshtext

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// cell decodes one cell of Python's csv module in cqlsh's dialect: quotes around it, and an escape
// before any byte. If escape is the quote, the escape is a doubled quote.
func cell(raw string, escape byte) string {
	var out bytes.Buffer
	quoted := len(raw) > 1 && raw[0] == '"'
	if quoted {
		raw = raw[1 : len(raw)-1]
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] == escape && (escape != '"' || quoted) {
			i++
		}
		out.WriteByte(raw[i])
	}
	return out.String()
}

// toCells are cells that cqlsh 6.2.2 wrote for values, by number. The value is in the text of
// package cqltext, without the digits that COPY TO drops.
var toCells = []struct {
	name, typ, cell, want string
	o                     Options
}{
	{name: `T01`, typ: `text`, cell: `abc`, want: `abc`},
	{name: `T02`, typ: `text`, cell: `"a,b"`, want: `a,b`},
	{name: `T03`, typ: `text`, cell: `a\"b`, want: `a"b`},
	{name: `T04`, typ: `text`, cell: `"a\"b,c"`, want: `a"b,c`},
	{name: `T05`, typ: `text`, cell: `a\\\\b`, want: `a\b`},
	{name: `T06`, typ: `text`, cell: `a\\nb`, want: "a\nb"},
	{name: `T07`, typ: `text`, cell: `a\\r\\nb`, want: "a\r\nb"},
	{name: `T08`, typ: `text`, cell: `a\\tb`, want: "a\tb"},
	{name: `T09`, typ: `text`, cell: `\\x00`, want: "\x00"},
	{name: `T10`, typ: `text`, cell: `\\x7f`, want: "\x7f"},
	{name: `T11`, typ: `text`, cell: `x\\xa0y`, want: "x\u00a0y"},
	{name: `T12`, typ: `text`, cell: `é日😀`, want: `é日😀`},
	{name: `T13`, typ: `text`, cell: `it's`, want: `it's`},
	{name: `T14`, typ: `text`, cell: ` a `, want: ` a `},
	{name: `T15 as T16`, typ: `text`, cell: ``, want: `null`},
	{name: `T17`, typ: `text`, cell: `NULL`, want: `null`, o: Options{Null: "NULL"}},
	{name: `T18`, typ: `text`, cell: ``, want: ``, o: Options{Null: "NULL"}},
	{name: `T19`, typ: `text`, cell: `\\\\N`, want: `null`, o: Options{Null: `\N`}},
	{name: `T19 int`, typ: `int`, cell: `\\\\N`, want: `null`, o: Options{Null: `\N`}},
	{name: `T23`, typ: `int`, cell: `-1234567`, want: `-1234567`},
	{name: `T24`, typ: `int`, cell: `"-1,234,567"`, want: `-1234567`, o: commas},
	{name: `T25`, typ: `bigint`, cell: `9223372036854775807`, want: `9223372036854775807`},
	{name: `T27`, typ: `varint`, cell: `10000000000000000000000000000000000000000`, want: `10000000000000000000000000000000000000000`},
	{name: `T28`, typ: `counter`, cell: `5`, want: `5`},
	{name: `T29`, typ: `decimal`, cell: `1.10`, want: `1.10`},
	{name: `T30`, typ: `decimal`, cell: `1E+10`, want: `0xfffffff601`},
	{name: `T31`, typ: `decimal`, cell: `0E-18`, want: `0x0000001200`},
	{name: `T32`, typ: `decimal`, cell: `1E-7`, want: `0.0000001`},
	{name: `T33`, typ: `decimal`, cell: `0.000001`, want: `0.000001`},
	{name: `T34`, typ: `decimal`, cell: `"1,2346e+06"`, want: `1.2346E+6`, o: Options{DecimalSep: ","}},
	{name: `T35`, typ: `decimal`, cell: `"1.234.567,12346"`, want: `1234567.12346`, o: german},
	{name: `T36`, typ: `float`, cell: `1.1`, want: `1.1`},
	{name: `T37`, typ: `float`, cell: `3.14159`, want: `3.14159`},
	{name: `T38`, typ: `float`, cell: `1.6777e+07`, want: `16777000`},
	{name: `T39`, typ: `float`, cell: `1e+05`, want: `100000`},
	{name: `T40`, typ: `float`, cell: `99999.99219`, want: `99999.99`},
	{name: `T41`, typ: `float`, cell: `1234.56006`, want: `1234.56`},
	{name: `T42`, typ: `float`, cell: `"1,234.56006"`, want: `1234.56`, o: commas},
	{name: `T43`, typ: `float`, cell: `1e-05`, want: `1e-5`},
	{name: `T44`, typ: `float`, cell: `3.4028e+38`, want: `3.4028e38`},
	{name: `T45`, typ: `float`, cell: `0`, want: `0`},
	{name: `T46`, typ: `float`, cell: `-0`, want: `-0`},
	{name: `T47`, typ: `float`, cell: `3.141592741`, want: `3.1415927`},
	{name: `T48`, typ: `float`, cell: `16777216`, want: `16777216`},
	{name: `T49`, typ: `double`, cell: `0.3`, want: `0.3`},
	{name: `T50`, typ: `double`, cell: `3.14159265359`, want: `3.14159265359`},
	{name: `T51`, typ: `double`, cell: `123456789.123456791043`, want: `123456789.12345679`},
	{name: `T52`, typ: `double`, cell: `1.23456789012e+12`, want: `1234567890120`},
	{name: `T53`, typ: `double`, cell: `9.00719925474e+15`, want: `9007199254740000`},
	{name: `T54`, typ: `double`, cell: `1e+22`, want: `1e22`},
	{name: `T55`, typ: `double`, cell: `4.94065645841e-324`, want: `5e-324`},
	{name: `T56`, typ: `double`, cell: `NaN`, want: `NaN`},
	{name: `T57`, typ: `double`, cell: `Infinity`, want: `Infinity`},
	{name: `T58`, typ: `double`, cell: `-Infinity`, want: `-Infinity`},
	{name: `T59`, typ: `double`, cell: `3.14159265358979312`, want: `3.141592653589793`},
	{name: `T60`, typ: `double`, cell: `9007199254740992`, want: `9007199254740992`},
	{name: `T61`, typ: `boolean`, cell: `True`, want: `true`},
	{name: `T62`, typ: `boolean`, cell: `False`, want: `false`},
	{name: `T63`, typ: `boolean`, cell: `yes`, want: `true`, o: yesNo},
	{name: `T64`, typ: `blob`, cell: `0x00ff`, want: `0x00ff`},
	{name: `T65`, typ: `blob`, cell: `0x`, want: `0x`},
	{name: `T66`, typ: `uuid`, cell: `550e8400-e29b-41d4-a716-446655440000`, want: `550e8400-e29b-41d4-a716-446655440000`},
	{name: `T67`, typ: `inet`, cell: `127.0.0.1`, want: `127.0.0.1`},
	{name: `T68`, typ: `inet`, cell: `2001:db8::1`, want: `2001:db8::1`},
	{name: `T69`, typ: `timestamp`, cell: `2015-12-13 09:46:40.123+0000`, want: `1450000000123`},
	{name: `T70`, typ: `timestamp`, cell: `1970-01-01 00:00:00.000+0000`, want: `0`},
	{name: `T71`, typ: `timestamp`, cell: `1969-12-31 23:59:59.999+0000`, want: `-1`},
	{name: `T72`, typ: `timestamp`, cell: `1-01-01 00:00:00.000+0000`, want: `-62135596800000`},
	{name: `T73`, typ: `timestamp`, cell: `-62135596800001`, want: `-62135596800001`},
	{name: `T74`, typ: `timestamp`, cell: `253402300800000`, want: `253402300800000`},
	{name: `T75`, typ: `timestamp`, cell: `9999-12-31 23:59:59.998+0000`, want: `253402300799998`},
	{name: `T76`, typ: `timestamp`, cell: `2015-12-13T09:46:40Z`, want: `1450000000000`, o: Options{DateTimeFormat: "%Y-%m-%dT%H:%M:%SZ"}},
	{name: `T77`, typ: `timestamp`, cell: `13/12/2015 09:46:40.123`, want: `1450000000123`, o: Options{DateTimeFormat: "%d/%m/%Y %H:%M:%S.%f"}},
	{name: `T78`, typ: `date`, cell: `2016-01-01`, want: `2016-01-01`},
	{name: `T79`, typ: `date`, cell: `2932897`, want: `+10000-01-01`},
	{name: `T80`, typ: `date`, cell: `0001-01-01`, want: `0001-01-01`},
	{name: `T81`, typ: `time`, cell: `12:34:56.123456789`, want: `12:34:56.123456789`},
	{name: `T82`, typ: `time`, cell: `00:00:00.000000000`, want: `00:00`},
	{name: `T83`, typ: `duration`, cell: `1y2mo3d1h1ns`, want: `1y2mo3d1h1ns`},
	{name: `T84`, typ: `duration`, cell: `-1mo2d3ns`, want: `-1mo2d3ns`},
	{name: `T85`, typ: `duration`, cell: `1mo2d1h2m3s4ms5us6ns`, want: `1mo2d1h2m3s4ms5us6ns`},
	{name: `T86`, typ: `duration`, cell: ``, want: `null`},
	{name: `T87`, typ: `list<int>`, cell: `"[1, 2, 3]"`, want: `[1, 2, 3]`},
	{name: `T88`, typ: `list<int>`, cell: `[1]`, want: `[1]`},
	{name: `T89`, typ: `list<text>`, cell: `"['a', 'b,c', 'it''s', 'a\"b', 'x\\\\y', '']"`, want: `['a', 'b,c', 'it''s', 'a"b', 'x\y', '']`},
	{name: `T90`, typ: `list<text>`, cell: `['a\\nb']`, want: "['a\nb']"},
	{name: `T91`, typ: `set<text>`, cell: `"{'a', 'b'}"`, want: `{'a', 'b'}`},
	{name: `T92`, typ: `map<text, int>`, cell: `"{'a': 2, 'b': 1}"`, want: `{'a': 2, 'b': 1}`},
	{name: `T93`, typ: `map<text, text>`, cell: `{'k': ''}`, want: `{'k': ''}`},
	{name: `T94`, typ: `list<double>`, cell: `"[3.14159, 1.2346e+05, 1e+07]"`, want: `[3.14159, 123460, 10000000]`},
	{name: `T95`, typ: `list<timestamp>`, cell: `['2015-12-13 09:46:40.123+0000']`, want: `[1450000000123]`},
	{name: `T96`, typ: `list<date>`, cell: `[2016-01-01]`, want: `[2016-01-01]`},
	{name: `T97`, typ: `list<time>`, cell: `[12:34:56.123456789]`, want: `[12:34:56.123456789]`},
	{name: `T98`, typ: `list<inet>`, cell: `['127.0.0.1']`, want: `['127.0.0.1']`},
	{name: `T99`, typ: `list<uuid>`, cell: `[550e8400-e29b-41d4-a716-446655440000]`, want: `[550e8400-e29b-41d4-a716-446655440000]`},
	{name: `T100`, typ: `list<blob>`, cell: `"[0x01, 0x]"`, want: `[0x01, 0x]`},
	{name: `T101`, typ: `list<boolean>`, cell: `"[True, False]"`, want: `[true, false]`},
	{name: `T102`, typ: `list<duration>`, cell: `[1mo2d3ns]`, want: `[1mo2d3ns]`},
	{name: `T103`, typ: `map<timestamp, text>`, cell: `{'1970-01-01 00:00:00.000+0000': 'x'}`, want: `{0: 'x'}`},
	{name: `T104`, typ: `map<text, time>`, cell: `{'k': 12:34:56.000000000}`, want: `{'k': '12:34:56'}`},
	{name: `T105`, typ: `map<text, frozen<list<text>>>`, cell: `"{'k': ['a', 'b']}"`, want: `{'k': ['a', 'b']}`},
	{name: `T106`, typ: `map<int, frozen<map<int, text>>>`, cell: `{1: {2: 'x'}}`, want: `{1: {2: 'x'}}`},
	{name: `T107`, typ: `tuple<int, text, float>`, cell: `"(1, 'a', 1.5)"`, want: `(1, 'a', 1.5)`},
	{name: `T108`, typ: `tuple<int, int>`, cell: `"(1, None)"`, want: `(1, null)`},
	{name: `T110`, typ: `frozen<addr3>`, cell: `"{street: 'Main, it''s', zip: 12345, tags: ['x', 'y']}"`, want: `{street: 'Main, it''s', zip: 12345, tags: ['x', 'y']}`},
	{name: `T111`, typ: `frozen<addr3>`, cell: `"{street: , zip: , tags: }"`, want: `{street: null, zip: null, tags: null}`},
	{name: `T112`, typ: `frozen<addr3>`, cell: `"{street: NULL, zip: 5, tags: []}"`, want: `{street: null, zip: 5, tags: []}`, o: Options{Null: "NULL"}},
	{name: `T113`, typ: `vector<float, 3>`, cell: `"[1.1, 2, 3.14159]"`, want: `[1.1, 2, 3.14159]`},
	{name: `T116`, typ: `int`, cell: ``, want: `null`},
}

// TestTo reads the cells as the values.
func TestTo(t *testing.T) {
	for _, c := range toCells {
		t.Run(c.name, func(t *testing.T) {
			c.o.Unescape = true
			want := "null"
			if c.want != want {
				want = wireOf(t, c.typ, c.want)
			}
			got, err := toWire(t, mustPlan(t, c.typ, c.o), cell(c.cell, '\\'))
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

// TestToDoubledQuotes checks cells written with ESCAPE='"'.
func TestToDoubledQuotes(t *testing.T) {
	c := mustPlan(t, "text", Options{Unescape: true})
	for _, tt := range []struct{ name, cell, want string }{
		{`T20`, `"a""b"`, `a"b`},
		{`T21`, `a\\b`, `a\b`},
		{`T22`, `a\nb`, "a\nb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := toWire(t, c, cell(tt.cell, '"'))
			require.NoError(t, err)
			require.Equal(t, wireOf(t, "text", tt.want), got)
		})
	}
}

// TestToLost checks a cell that COPY TO writes with a wrong number, out of range.
func TestToLost(t *testing.T) {
	runCases(t, []readCase{
		{
			name: `T26`,
			typ:  `bigint`,
			o:    commas,
			text: `9,223,372,036,854,775,808`,
			err:  `invalid bigint "9,223,372,036,854,775,808": out of range`,
		},
	})
}
