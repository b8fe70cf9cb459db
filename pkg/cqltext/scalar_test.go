package cqltext

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// TestScalars checks values whose text is ordinary or raw, exact in both directions.
func TestScalars(t *testing.T) {
	for _, c := range []struct{ typ, wire, text string }{
		{"tinyint", "80", "-128"},
		{"tinyint", "7f", "127"},
		{"smallint", "8000", "-32768"},
		{"smallint", "7fff", "32767"},
		{"int", "00000000", "0"},
		{"int", "80000000", "-2147483648"},
		{"int", "7fffffff", "2147483647"},
		{"int", "", "0x"},
		{"bigint", "8000000000000000", "-9223372036854775808"},
		{"bigint", "7fffffffffffffff", "9223372036854775807"},
		{"bigint", "", "0x"},
		{"counter", "ffffffffffffffff", "-1"},

		{"varint", "00", "0"},
		{"varint", "ff", "-1"},
		{"varint", "7f", "127"},
		{"varint", "0080", "128"},
		{"varint", "80", "-128"},
		{"varint", "ff7f", "-129"},
		{"varint", "7fffffffffffffff", "9223372036854775807"},
		{"varint", "008000000000000000", "9223372036854775808"},
		{"varint", "8000000000000000", "-9223372036854775808"},
		{"varint", "ff7fffffffffffffff", "-9223372036854775809"},
		{"varint", "0de0b6b3a763ffff", "999999999999999999"},
		{"varint", "", "0x"},
		{"varint", "0000", "0x0000"},
		{"varint", "007f", "0x007f"},
		{"varint", "ffff", "0xffff"},
		{"varint", "ff80", "0xff80"},

		{"float", "00000000", "0"},
		{"float", "80000000", "-0"},
		{"float", "3f800000", "1"},
		{"float", "3dcccccd", "0.1"},
		{"float", "00000001", "1e-45"},
		{"float", "7f7fffff", "3.4028235e+38"},
		{"float", "7f800000", "Infinity"},
		{"float", "ff800000", "-Infinity"},
		{"float", "7fc00000", "NaN"},
		{"float", "7fc00001", "0x7fc00001"},
		{"float", "ffc00000", "0xffc00000"},
		{"float", "7f800001", "0x7f800001"},
		{"float", "358637bd", "0.000001"},
		{"float", "358637bc", "9.999999e-7"},
		{"float", "6258d727", "1e+21"},
		{"float", "6258d726", "999999950000000000000"},
		{"float", "", "0x"},
		{"double", "8000000000000000", "-0"},
		{"double", "0000000000000001", "5e-324"},
		{"double", "7fefffffffffffff", "1.7976931348623157e+308"},
		{"double", "3fb999999999999a", "0.1"},
		{"double", "7ff0000000000000", "Infinity"},
		{"double", "fff0000000000000", "-Infinity"},
		{"double", "7ff8000000000000", "NaN"},
		{"double", "7ff0000000000001", "0x7ff0000000000001"},
		{"double", "fff8000000000000", "0xfff8000000000000"},
		{"double", "444b1ae4d6e2ef50", "1e+21"},
		{"double", "444b1ae4d6e2ef4f", "999999999999999900000"},
		{"double", "3eb0c6f7a0b5ed8d", "0.000001"},
		{"double", "3eb0c6f7a0b5ed8c", "9.999999999999997e-7"},
		{"double", "", "0x"},

		{"boolean", "00", "false"},
		{"boolean", "01", "true"},
		{"boolean", "02", "0x02"},
		{"boolean", "", "0x"},

		{"blob", "", "0x"},
		{"blob", "00ff10", "0x00ff10"},
		{"'org.example.Odd'", "0a", "0x0a"},
		{"empty", "", "0x"},

		{"uuid", "550e8400e29b41d4a716446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"uuid", "", "0x"},
		{"timeuuid", "8ac6d1dc08e111e58e9f19f5b5e2a3c4", "8ac6d1dc-08e1-11e5-8e9f-19f5b5e2a3c4"},

		{"inet", "7f000001", "127.0.0.1"},
		{"inet", "20010db8000000000000000000000001", "2001:db8::1"},
		{"inet", "00000000000000000000000000000000", "::"},
		{"inet", "00000000000000000000ffff01020304", "::ffff:1.2.3.4"},
		{"inet", "", "0x"},

		{"timestamp", "0000000000000000", "1970-01-01T00:00:00Z"},
		{"timestamp", "0000015198a30800", "2015-12-13T00:00:00Z"},
		{"timestamp", "0000000000000001", "1970-01-01T00:00:00.001Z"},
		{"timestamp", "ffffffffffffffff", "1969-12-31T23:59:59.999Z"},
		{"timestamp", "fffffffffffffc18", "1969-12-31T23:59:59Z"},
		{"timestamp", "0000e677d21fdbff", "9999-12-31T23:59:59.999Z"},
		{"timestamp", "0000e677d21fdc00", "+10000-01-01T00:00:00Z"},
		{"timestamp", "ffffc77590fba000", "0000-01-01T00:00:00Z"},
		{"timestamp", "ffffc77590fb9fff", "-0001-12-31T23:59:59.999Z"},
		{"timestamp", "8000000000000000", "-292275055-05-16T16:47:04.192Z"},
		{"timestamp", "7fffffffffffffff", "+292278994-08-17T07:12:55.807Z"},
		{"timestamp", "", "0x"},

		{"date", "80000000", "1970-01-01"},
		{"date", "7fffffff", "1969-12-31"},
		{"date", "00000000", "-5877641-06-23"},
		{"date", "ffffffff", "+5881580-07-11"},

		{"time", "0000000000000000", "00:00:00.000000000"},
		{"time", "00004e94914effff", "23:59:59.999999999"},
		{"time", "00004e94914f0000", "0x00004e94914f0000"},
		{"time", "ffffffffffffffff", "0xffffffffffffffff"},

		{"duration", "000000", "0s"},
		{"duration", "1c0602", "1y2mo3d1ns"},
		{"duration", "1b0501", "-1y2mo3d1ns"},
		{"duration", "000002", "1ns"},
		{"duration", "f0fffffffe f0fffffffe ff fffffffffffffffe", "178956970y7mo2147483647d2562047h47m16s854ms775us807ns"},
		{"duration", "f0ffffffff f0ffffffff ff ffffffffffffffff", "-178956970y8mo2147483648d2562047h47m16s854ms775us808ns"},
		{"duration", "800200 00", "0x80020000"},                            // longer than necessary
		{"duration", "00000000", "0x00000000"},                             // one byte too many
		{"duration", "ff00000000000000000000", "0xff00000000000000000000"}, // zero in nine bytes
		{"duration", "00 00 fe 00000000000000", "0x0000fe00000000000000"},  // longer than necessary
	} {
		exact(t, c.typ, c.wire, c.text)
	}
}

// TestWhatNoServerTakes checks values that no server accepts. They are written, because some tables
// contain them, but not read.
func TestWhatNoServerTakes(t *testing.T) {
	for _, c := range []struct{ typ, wire, reason string }{
		{"tinyint", "", "0 bytes, where 1 bytes are due"},
		{"smallint", "", "0 bytes, where 2 bytes are due"},
		{"counter", "", "0 bytes, where 8 bytes are due"},
		{"date", "", "0 bytes, where 4 bytes are due"},
		{"time", "", "0 bytes, where 8 bytes are due"},
		{"duration", "", "0 bytes, where at least 3 bytes are due"},
		{"duration", "020100", "1 months, -1 days and 0 nanoseconds have different signs"},
		{"duration", "010002", "-1 months, 0 days and 1 nanoseconds have different signs"},
		{"duration", "f200000000 0000", "4294967296 months and 0 days, where 32 bits are due"},
		{"duration", "00 f8dcc4ea9400 00", "days, where 32 bits are due"},
		{"duration", "0000ff", "months, days or nanoseconds are cut off"},
		{"decimal", "00", "1 bytes, where 0 or at least 4 bytes are due"},
		{"decimal", "000000", "3 bytes, where 0 or at least 4 bytes are due"},
		{"timeuuid", "550e8400e29b41d4a716446655440000", "UUID version 4, where a timeuuid is of version 1"},
	} {
		codec, wire := mustPlan(t, c.typ), testkit.Unhex(t, c.wire)
		text, err := toText(t, codec, wire)
		require.NoError(t, err)
		require.Equal(t, string(appendRaw(nil, wire)), text)
		_, err = toWire(t, codec, text)
		require.ErrorContains(t, err, c.reason)
		require.Error(t, mustLayout(t, c.typ).Check(wire))
	}
}

func TestTextTypes(t *testing.T) {
	for _, text := range []string{
		"", "a", " blanks kept ", "it's", "\"", "a\nb\r\tc\\", "\x00", "\u00a0", "\U0001F600", "e\u0301", "0x", "null", "\u2028",
	} {
		got, err := toText(t, mustPlan(t, "text"), []byte(text))
		require.NoError(t, err)
		require.Equal(t, text, got)
		back, err := toWire(t, mustPlan(t, "text"), text)
		require.NoError(t, err)
		require.Equal(t, text, back)
	}
	exact(t, "ascii", "00 7f 27 0a", "\x00\x7f'\n")
	exact(t, "ascii", "", "")
	// Cassandra accepts some bytes beyond the standard: modified UTF-8's NUL, surrogates, odd
	// second bytes, high planes.
	for _, wire := range []string{"c080", "eda080edb080", "e04180", "f0108080", "f7bfbfbf"} {
		exact(t, "text", wire, string(testkit.Unhex(t, wire)))
	}
}

func TestTextLike(t *testing.T) {
	for k := cqltype.Invalid; k <= cqltype.Custom; k++ {
		require.Equal(
			t, k == cqltype.Ascii || k == cqltype.Text, TextLike(&cqltype.Type{Kind: k}), k,
		)
	}
	require.False(t, TextLike(nil))
}
