package cqlshtext

import "testing"

// The cases of COPY FROM, by number: how cqlsh 6.2.2 read a field.

var (
	yesNo  = Options{BoolTrue: "yes", BoolFalse: "no"}
	dash   = Options{Null: "-"}
	commas = Options{ThousandsSep: ","}
	german = Options{DecimalSep: ",", ThousandsSep: "."}
)

// TestFromSame checks fields that give the same bytes here.
func TestFromSame(t *testing.T) {
	runCases(t, []readCase{
		{name: `F01`, typ: `text`, text: `abc`, want: `616263`},
		{name: `F02`, typ: `text`, text: ` a `, want: `206120`},
		{name: `F03`, typ: `text`, text: `'a'`, want: `276127`},
		{name: `F04`, typ: `text`, text: ``, want: `null`},
		{name: `F05`, typ: `text`, o: dash, text: ``, want: ``},
		{name: `F06`, typ: `text`, o: dash, text: `-`, want: `null`},
		{name: `F07`, typ: `int`, o: dash, text: ``, want: `null`},
		{name: `F08`, typ: `int`, text: `1`, want: `00000001`},
		{name: `F09`, typ: `int`, text: ` 2 `, want: `00000002`},
		{name: `F10`, typ: `int`, text: `+3`, want: `00000003`},
		{name: `F11`, typ: `int`, text: `1_000`, want: `000003e8`},
		{name: `F15`, typ: `int`, o: commas, text: `1,000`, want: `000003e8`},
		{name: `F16`, typ: `float`, text: `NaN`, want: `7fc00000`},
		{name: `F17`, typ: `float`, text: `Infinity`, want: `7f800000`},
		{name: `F18`, typ: `float`, text: `-inf`, want: `ff800000`},
		{name: `F21`, typ: `double`, o: german, text: `1.234,5`, want: `40934a0000000000`},
		{name: `F22`, typ: `decimal`, text: `1.10`, want: `000000026e`},
		{name: `F23`, typ: `decimal`, text: `1E+10`, want: `fffffff601`},
		{name: `F25`, typ: `boolean`, text: `TRUE`, want: `01`},
		{name: `F26`, typ: `boolean`, text: `true`, want: `01`},
		{name: `F30`, typ: `boolean`, o: yesNo, text: `YES`, want: `01`},
		{name: `F31`, typ: `blob`, text: `0x00ff`, want: `00ff`},
		{name: `F32`, typ: `blob`, text: `0x`, want: ``},
		{
			name: `F36`,
			typ:  `uuid`,
			text: `550E8400E29B41D4A716446655440000`,
			want: `550e8400e29b41d4a716446655440000`,
		},
		{name: `F38`, typ: `inet`, text: `::1`, want: `00000000000000000000000000000001`},
		{name: `F39`, typ: `inet`, text: `127.1`, want: `7f000001`},
		{
			name: `F41`,
			typ:  `timestamp`,
			text: `2015-12-13 09:46:40.123+0000`,
			want: `000001519abc247b`,
		},
		{
			name: `F42`,
			typ:  `timestamp`,
			text: `2015-12-13 09:46:40.123456+0000`,
			want: `000001519abc247b`,
		},
		{name: `F43`, typ: `timestamp`, text: `2015-12-13 09:46:40+0000`, want: `000001519abc2400`},
		{name: `F44`, typ: `timestamp`, text: `2015-12-13 09:46:40.123Z`, want: `000001519abc247b`},
		{
			name: `F45`,
			typ:  `timestamp`,
			text: `2015-12-13 09:46:40.123+05:30`,
			want: `00000151998e04bb`,
		},
		{name: `F50`, typ: `timestamp`, text: `2015-12-13`, want: `0000015198a30800`},
		{name: `F51`, typ: `timestamp`, text: `2015-12-13'T'09:46:40`, want: `000001519abc2400`},
		{name: `F52`, typ: `timestamp`, text: `1450000000123`, want: `000001519abc247b`},
		{name: `F53`, typ: `timestamp`, text: `20151213`, want: `0000000001337bad`},
		{
			name: `F57`,
			typ:  `timestamp`,
			o:    Options{DateTimeFormat: "%d/%m/%Y %H:%M:%S"},
			text: `13/12/2015 09:46:40`,
			want: `000001519abc2400`,
		},
		{name: `F58`, typ: `date`, text: `2016-01-01`, want: `800041a1`},
		{name: `F59`, typ: `date`, text: `2016-1-1`, want: `800041a1`},
		{name: `F61`, typ: `time`, text: `12:34:56.123456789`, want: `0000293253592d15`},
		{name: `F62`, typ: `time`, text: `12:34:56`, want: `000029324bfd6000`},
		{
			name: `F66`,
			typ:  `list<int>`,
			text: `[1, 2, 3]`,
			want: `00000003000000040000000100000004000000020000000400000003`,
		},
		{
			name: `F67`,
			typ:  `list<int>`,
			text: `{1,2}`,
			want: `0000000200000004000000010000000400000002`,
		},
		{name: `F69`, typ: `list<int>`, text: `[1,]`, want: `000000010000000400000001`},
		{name: `F71`, typ: `list<int>`, text: `[]`, want: `00000000`},
		{
			name: `F72`,
			typ:  `list<text>`,
			text: `['a', 'b,c', 'it''s', '']`,
			want: `00000004000000016100000003622c63000000046974277300000000`,
		},
		{name: `F73`, typ: `list<text>`, text: `[a, b]`, want: `0000000200000001610000000162`},
		{name: `F74`, typ: `list<text>`, text: `["a"]`, want: `0000000100000003226122`},
		{name: `F75`, typ: `list<text>`, text: `['a\nb']`, want: `0000000100000004615c6e62`},
		{
			name: `F77`,
			typ:  `map<text,int>`,
			text: `{'a': 2, 'b': 1}`,
			want: `000000020000000161000000040000000200000001620000000400000001`,
		},
		{name: `F78`, typ: `map<text,int>`, text: `{a: }`, want: `00000001000000016100000000`},
		{
			name: `F81`,
			typ:  `map<text,time>`,
			text: `{'k': '12:34:56.000000000'}`,
			want: `00000001000000016b00000008000029324bfd6000`,
		},
		{
			name: `F82`,
			typ:  `map<text,text>`,
			text: `{'k': 'v:w'}`,
			want: `00000001000000016b00000003763a77`,
		},
		{name: `F83`, typ: `map<text,text>`, text: `{'k': ''}`, want: `00000001000000016b00000000`},
		{name: `F84`, typ: `tuple<int,text>`, text: `(1, 'a')`, want: `00000004000000010000000161`},
		{name: `F86`, typ: `tuple<int,text>`, text: `(1, )`, want: `000000040000000100000000`},
		{name: `F87`, typ: `tuple<int,text>`, text: `(1)`, want: `0000000400000001`},
		{
			name: `F89`,
			typ:  `frozen<addr>`,
			text: `{street: 'Main, it''s', zip: 5}`,
			want: `0000000a4d61696e2c20697427730000000400000005`,
		},
		{name: `F90`, typ: `frozen<addr>`, text: `{zip: 5}`, want: `ffffffff0000000400000005`},
		{
			name: `F91`,
			typ:  `frozen<addr>`,
			text: `{zip: 5, street: 'x'}`,
			want: `00000001780000000400000005`,
		},
		{name: `F94`, typ: `frozen<addr>`, text: `{'zip': 5}`, want: `ffffffff0000000400000005`},
		{
			name: `F97`,
			typ:  `vector<float,3>`,
			text: `[1.1, 2, 3]`,
			want: `3f8ccccd4000000040400000`,
		},
	})
}

