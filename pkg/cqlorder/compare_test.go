package cqlorder

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
)

// ascending has values of each type in hex, in ascending order; "=" separates equal values in one
// string.
var ascending = map[string][]string{
	"ascii": {"", "00", "20", "41", "4141", "42", "7f"},
	"text":  {"", "41", "61", "6161", "c3a9", "f09f9880"},
	"blob":  {"", "00", "0000", "7f", "80", "ff", "ff00"},
	"inet": {
		"",
		"00000000000000000000000000000001",
		"01010101",
		"7f000001",
		"80000000",
		"fe800000000000000000000000000001",
		"ffffffff",
	},
	"date":     {"", "00000000", "7fffffff", "80000000", "ffffffff"},
	"time":     {"", "0000000000000000", "00004e94914effff"},
	"duration": {"", "000002", "010000", "02 00 00", "020000 00"},
	"tinyint":  {"", "80", "ff", "00", "01", "7f"},
	"smallint": {"", "8000", "ffff", "0000", "0100", "7fff"},
	"int": {
		"",
		"80000000",
		"ffffffff",
		"00000000",
		"00000001",
		"7fffffff",
		"0000000000",
		"01",
	},
	"bigint": {
		"",
		"8000000000000000",
		"ffffffffffffffff",
		"0000000000000000",
		"7fffffffffffffff",
	},
	"timestamp": {
		"",
		"8000000000000000",
		"ffffffffffffffff",
		"0000000000000000",
		"7fffffffffffffff",
	},
	"counter": {"", "ffffffffffffffff", "0000000000000000"},
	"boolean": {"", "00", "01 = 02 = ff"},
	"empty":   {""},
	"float": {
		"",
		"ff800000",
		"ff7fffff",
		"bf800000",
		"80000001",
		"80000000",
		"00000000",
		"00000001",
		"3f800000",
		"7f7fffff",
		"7f800000",
		"7fc00000 = 7f800001 = ffc00000 = ffffffff",
		"00",
	},
	"double": {
		"",
		"fff0000000000000",
		"bff0000000000000",
		"8000000000000000",
		"0000000000000000",
		"3ff0000000000000",
		"7ff0000000000000",
		"7ff8000000000000 = 7ff0000000000001 = ffffffffffffffff",
	},
	"varint": {
		"",
		"80000000000000000000",
		"ff7fff",
		"ff7f",
		"80 = ff80 = ffff80",
		"81",
		"ff = ffff",
		"00 = 0000",
		"01 = 0001",
		"7f",
		"0080 = 000080",
		"00ff",
		"0100",
		"7fffffffffffffff",
		"008000000000000000",
	},
	"decimal": {
		"",
		"80000000 ff",                 // -1e2147483648
		"ffffffff ff",                 // -10
		"00000000 ff = 00000001 f6",   // -1, -1.0
		"7fffffff ff",                 // -1e-2147483647
		"00000000 00 = 7fffffff 0000", // 0
		"7fffffff 01",                 // 1e-2147483647
		"00000002 64 = 00000000 01 = 00000001 0a = 00000014 056bc75e2d63100000",
		"00000014 056bc75e2d63100001", // 1.00000000000000000001
		"00000000 02",                 // 2
		"fffffff6 03",                 // 3e10
		"80000000 01",                 // 1e2147483648
		"80000000 0a = 80000001 64",   // 1e2147483649
		"80000001 65",
		"00", "00000000", // malformed
	},
	"timeuuid": {
		"",
		"00000000 0000 1000 8080808080808080", // time 0, every byte the least
		"00000000 0000 1000 8080808080808000", // 0 is greater than -128
		"00000000 0000 1000 ff00000000000000",
		"00000000 0000 1000 00ffffffffffffff",
		"00000000 0000 1000 7f7f7f7f7f7f7f7f",
		"00000001 0000 1000 8080808080808080",
		"00000000 0001 1000 8080808080808080",
		"ffffffff ffff 1000 8080808080808080",
		"00000000 0000 1001 8080808080808080",
		"00000000 0000 1fff 8080808080808080",
	},
	"uuid": {
		"",
		"00000000 0000 0000 0000000000000000",
		"ffffffff ffff 0fff ffffffffffffffff",
		"ffffffff 0000 1000 0000000000000000", // version 1, by its time
		"00000000 0001 1000 8000000000000000",
		"00000000 0001 1000 ffffffffffffffff",
		"00000000 0000 1001 0000000000000000",
		"00000000 0000 4000 8000000000000000",
		"00000000 0000 4fff 8000000000000000",
		"80000000 0000 4000 8000000000000000",
		"00000000 0000 f000 0000000000000000",
	},
	"'LexicalUUIDType'": {
		"",
		"80000000 0000 4000 0000000000000000",
		"00000000 0000 4000 8000000000000000",
		"00000000 0000 4000 0000000000000000",
	},
	"'LegacyTimeUUIDType'": {
		"",
		"00000000 0000 1000 8080808080808080",
		"00000000 0000 1000 0000000000000000",
	},
	"'DateType'":        {"", "0000000000000000", "ffffffffffffffff"},
	"'org.example.Odd'": {"", "00", "7f", "80"},
	"list<int>": {
		"",
		"ffffffff",
		elems(),
		elems("ffffffff"),
		elems("ffffffff", "80000000"),
		elems("00000000"),
		elems("00000000", ""),
		"00000001",
		"00000001 00000004 000000",
		"00000001 ffffffff",
		"00",
	},
	"set<tinyint>": {"", elems(), elems("80"), elems("80", "01"), elems("ff"), elems("01")},
	"map<tinyint, text>": {
		"",
		pairs(),
		pairs("80", "61"),
		pairs("80", "61", "00", ""),
		pairs("80", "62"),
		pairs("01", ""),
	},
	"tuple<tinyint, text>": {
		"",
		"ffffffff = ffffffff ffffffff = fffffffe80000000",
		"ffffffff 00000000",
		"00000001 80 = 00000001 80 ffffffff",
		"00000001 80 00000000",
		"00000001 80 00000001 00",
		"00000001 80 00000002 00",
		"00000001 00",
		"00",
		"00000003",
	},
	"two": {
		"",
		"ffffffff",
		"00000004 ffffffff",
		"00000004 00000000",
		"00000004 00000000 00000004 00000000",
	},
	"vector<float, 2>": {
		"",
		"bf800000 7fc00000",
		"80000000 00000000",
		"00000000 00000000",
		"00000000 3f800000",
		"00000000 000000",
	},
	"vector<text, 2>": {
		"",
		"00 00",
		"01 61 00",
		"01 61 01 61",
		"02 6161 00",
		"01 62 00",
		"01",
		"05",
	},
	"vector<empty, 2147483647>": {"", "00 = 01"},
	"list<frozen<set<decimal>>>": {
		elems(),
		elems(elems()),
		elems(elems("00000000 01")) + " = " + elems(elems("00000001 0a")),
		elems(elems("00000000 02")),
	},
	"tuple<frozen<tuple<varint>>>": {
		"ffffffff",
		"00000000",
		"00000004 ffffffff",
		"00000005 00000001 ff",
		"00000005 00000001 00 = 00000006 00000002 0000",
	},
	"map<frozen<list<int>>, float>": {
		pairs(elems("ffffffff"), "80000000"),
		pairs(elems("ffffffff"), "00000000"),
		pairs(elems("00000000"), "80000000"),
	},
}

func TestCompareIsTheServersOrder(t *testing.T) {
	for typ, values := range ascending {
		t.Run(typ, func(t *testing.T) {
			o := mustPlan(t, typ)
			groups := make([][][]byte, len(values))
			for i, v := range values {
				groups[i] = alternatives(t, v)
			}
			for i, as := range groups {
				for j, bs := range groups {
					for _, a := range as {
						for _, b := range bs {
							c := o.Compare(a, b)
							require.Equal(
								t,
								[3]bool{i < j, i == j, i > j},
								[3]bool{c < 0, c == 0, c > 0},
								"%x, %x: %d",
								a,
								b,
								c,
							)
						}
					}
				}
			}
			require.Zero(t, o.Compare(nil, []byte{}))
		})
	}
}

// alternatives returns the values of a string with "=" between them.
func alternatives(t testing.TB, s string) (wires [][]byte) {
	for _, alternative := range strings.Split(s, "=") {
		wires = append(wires, testkit.Unhex(t, alternative))
	}
	return wires
}
