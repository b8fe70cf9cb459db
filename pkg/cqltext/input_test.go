package cqltext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpellings checks texts that are read but never written.
func TestSpellings(t *testing.T) {
	for _, c := range []struct{ typ, in, text string }{
		{"int", " \t\r\n+007 ", "7"},
		{"int", "-0", "0"},
		{"int", "0X0000000A", "10"},
		{"bigint", "+9223372036854775807", "9223372036854775807"},
		{"bigint", "000000000000000000000000000001", "1"},
		{"varint", "+0012", "12"},
		{"varint", "-0", "0"},
		{"varint", "0x05", "5"},
		{"varint", "-000000000000000000000000000000128", "-128"},

		{"float", "NAN", "NaN"},
		{"float", "-nan", "NaN"},
		{"float", "+inf", "Infinity"},
		{"float", "-INFINITY", "-Infinity"},
		{"float", ".5", "0.5"},
		{"float", "5.", "5"},
		{"float", "+1E3", "1000"},
		{"float", "0.1000000000000000055511151231257827", "0.1"},
		{"double", "1e-400", "0"},
		{"double", "-1e-400", "-0"},
		{"double", "0x7ff8000000000000", "NaN"},
		{"double", " 1.5 ", "1.5"},

		{"boolean", "TRUE", "true"},
		{"boolean", "t", "true"},
		{"boolean", "Yes", "true"},
		{"boolean", "Y", "true"},
		{"boolean", "1", "true"},
		{"boolean", "False", "false"},
		{"boolean", "F", "false"},
		{"boolean", "NO", "false"},
		{"boolean", "n", "false"},
		{"boolean", "0", "false"},
		{"boolean", "0x01", "true"},

		{"blob", " 0XABcd ", "0xabcd"},

		{"uuid", "550E8400-E29B-41D4-A716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"uuid", "550e8400e29b41d4a716446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"uuid", "{550e8400-e29b-41d4-a716-446655440000}", "550e8400-e29b-41d4-a716-446655440000"},
		{"uuid", "{550e8400e29b41d4a716446655440000}", "550e8400-e29b-41d4-a716-446655440000"},

		{"inet", "2001:DB8:0:0:0:0:0:1", "2001:db8::1"},
		{"inet", "::ffff:102:304", "::ffff:1.2.3.4"},

		{"timestamp", "2015-12-13", "2015-12-13T00:00:00Z"},
		{"timestamp", "2015-12-13 09:46", "2015-12-13T09:46:00Z"},
		{"timestamp", "2015-12-13   09:46:40", "2015-12-13T09:46:40Z"},
		{"timestamp", "2015-12-13t09:46:40.1", "2015-12-13T09:46:40.100Z"},
		{"timestamp", "2015-12-13T09:46:40.123456789z", "2015-12-13T09:46:40.123Z"},
		{"timestamp", "1969-12-31T23:59:59.9999", "1969-12-31T23:59:59.999Z"},
		{"timestamp", "2015-12-13 09:46:40.123+0000", "2015-12-13T09:46:40.123Z"},
		{"timestamp", "2015-12-13T09:46:40+01", "2015-12-13T08:46:40Z"},
		{"timestamp", "2015-12-13T09:46:40-0130", "2015-12-13T11:16:40Z"},
		{"timestamp", "2015-12-13T09:46:40 +01:30", "2015-12-13T08:16:40Z"},
		{"timestamp", "2015-12-13T09:46:40 Z", "2015-12-13T09:46:40Z"},
		{"timestamp", "2015-12-13+0100", "2015-12-12T23:00:00Z"},
		{"timestamp", "2015-12-13 Z", "2015-12-13T00:00:00Z"},
		{"timestamp", "2015-12-13T00:00:00+18:00", "2015-12-12T06:00:00Z"},
		{"timestamp", "0", "1970-01-01T00:00:00Z"},
		{"timestamp", "-1", "1969-12-31T23:59:59.999Z"},
		{"timestamp", "20151213", "1970-01-01T05:35:51.213Z"},
		{"timestamp", "2015", "1970-01-01T00:00:02.015Z"},
		{"timestamp", "+2015-12-13", "2015-12-13T00:00:00Z"},
		{"timestamp", "-9223372036854775808", "-292275055-05-16T16:47:04.192Z"},
		{"timestamp", "2000-02-29", "2000-02-29T00:00:00Z"},
		{"timestamp", "-0004-02-29", "-0004-02-29T00:00:00Z"},
		{"timestamp", "+292278994-08-18T01:12:55.807+18", "+292278994-08-17T07:12:55.807Z"},
		{"date", "+1970-01-01", "1970-01-01"},
		{"date", " -0001-12-31 ", "-0001-12-31"},
		{"time", "09:46", "09:46:00.000000000"},
		{"time", "09:46:40", "09:46:40.000000000"},
		{"time", "09:46:40.5", "09:46:40.500000000"},

		{"duration", "1Y2Mo3W4D5H6M7S8MS9US10NS", "1y2mo25d5h6m7s8ms9us10ns"},
		{"duration", "1µs", "1us"},
		{"duration", "1\u03bcS", "1us"},
		{"duration", "90m", "1h30m"},
		{"duration", "-90m", "-1h30m"},
		{"duration", "-0s", "0s"},
		{"duration", "14mo", "1y2mo"},
		{"duration", "P1Y2M3DT4H5M6S", "1y2mo3d4h5m6s"},
		{"duration", "-p1y", "-1y"},
		{"duration", "P1W", "7d"},
		{"duration", "PT0S", "0s"},
		{"duration", "P2M", "2mo"},
		{"duration", "PT2M", "2m"},

		{"list<int>", " [ 1 ,\t2,\n3 ] ", "[1, 2, 3]"},
		{"list<int>", "[]", "[]"},
		{"list<int>", "[ ]", "[]"},
		{"list<int>", "['1', 0x00000002]", "[1, 2]"},
		{"list<int>", "0x000000010000000400000007", "[7]"},
		{"list<date>", "[2015-12-13]", "['2015-12-13']"},
		{"list<time>", "[09:46:40]", "['09:46:40.000000000']"},
		{"list<timestamp>", "[2015-12-13 09:46:40 +01, '1']", "['2015-12-13T08:46:40Z', '1970-01-01T00:00:00.001Z']"},
		{"list<inet>", "[::1, '127.0.0.1']", "['::1', '127.0.0.1']"},
		{"list<uuid>", "['550e8400-e29b-41d4-a716-446655440000']", "[550e8400-e29b-41d4-a716-446655440000]"},
		{"list<uuid>", "['{550e8400-e29b-41d4-a716-446655440000}']", "[550e8400-e29b-41d4-a716-446655440000]"},
		{"list<boolean>", "[TRUE , no]", "[true, false]"},
		{"set<text>", "{'b','a'}", "{'b', 'a'}"},
		{"map<int, int>", "{1:2,3 : 4}", "{1: 2, 3: 4}"},
		{"map<text, text>", "{'a':'b'}", "{'a': 'b'}"},
		{"map<int, timestamp>", "{1: 2015-12-13T09:46:40Z}", "{1: '2015-12-13T09:46:40Z'}"},
		{"map<frozen<list<int>>, int>", "{[1,2]:3, 0x00000000 : 4}", "{[1, 2]: 3, []: 4}"},
		{"tuple<int, text, int>", "( NULL , 'null' )", "(null, 'null')"},
		{"tuple<int, text>", "()", "()"},
		{"addr", "{ZIP: 5, street : 'x'}", "{street: 'x', zip: 5}"},
		{"addr", "{zip: 5}", "{street: null, zip: 5}"},
		{"addr", `{"select": ('y'), "street": 'x'}`, `{street: 'x', zip: null, "Mixed""Name": null, "select": ('y')}`},
		{"addr", `{SELECT: null}`, `{street: null, zip: null, "Mixed""Name": null, "select": null}`},
		{"addr", `{zip: 1, "Mixed""Name": [2], street: 'x'}`, `{street: 'x', zip: 1, "Mixed""Name": [2]}`},
		{"addr", `{"Mixed""Name": [2], zip: 1}`, `{street: null, zip: 1, "Mixed""Name": [2]}`},
		{"addr", `{}`, `{}`},
		{"outer", "{other: {'k': {b: 'x', a: 1}}, nested: {b: 'y', a: null}}", "{nested: {a: null, b: 'y'}, other: {'k': {a: 1, b: 'x'}}}"},
		{"none", "{}", "{}"},
		{"vector<float, 2>", "[ 1.0,2e0 ]", "[1, 2]"},
		{"vector<float, 1>", "0x3f800000", "[1]"},
	} {
		t.Run(c.typ+" "+c.in, func(t *testing.T) {
			codec := mustPlan(t, c.typ)
			wire, err := toWire(t, codec, c.in)
			require.NoError(t, err)
			text, err := toText(t, codec, []byte(wire))
			require.NoError(t, err)
			require.Equal(t, c.text, text)
		})
	}
}