// TestFromRefused checks fields that both refuse.
func TestFromRefused(t *testing.T) {
	runCases(t, []readCase{
		{name: `F12`, typ: `int`, text: `1,000`, err: `invalid int "1,000": not an integer`},
		{name: `F13`, typ: `int`, text: `1.0`, err: `invalid int "1.0": not an integer`},
		{
			name: `F14`,
			typ:  `int`,
			text: `2147483648`,
			err:  `out of range -2147483648..2147483647 for int`,
		},
		{name: `F19`, typ: `float`, text: `1e39`, err: `out of range for float`},
		{name: `F24`, typ: `decimal`, text: `NaN`, err: `invalid decimal "NaN": not a number`},
		{
			name: `F34`,
			typ:  `blob`,
			text: `0xABC`,
			err:  `odd number of hex digits (3), the last at offset 4`,
		},
		{name: `F35`, typ: `blob`, text: `0xzz`, err: `"z" at offset 2 is not a hex digit`},
		{name: `F37`, typ: `uuid`, text: `xyz`, err: `invalid uuid "xyz": not a UUID`},
		{
			name: `F40`,
			typ:  `inet`,
			text: `localhost`,
			err:  `invalid inet "localhost": not an IPv4 or IPv6 address`,
		},
		{
			name: `F54`,
			typ:  `timestamp`,
			text: `13/12/2015`,
			err:  `invalid timestamp "13/12/2015": not of the form "%Y-%m-%d %H:%M:%S.%f%z", nor`,
		},
		{
			name: `F56`,
			typ:  `timestamp`,
			text: `2015-13-45`,
			err:  `invalid timestamp "2015-13-45": month out of range 01..12`,
		},
		{name: `F64`, typ: `time`, text: `45296123456789`, err: `not a time of the form`},
		{
			name: `F68`,
			typ:  `list<int>`,
			text: `[1,,2]`,
			err:  `invalid list<int> "[1,,2]": offset 3: a value is missing`,
		},
		{
			name: `F70`,
			typ:  `list<int>`,
			text: `1,2`,
			err:  `invalid list<int> "1,2": offset 0: not between [ and ], { and } or ( and )`,
		},
		{
			name: `F79`,
			typ:  `map<text,int>`,
			text: `{a}`,
			err:  `invalid map<text, int> "{a}": offset 1: expected a key, ':' and a value`,
		},
		{
			name: `F98`,
			typ:  `vector<float,3>`,
			text: `[1,2]`,
			err:  `offset 0: 2 elements, where vector<float, 3> has 3`,
		},
	})
}