// TestBadTexts checks the complete errors of texts that are refused.
func TestBadTexts(t *testing.T) {
	const noTime = "not a time of the form HH:MM[:SS[.nnnnnnnnn]]"
	const noDate = "not a date of the form YYYY-MM-DD (a year outside 0000..9999 with a sign)"
	const noZone = "after the time there may only be a zone: Z, +HH, +HHMM or +HH:MM, up to 18:00"
	const noDuration = "not a duration such as 1y2mo3d4h5m6s7ms8us9ns or P1Y2M3DT4H5M6S"
	const noUUID = "not a UUID of the form 01234567-89ab-cdef-0123-456789abcdef"
	for _, c := range []struct{ typ, in, want string }{
		{"text", "twelve bytes\xff", `invalid UTF-8 byte 0xff at offset 12`},
		{"text", "\xc3(", `invalid UTF-8 byte 0x28 at offset 1`},
		{"text", "\xe2\x82(", `invalid UTF-8 byte 0x28 at offset 2`},
		{"text", "ab\xe2\x82", `UTF-8 character cut off at offset 2`},
		{"text", "\xc1\x80", `invalid UTF-8 byte 0xc1 at offset 0`},
		{"text", "\xe0\x80\x80", `invalid UTF-8 byte 0x80 at offset 1`},
		{"text", "\xf0\x80\x80\x80", `invalid UTF-8 byte 0x80 at offset 1`},
		{"text", "\xf8", `invalid UTF-8 byte 0xf8 at offset 0`},
		{"ascii", "aé", `invalid ASCII byte 0xc3 at offset 1`},
		{"ascii", "sixteen bytes é...", `invalid ASCII byte 0xc3 at offset 14`},
		{"ascii", "twelve bytesé", `invalid ASCII byte 0xc3 at offset 12`},

		{"tinyint", "128", `invalid tinyint "128": out of range -128..127 for tinyint`},
		{"smallint", "-32769", `invalid smallint "-32769": out of range -32768..32767 for smallint`},
		{"int", "2147483648", `invalid int "2147483648": out of range -2147483648..2147483647 for int`},
		{
			"bigint", "9223372036854775808",
			`invalid bigint "9223372036854775808": out of range -9223372036854775808..9223372036854775807 for bigint`,
		},
		{
			"counter", "99999999999999999999",
			`invalid counter "99999999999999999999": out of range -9223372036854775808..9223372036854775807 for counter`,
		},
		{
			"bigint", "18446744073709551616",
			`invalid bigint "18446744073709551616": out of range -9223372036854775808..9223372036854775807 for bigint`,
		},
		{"int", "1.5", `invalid int "1.5": not an integer`},
		{"int", "", `invalid int "": not an integer`},
		{"int", "-", `invalid int "-": not an integer`},
		{"int", "1 2", `invalid int "1 2": not an integer`},
		{"int", "99999999999999999999x", `invalid int "99999999999999999999x": not an integer`},
		{"int", "0x01", `invalid int "0x01": 1 bytes, where 0 or 4 bytes are due`},
		{"int", "0x0", `invalid int "0x0": odd number of hex digits (1), the last at offset 2`},
		{"varint", "1e5", `invalid varint "1e5": not an integer`},
		{"varint", "+", `invalid varint "+": not an integer`},

		{"float", "3.5e38", `invalid float "3.5e38": out of range for float`},
		{"double", "-1e400", `invalid double "-1e400": out of range for double`},
		{"double", "1_000", `invalid double "1_000": not a number`},
		{"double", "0x1p3", `invalid double "0x1p3": "p" at offset 3 is not a hex digit`},
		{"double", "1,5", `invalid double "1,5": not a number`},
		{"double", "", `invalid double "": not a number`},
		{"double", "1e", `invalid double "1e": not a number`},
		{"double", "infinit", `invalid double "infinit": not a number`},

		{"decimal", "NaN", `invalid decimal "NaN": not a number`},
		{"decimal", "Infinity", `invalid decimal "Infinity": not a number`},
		{"decimal", "", `invalid decimal "": not a number`},
		{"decimal", ".", `invalid decimal ".": not a number`},
		{"decimal", "1.2.3", `invalid decimal "1.2.3": not a number`},
		{"decimal", "1e", `invalid decimal "1e": not a number`},
		{"decimal", "1e2147483649", `invalid decimal "1e2147483649": scale out of range -2147483648..2147483647`},
		{"decimal", "1e-2147483648", `invalid decimal "1e-2147483648": scale out of range -2147483648..2147483647`},
		{"decimal", "1e99999999999999999999", `invalid decimal "1e99999999999999999999": scale out of range -2147483648..2147483647`},

		{"boolean", "maybe", `invalid boolean "maybe": not one of true, false, t, f, yes, no, y, n, 1, 0`},
		{"blob", "abcd", `invalid blob "abcd": hex bytes must begin with 0x`},
		{"blob", "", `invalid blob "": hex bytes must begin with 0x`},
		{"blob", "0xabc", `invalid blob "0xabc": odd number of hex digits (3), the last at offset 4`},
		{"blob", "0xabcg", `invalid blob "0xabcg": "g" at offset 5 is not a hex digit`},
		{"blob", "0x-1", `invalid blob "0x-1": "-" at offset 2 is not a hex digit`},
		{"empty", "1", `invalid empty "1": the only value is 0x`},
		{"empty", "0x00", `invalid empty "0x00": 1 bytes, where 0 bytes are due`},

		{"uuid", "550e8400-e29b-41d4-a716-44665544000", `invalid uuid "550e8400-e29b-41d4-a716-44665544000": ` + noUUID},
		{"uuid", "550e8400+e29b-41d4-a716-446655440000", `invalid uuid "550e8400+e29b-41d4-a716-446655440000": ` + noUUID},
		{"uuid", "550e8400e29b41d4a71644665544000g", `invalid uuid "550e8400e29b41d4a71644665544000g": ` + noUUID},
		{
			"timeuuid", "550e8400-e29b-41d4-a716-446655440000",
			`invalid timeuuid "550e8400-e29b-41d4-a716-446655440000": UUID version 4, where a timeuuid is of version 1`,
		},
		{"inet", "1.2.3", `invalid inet "1.2.3": not an IPv4 or IPv6 address`},
		{"inet", "fe80::1%eth0", `invalid inet "fe80::1%eth0": an address cannot have a zone`},
		{"inet", "localhost", `invalid inet "localhost": not an IPv4 or IPv6 address`},

		{"timestamp", "2015-13-01", `invalid timestamp "2015-13-01": month out of range 01..12`},
		{"timestamp", "2015-02-29", `invalid timestamp "2015-02-29": no such day in that month`},
		{"timestamp", "1900-02-29", `invalid timestamp "1900-02-29": no such day in that month`},
		{"timestamp", "2015-04-31", `invalid timestamp "2015-04-31": no such day in that month`},
		{"timestamp", "2015-1-1", `invalid timestamp "2015-1-1": ` + noDate},
		{"timestamp", "2015-1a-01", `invalid timestamp "2015-1a-01": ` + noDate},
		{"timestamp", "2015/12/13", `invalid timestamp "2015/12/13": ` + noDate},
		{"timestamp", "2015-12-13T09:4x", `invalid timestamp "2015-12-13T09:4x": ` + noTime},
		{"timestamp", "20151-01-01", `invalid timestamp "20151-01-01": ` + noDate},
		{"timestamp", "+201-01-01", `invalid timestamp "+201-01-01": ` + noDate},
		{"timestamp", "+1234567890-01-01", `invalid timestamp "+1234567890-01-01": ` + noDate},
		{"timestamp", "", `invalid timestamp "": ` + noDate},
		{"timestamp", "2015-12-13T", `invalid timestamp "2015-12-13T": ` + noTime},
		{"timestamp", "2015-12-13T9:46", `invalid timestamp "2015-12-13T9:46": ` + noTime},
		{"timestamp", "2015-12-13T09:4", `invalid timestamp "2015-12-13T09:4": ` + noTime},
		{"timestamp", "2015-12-13T09:46:4", `invalid timestamp "2015-12-13T09:46:4": ` + noTime},
		{"timestamp", "2015-12-13T09:46:40.", `invalid timestamp "2015-12-13T09:46:40.": ` + noTime},
		{"timestamp", "2015-12-13T09:46:40.1234567890", `invalid timestamp "2015-12-13T09:46:40.1234567890": ` + noTime},
		{"timestamp", "2015-12-13T24:00", `invalid timestamp "2015-12-13T24:00": time of day out of range 00:00:00..23:59:59`},
		{"timestamp", "2015-12-13T23:60", `invalid timestamp "2015-12-13T23:60": time of day out of range 00:00:00..23:59:59`},
		{"timestamp", "2015-12-13T23:59:60", `invalid timestamp "2015-12-13T23:59:60": time of day out of range 00:00:00..23:59:59`},
		{"timestamp", "2015-12-13T09:46:40 CET", `invalid timestamp "2015-12-13T09:46:40 CET": ` + noZone},
		{"timestamp", "2015-12-13T09:46:40+19", `invalid timestamp "2015-12-13T09:46:40+19": ` + noZone},
		{"timestamp", "2015-12-13T09:46:40+18:01", `invalid timestamp "2015-12-13T09:46:40+18:01": ` + noZone},
		{"timestamp", "2015-12-13T09:46:40+01:60", `invalid timestamp "2015-12-13T09:46:40+01:60": ` + noZone},
		{"timestamp", "2015-12-13T09:46:40+1", `invalid timestamp "2015-12-13T09:46:40+1": ` + noZone},
		{"timestamp", "2015-12-13T09:46:40+01:", `invalid timestamp "2015-12-13T09:46:40+01:": ` + noZone},
		{"timestamp", "2015-12-13  Z", `invalid timestamp "2015-12-13  Z": ` + noZone},
		{
			"timestamp", "9223372036854775808",
			`invalid timestamp "9223372036854775808": out of range for timestamp, which is 64 bits of milliseconds`,
		},
		{
			"timestamp", "+292278994-08-17T07:12:55.808Z",
			`invalid timestamp "+292278994-08-17T07:12:55.808Z": out of range for timestamp, which is 64 bits of milliseconds`,
		},
		{
			"timestamp", "-292275055-05-16T16:47:04.191Z",
			`invalid timestamp "-292275055-05-16T16:47:04.191Z": out of range for timestamp, which is 64 bits of milliseconds`,
		},
		{
			"timestamp", "-999999999-01-01",
			`invalid timestamp "-999999999-01-01": out of range for timestamp, which is 64 bits of milliseconds`,
		},
		{"date", "2015-12-13T00:00", `invalid date "2015-12-13T00:00": ` + noDate},
		{"date", "16000", `invalid date "16000": ` + noDate},
		{"date", "+5881580-07-12", `invalid date "+5881580-07-12": out of range -5877641-06-23..+5881580-07-11 for date`},
		{"date", "-5877641-06-22", `invalid date "-5877641-06-22": out of range -5877641-06-23..+5881580-07-11 for date`},
		{"time", "09:46:40Z", `invalid time "09:46:40Z": ` + noTime},
		{"time", "24:00", `invalid time "24:00": time of day out of range 00:00:00..23:59:59`},
		{"time", "", `invalid time "": ` + noTime},

		{"duration", "", `invalid duration "": ` + noDuration},
		{"duration", "-", `invalid duration "-": ` + noDuration},
		{"duration", "5", `invalid duration "5": unknown unit ""`},
		{"duration", "5x", `invalid duration "5x": unknown unit "x"`},
		{"duration", "5 h", `invalid duration "5 h": unknown unit " h"`},
		{"duration", "h", `invalid duration "h": ` + noDuration},
		{"duration", "1h1h", `invalid duration "1h1h": each unit may occur once, from years down to nanoseconds`},
		{"duration", "1s1h", `invalid duration "1s1h": each unit may occur once, from years down to nanoseconds`},
		{
			"duration", "2147483648d",
			`invalid duration "2147483648d": out of range for duration (months and days 32 bits, nanoseconds 64 bits)`,
		},
		{
			"duration", "178956970y8mo",
			`invalid duration "178956970y8mo": out of range for duration (months and days 32 bits, nanoseconds 64 bits)`,
		},
		{
			"duration", "9223372036854775808ns",
			`invalid duration "9223372036854775808ns": out of range for duration (months and days 32 bits, nanoseconds 64 bits)`,
		},
		{
			"duration", "99999999999999999999h",
			`invalid duration "99999999999999999999h": out of range for duration (months and days 32 bits, nanoseconds 64 bits)`,
		},
		{"duration", "P", `invalid duration "P": ` + noDuration},
		{"duration", "PT", `invalid duration "PT": ` + noDuration},
		{"duration", "P1", `invalid duration "P1": ` + noDuration},
		{"duration", "P1H", `invalid duration "P1H": ` + noDuration},
		{"duration", "P1Y1W", `invalid duration "P1Y1W": ` + noDuration},
		{"duration", "P1W1D", `invalid duration "P1W1D": ` + noDuration},
		{"duration", "PT1HT1M", `invalid duration "PT1HT1M": ` + noDuration},
		{"duration", "P1M1Y", `invalid duration "P1M1Y": each unit may occur once, from years down to nanoseconds`},

		{"list<int>", "", `invalid list<int> "": offset 0: expected '[', found the end`},
		{"list<int>", "1", `invalid list<int> "1": offset 0: expected '[', found "1"`},
		{"list<int>", "[1", `invalid list<int> "[1": offset 2: expected ',' or ']', found the end`},
		{"list<int>", "[1,", `invalid list<int> "[1,": offset 3: expected a value, found the end`},
		{"list<int>", "[1,]", `invalid list<int> "[1,]": offset 3: expected a value, found "]"`},
		{"list<int>", "[1,,2]", `invalid list<int> "[1,,2]": offset 3: expected a value, found ","`},
		{"list<int>", "[1 2]", `invalid list<int> "[1 2]": offset 1: invalid int "1 2": not an integer`},
		{"list<int>", "[1] x", `invalid list<int> "[1] x": offset 4: expected the end, found "x"`},
		{"list<frozen<list<int>>>", "[[1, null]]", `invalid list<frozen<list<int>>> "[[1, null]]": offset 5: null is only allowed in a tuple, a user type or an outermost list`},
		{"set<int>", "{1, null}", `invalid set<int> "{1, null}": offset 4: null is only allowed in a tuple, a user type or an outermost list`},
		{"list<int>", "[1, x]", `invalid list<int> "[1, x]": offset 4: invalid int "x": not an integer`},
		{"list<int>", "['1]", `invalid list<int> "['1]": offset 1: single quote is not closed`},
		{"list<int>", "['1''']", `invalid list<int> "['1''']": offset 1: invalid int "1''": not an integer`},
		{"list<int>", "0x00000001", `invalid list<int> "0x00000001": offset 0: malformed list<int> value: element 0 is cut off`},
		{"list<text>", "[a]", `invalid list<text> "[a]": offset 1: text inside a collection, tuple or user type needs single quotes`},
		{"list<text>", `["a"]`, `invalid list<text> "[\"a\"]": offset 1: text inside a collection, tuple or user type needs single quotes`},
		{"list<text>", `['a`, `invalid list<text> "['a": offset 1: single quote is not closed`},
		{"list<text>", `[`, `invalid list<text> "[": offset 1: expected a value, found the end`},
		{"list<text>", "['a', '\xff']", `invalid list<text> "['a', '\xff']": offset 6: invalid UTF-8 byte 0xff at offset 0`},
		{"list<text>", "0x0000000100000001ff", `invalid list<text> "0x0000000100000001ff": offset 0: malformed text value: invalid UTF-8 byte 0xff at offset 0`},
		{"set<int>", "[1]", `invalid set<int> "[1]": offset 0: expected '{', found "["`},
		{"map<int, int>", "{1}", `invalid map<int, int> "{1}": offset 2: expected ':', found "}"`},
		{"map<int, int>", "{1:}", `invalid map<int, int> "{1:}": offset 3: expected a value, found "}"`},
		{"map<int, int>", "{1:2", `invalid map<int, int> "{1:2": offset 4: expected ',' or '}', found the end`},
		{"map<int, int>", "{null: 1}", `invalid map<int, int> "{null: 1}": offset 1: null is only allowed in a tuple, a user type or an outermost list`},
		{"map<int, int>", "[]", `invalid map<int, int> "[]": offset 0: expected '{', found "["`},
		{"map<int, int>", "0xzz", `invalid map<int, int> "0xzz": offset 0: "z" at offset 2 is not a hex digit`},
		{"map<time, int>", "{09:46: 1}", `invalid map<time, int> "{09:46: 1}": offset 1: invalid time "09": ` + noTime},
		{"tuple<int>", "(1, 2)", `invalid tuple<int> "(1, 2)": offset 3: more than the 1 elements of tuple<int>`},
		{"tuple<int>", "(1,)", `invalid tuple<int> "(1,)": offset 3: more than the 1 elements of tuple<int>`},
		{"tuple<int>", "(x)", `invalid tuple<int> "(x)": offset 1: invalid int "x": not an integer`},
		{"tuple<int>", "(1", `invalid tuple<int> "(1": offset 2: expected ',' or ')', found the end`},
		{"tuple<blob>", "(abc)", `invalid tuple<blob> "(abc)": offset 1: invalid blob "abc": hex bytes must begin with 0x`},
		{"tuple<int>", "[1]", `invalid tuple<int> "[1]": offset 0: expected '(', found "["`},
		{"addr", "{zap: 1}", `invalid addr "{zap: 1}": offset 1: addr has no field zap, only street, zip, "Mixed""Name", "select"`},
		{"addr", `{"ZIP": 1}`, `invalid addr "{\"ZIP\": 1}": offset 1: addr has no field "ZIP", only street, zip, "Mixed""Name", "select"`},
		{"addr", "{zip: 1, zip: 2}", `invalid addr "{zip: 1, zip: 2}": offset 9: field zip occurs twice`},
		{"addr", "{zip: 1, street: 'a', zip: 2}", `invalid addr "{zip: 1, street: 'a', zip: 2}": offset 22: field zip occurs twice`},
		{"addr", "{zip: 1, street: 'a', street: 'b'}", `invalid addr "{zip: 1, street: 'a', street: 'b'}": offset 22: field street occurs twice`},
		{"addr", "{zip: x}", `invalid addr "{zip: x}": field zip: offset 6: invalid int "x": not an integer`},
		{"addr", "{zip: 1, street: x}", `invalid addr "{zip: 1, street: x}": field street: offset 17: text inside a collection, tuple or user type needs single quotes`},
		{"addr", "{zip: 1, street: 'a', zap: 2}", `invalid addr "{zip: 1, street: 'a', zap: 2}": offset 22: addr has no field zap, only street, zip, "Mixed""Name", "select"`},
		{"addr", "[1]", `invalid addr "[1]": offset 0: expected '{', found "["`},
		{"addr", "{zip 1}", `invalid addr "{zip 1}": offset 5: expected ':', found "1"`},
		{"addr", `{"zip: 1}`, `invalid addr "{\"zip: 1}": offset 1: double quote is not closed`},
		{"addr", "{zip: 1,}", `invalid addr "{zip: 1,}": offset 8: expected the name of a field`},
		{"addr", "{: 1}", `invalid addr "{: 1}": offset 1: expected the name of a field`},
		{"vector<float, 2>", "[1]", `invalid vector<float, 2> "[1]": offset 0: 1 elements, where vector<float, 2> has 2`},
		{"vector<float, 2>", "[]", `invalid vector<float, 2> "[]": offset 0: 0 elements, where vector<float, 2> has 2`},
		{"vector<float, 2>", "[1, 2, 3]", `invalid vector<float, 2> "[1, 2, 3]": offset 6: more than the 2 elements of vector<float, 2>`},
		{"vector<float, 2>", "[1, null]", `invalid vector<float, 2> "[1, null]": offset 4: null is only allowed in a tuple, a user type or an outermost list`},
		{"vector<float, 2>", "[1, 0x]", `invalid vector<float, 2> "[1, 0x]": offset 4: 0 bytes, where each element of vector<float, 2> has 4`},
		{"vector<float, 2>", "[x, 1]", `invalid vector<float, 2> "[x, 1]": offset 1: invalid float "x": not a number`},
		{"vector<float, 2>", "[1", `invalid vector<float, 2> "[1": offset 2: expected ',' or ']', found the end`},
		{"vector<float, 2>", "{1, 2}", `invalid vector<float, 2> "{1, 2}": offset 0: expected '[', found "{"`},
	} {
		t.Run(c.typ+" "+c.in, func(t *testing.T) {
			_, err := toWire(t, mustPlan(t, c.typ), c.in)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("x", 1000)
	_, err := toWire(t, mustPlan(t, "int"), long)
	require.EqualError(t, err, `invalid int "`+long[:64]+`"... (1000 bytes): not an integer`)
	_, err = toWire(t, mustPlan(t, "addr"), "{"+long+": 1}")
	require.Less(t, len(err.Error()), 400)
	_, err = toWire(t, mustPlan(t, "duration"), "1"+long)
	require.Less(t, len(err.Error()), 300)
	_, err = toWire(t, mustPlan(t, "inet"), strings.Repeat("1", 1000))
	require.Less(t, len(err.Error()), 300)
}