// TestFromRead checks fields that are read here, and that COPY FROM refuses or reads as another
// value.
func TestFromRead(t *testing.T) {
	runCases(t, []readCase{
		{name: `F85`, typ: `tuple<int,text>`, text: `(1, None)`, want: `0000000400000001ffffffff`},
		{
			name: `F46`,
			typ:  `timestamp`,
			text: `2015-12-13 09:46:40+0530`,
			want: wireOf(t, "timestamp", "2015-12-13T04:16:40Z"),
		},
		{name: `F47`, typ: `timestamp`, text: `2015-12-13T09:46:40Z`, want: `000001519abc2400`},
		{
			name: `F48`,
			typ:  `timestamp`,
			text: `2015-12-13T09:46:40.123+0000`,
			want: `000001519abc247b`,
		},
		{
			name: `F49`,
			typ:  `timestamp`,
			text: `2015-12-13 09:46+0000`,
			want: wireOf(t, "timestamp", "2015-12-13T09:46:00Z"),
		},
		{
			name: `F55`,
			typ:  `timestamp`,
			text: `1-01-01 00:00:00.000+0000`,
			want: wireOf(t, "timestamp", "-62135596800000"),
		},
		{name: `F60`, typ: `date`, text: `2932897`, want: wireOf(t, "date", "+10000-01-01")},
		{name: `F63`, typ: `time`, text: `12:34`, want: wireOf(t, "time", "12:34:00")},
		{name: `F65`, typ: `duration`, text: `1mo2d`, want: `020400`},
		{name: `F76`, typ: `list<ascii>`, text: `['']`, want: `0000000100000000`},
		{
			name: `F80`,
			typ:  `map<text,time>`,
			text: `{'k': 12:34:56.000000000}`,
			want: `00000001000000016b00000008000029324bfd6000`,
		},
		{name: `F88`, typ: `tuple<int,int>`, text: `(1, None)`, want: `0000000400000001ffffffff`},
		{name: `F92`, typ: `frozen<addr>`, text: `{street: '', zip: }`, want: `00000000ffffffff`},
		{name: `F95`, typ: `frozen<addr>`, text: `{"zip": 5}`, want: `ffffffff0000000400000005`},
		{
			name: `F96`,
			typ:  `frozen<tt>`,
			text: `{t: 12:34:56.000000000}`,
			want: `00000008000029324bfd6000`,
		},
	})
}

// TestFromError checks fields that are refused here, and that COPY FROM reads as another value.
func TestFromError(t *testing.T) {
	runCases(t, []readCase{
		{name: `F20`, typ: `float`, text: `1e400`, err: `out of range for float`},
		{
			name: `F27`,
			typ:  `boolean`,
			text: `1`,
			err:  `invalid boolean "1": not one of True, False`,
		},
		{
			name: `F28`,
			typ:  `boolean`,
			text: `yes`,
			err:  `invalid boolean "yes": not one of True, False`,
		},
		{
			name: `F29`,
			typ:  `boolean`,
			text: `garbage`,
			err:  `invalid boolean "garbage": not one of True, False`,
		},
		{
			name: `F33`,
			typ:  `blob`,
			text: `00ff`,
			err:  `invalid blob "00ff": hex bytes must begin with 0x`,
		},
		{
			name: `F93`,
			typ:  `frozen<addr>`,
			text: `{nope: 1}`,
			err:  `offset 1: frozen<addr> has no field nope, only street, zip`,
		},
	})
}
