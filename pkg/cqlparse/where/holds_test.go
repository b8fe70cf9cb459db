package where

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Each case has a relation of one column, and the values for which it holds.
func TestRelationsOfEachType(t *testing.T) {
	const (
		old, young = "5a1c395e-b41e-11e5-9f22-ba0be0483c18", "5a1c395e-b41f-11e5-9f22-ba0be0483c18"
		random     = "123e4567-e89b-42d3-a456-426614174000"
	)
	table := tableOf(t, types)
	for _, tc := range []struct {
		column, condition string
		holds, not        []string
	}{
		{"int", "int = 3", []string{"3"}, []string{"4", "-3", "null", "0x"}},
		{"int", "int != 3", []string{"4", "0x"}, []string{"3", "null"}},
		{"int", "int < 3", []string{"2", "-2147483648", "0x"}, []string{"3", "4", "null"}},
		{"int", "int <= 3", []string{"2", "3"}, []string{"4", "null"}},
		{"int", "int > -1", []string{"0"}, []string{"-1", "null"}},
		{"int", "int >= -1", []string{"0", "-1"}, []string{"-2", "null"}},
		{"int", "int IN (5, 1, 3, 3)", []string{"1", "3", "5"}, []string{"0", "2", "4", "6", "null"}},
		{"int", "int IN ()", nil, []string{"0", "null"}},
		{"int", "int IN ((3), ((4)))", []string{"3", "4"}, []string{"5"}},
		{"flist", "flist = ([(1), 2])", []string{"[1, 2]"}, []string{"[1]"}},
		{"int", "int IS NOT NULL", []string{"0", "0x"}, []string{"null"}},
		{"int", "int > 1 AND int < 4 AND int != 3", []string{"2"}, []string{"1", "3", "4", "null"}},
		{"int", "(int > 1) and ((int<4))", []string{"2", "3"}, []string{"1", "4", "null"}},
		{"int", `"int" = /* three */ 3 -- it is`, []string{"3"}, []string{"4"}},
		{"Day", `"Day" = 3`, []string{"3"}, []string{"4"}},
		{"tinyint", "tinyint >= -128", []string{"-128", "127"}, []string{"null"}},
		{"smallint", "smallint > 255", []string{"256"}, []string{"255", "-1"}},
		{"bigint", "bigint = 9223372036854775807", []string{"9223372036854775807"}, []string{"-9223372036854775808"}},
		{"counter", "counter = 7", []string{"7"}, []string{"8", "null"}},
		{"varint", "varint > 99999999999999999999", []string{"100000000000000000000"}, []string{"99999999999999999999", "-1"}},
		{"decimal", "decimal = 1.0", []string{"1.00", "1", "10e-1"}, []string{"1.01"}},
		{"decimal", "decimal < 1e2", []string{"99.9"}, []string{"100"}},
		{"decimal", "decimal IN (1.0, 2.)", []string{"1.00", "2"}, []string{"1.5"}},
		{"double", "double > 0", []string{"1e-300", "Infinity", "NaN"}, []string{"0", "-0.0", "null"}},
		{"double", "double = NaN", []string{"NaN", "0xfff8000000000001"}, []string{"Infinity"}},
		{"double", "double = -nan", []string{"NaN"}, []string{"0"}},
		{"double", "double <= -Infinity", []string{"-Infinity"}, []string{"0"}},
		{"double", "double = -0.0", []string{"-0.0"}, []string{"0"}},
		{"float", "float = 1.5e0", []string{"1.5"}, []string{"1.25"}},
		{"float", "float = 0.1", []string{"0.1"}, []string{"0.2"}},
		{"boolean", "boolean = TRUE", []string{"true", "0x02"}, []string{"false", "null"}},
		{"boolean", "boolean < true", []string{"false"}, []string{"true"}},
		{"text", "text = 'it''s'", []string{"it's"}, []string{"its", "null"}},
		{"text", "text = $$it's$$", []string{"it's"}, []string{"its"}},
		{"text", "text = ''", []string{""}, []string{"a", "null"}},
		{"text", "text > 'z'", []string{"é", "zz"}, []string{"z", "Z", ""}},
		{"text", "text IN ('EWR', 'JFK')", []string{"EWR", "JFK"}, []string{"ewr", "", "null"}},
		{"ascii", "ascii >= 'b'", []string{"b", "c"}, []string{"B"}},
		{"blob", "blob = 0xCAFE", []string{"0xcafe"}, []string{"0xcaff", "0x"}},
		{"blob", "blob < 0X80", []string{"0x7f", "0x"}, []string{"0x80", "0xff"}},
		{"blob", "blob = 0x", []string{"0x"}, []string{"0x00", "null"}},
		{"custom", "custom = 0x01", []string{"0x01"}, []string{"0x02"}},
		{"date", "date = '2024-02-29'", []string{"2024-02-29"}, []string{"2024-03-01"}},
		{"date", "date < 2147483648", []string{"1969-12-31"}, []string{"1970-01-01"}},
		{"date", "date >= '2147483649'", []string{"1970-01-02"}, []string{"1970-01-01"}},
		{"time", "time > '12:00:00.5'", []string{"12:00:00.500000001"}, []string{"12:00:00.5"}},
		{"time", "time = 1", []string{"00:00:00.000000001"}, []string{"00:00:01"}},
		{"timestamp", "timestamp >= '2024-01-02T03:04:05+0100'", []string{"2024-01-02T02:04:05Z"}, []string{"2024-01-02T02:04:04Z"}},
		{"timestamp", "timestamp = -1", []string{"1969-12-31T23:59:59.999Z"}, []string{"0"}},
		{"timestamp", "timestamp = ''", []string{"0x"}, []string{"0"}},
		{"uuid", "uuid = " + random, []string{random}, []string{young}},
		{"timeuuid", "timeuuid > " + old, []string{young}, []string{old}},
		{"inet", "inet = '127.0.0.1'", []string{"127.0.0.1"}, []string{"::1"}},
		{"inet", "inet = '::ffff:127.0.0.1'", []string{"127.0.0.1"}, nil},
		{"inet", "inet = ''", []string{"0x"}, []string{"0.0.0.0"}},
		{"duration", "duration = 1h30m", []string{"1h30m"}, []string{"89m"}},
		{"duration", "duration = -P1Y2M3DT4H", []string{"-1y2mo3d4h"}, []string{"1y2mo3d4h"}},
		{"duration", "duration = P0001-02-03T04:05:06", []string{"1y2mo3d4h5m6s"}, []string{"1y"}},
		{"duration", "duration = 5µs", []string{"5us"}, []string{"5ms"}},
		{"duration", "duration IN (1d, P2W)", []string{"1d", "14d"}, []string{"24h"}},
		{"list", "list CONTAINS 'b'", []string{"['a', 'b']"}, []string{"['a']", "[]", "null"}},
		{"set", "set CONTAINS 2", []string{"{1, 2}"}, []string{"{1}", "null"}},
		{"map", "map CONTAINS 2", []string{"{'a': 1, 'b': 2}"}, []string{"{'2': 1}", "null"}},
		{"map", "map CONTAINS KEY 'a'", []string{"{'a': 1}"}, []string{"{'b': 1}", "null"}},
		{"map", "map['b'] = 2", []string{"{'a': 1, 'b': 2}"}, []string{"{'b': 1, 'c': 2}", "{}", "null"}},
		{"map", "map['b'] != 2", []string{"{'b': 1}"}, []string{"{'a': 1}", "null"}},
		{"map", "map['b'] >= 2", []string{"{'b': 3}"}, []string{"{'b': 1}"}},
		{"waits", "waits[1] = 2h", []string{"{1: 2h}"}, []string{"{1: 3h}"}},
		{"flist", "flist = [1, 2]", []string{"[1, 2]"}, []string{"[2, 1]", "[1]", "null"}},
		{"flist", "flist > [1]", []string{"[1, 2]", "[2]"}, []string{"[1]", "[]"}},
		{"flist", "flist = []", []string{"[]"}, []string{"[1]", "null"}},
		{"fset", "fset = {'b', 'a', 'b'}", []string{"{'a', 'b'}"}, []string{"{'a'}"}},
		{"fset", "fset = {}", []string{"{}"}, []string{"{'a'}", "null"}},
		{"fset", "fset CONTAINS 'a'", []string{"{'a'}"}, []string{"{}"}},
		{"amounts", "amounts CONTAINS 1.0", []string{"[2, 1.0]"}, []string{"[1.00]", "[1]"}},
		{"prices", "prices CONTAINS 1.0", []string{"[2, 1.0]", "[1.00]"}, []string{"[1.1]"}},
		{"rates", "rates CONTAINS KEY 1.0", []string{"{1.00: 2}"}, []string{"{2: 1.0}"}},
		{"rates", "rates CONTAINS 1.0", []string{"{2: 1.0}"}, []string{"{2: 1.00}", "{1.0: 2}"}},
		{"fmap", "fmap = {2: 'b', 1: 'a'}", []string{"{1: 'a', 2: 'b'}"}, []string{"{1: 'b', 2: 'a'}"}},
		{"fmap", "fmap IN ({}, {1: 'x'})", []string{"{}", "{1: 'x'}"}, []string{"{1: 'y'}"}},
		{"tuple", "tuple = (1, 'a')", []string{"(1, 'a')"}, []string{"(1, null)", "(1)"}},
		{"tuple", "tuple = (1)", []string{"(1)", "(1, null)"}, []string{"(1, '')"}},
		{"tuple", "tuple > (1, null)", []string{"(1, '')", "(2)"}, []string{"(1)", "(null, 'z')"}},
		{"fudt", `fudt = {"B": 'x', a: 1}`, []string{"{a: 1, \"B\": 'x'}", `{a: 1, "B": 'x', true: null}`}, []string{"{a: 1}"}},
		{"fudt", `fudt = {"true": {3, 1}}`, []string{`{"true": {1, 3}}`}, []string{"{a: 1}"}},
		{"vector", "vector = [1, 2.5]", []string{"[1, 2.5]"}, []string{"[1, 2]"}},
		{"words", "words = ['a', 'bc']", []string{"['a', 'bc']"}, []string{"['a', 'b']"}},
		{"deep", "deep = {1: [{2.0, 1.00}, {}]}", []string{"{1: [{1, 2}, {}]}"}, []string{"{1: [{}, {1, 2}]}"}},
		{"durations", "durations = [1d]", []string{"[1d]"}, []string{"[2d]"}},
		{"st", "st = 'x'", []string{"x"}, []string{"null"}},
	} {
		c := mustParse(t, tc.condition, table)
		require.Equal(t, []string{tc.column}, c.Columns())
		require.Nil(t, c.Tokens(), tc.condition)
		for _, value := range tc.holds {
			require.True(
				t,
				c.Holds(row{tc.column: value}.cells(t, table, c), token.Token{}),
				"%s, %s",
				tc.condition,
				value,
			)
		}
		for _, value := range tc.not {
			require.False(
				t,
				c.Holds(row{tc.column: value}.cells(t, table, c), token.Token{}),
				"%s, %s",
				tc.condition,
				value,
			)
		}
	}
}

// The relations have several columns.
func TestTuplesOfColumns(t *testing.T) {
	table := tableOf(t, types)
	for _, tc := range []struct {
		condition, ct string
		c             string
		want          bool
	}{
		{"(c, ct) = (1, 'b')", "b", "1", true},
		{"(c, ct) = (1, 'b')", "a", "1", false},
		{"(c, ct) > (1, 'b')", "c", "1", true},
		{"(c, ct) > (1, 'b')", "a", "2", true},
		{"(c, ct) > (1, 'b')", "b", "1", false},
		{"(c, ct) >= (1, 'b')", "b", "1", true},
		{"(c, ct) < (1, 'b')", "z", "0", true},
		{"(c, ct) <= (1, 'b')", "c", "1", false},
		{"(c, ct) > (1, 'b')", "null", "2", false},
		{"(c, ct) > (1, 'b')", "c", "null", false},
		{"(c, ct) != (1, 'b')", "b", "1", false},
		{"(ct) = ('b')", "b", "1", true},
		{"(c, ct) IN ((1, 'a'), (2, 'b'))", "b", "2", true},
		{"(c, ct) IN ((1, 'a'), (2, 'b'))", "a", "2", false},
		{"(c, ct) IN ((1, 'a'), (2, 'b'))", "null", "1", false},
		{"(c, ct) IN ()", "b", "1", false},
		{"(c, ct) IN ((3, 'a'), (1, 'z'), (1, 'b'), (2, 'x'), (1, 'a'))", "b", "1", true},
		{"(c, ct) IN ((3, 'a'), (1, 'z'), (1, 'b'), (2, 'x'), (1, 'a'))", "x", "2", true},
		{"(c, ct) IN ((3, 'a'), (1, 'z'), (1, 'b'), (2, 'x'), (1, 'a'))", "a", "2", false},
	} {
		cond := mustParse(t, tc.condition, table)
		require.Equal(
			t,
			tc.want,
			cond.Holds(row{"c": tc.c, "ct": tc.ct}.cells(t, table, cond), token.Token{}),
			"%s: %s, %s",
			tc.condition,
			tc.c,
			tc.ct,
		)
	}
}

// Columns has each column once, in the order of the text, without those of TOKEN.
func TestColumns(t *testing.T) {
	c := mustParse(
		t,
		"ct = 'x' AND TOKEN(k, kt) > 5 AND (c, ct) > (1, 'a') AND set CONTAINS 1 AND c < 4",
		tableOf(t, types),
	)
	require.Equal(t, []string{"ct", "c", "set"}, c.Columns())
}

// For any bytes of a cell, Holds returns without a panic.
func TestMalformedCells(t *testing.T) {
	table := tableOf(t, types)
	for _, condition := range []string{
		"int > 3", "double = 1", "decimal = 1.5", "varint < 2", "uuid = 123e4567-e89b-42d3-a456-426614174000", "list CONTAINS 'x'", "map CONTAINS 2",
		"map['a'] = 1", "deep = {1: [{1}]}", "tuple = (1, 'a')", "vector = [1, 2]", "words = ['a', 'b']", "boolean IN (true)", "date < 5",
	} {
		c := mustParse(t, condition, table)
		for _, cell := range [][]byte{
			{}, {0}, {0xff, 0xff}, {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff},
			{0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 9}, make([]byte, 17),
		} {
			require.NotPanics(
				t, func() { c.Holds([][]byte{cell}, token.Token{}) }, "%s: %x", condition, cell,
			)
		}
	}
}

func TestHoldsAllocatesNothing(t *testing.T) {
	table := tableOf(t, types)
	c := mustParse(
		t,
		`k = 1 AND text IN ('a', 'b', 'c') AND decimal < 12.50 AND list CONTAINS 'x'

		AND map['k'] = 4 AND (c, ct) > (1, 'a') AND (c, ct) IN ((1, 'x'), (2, ''))

		AND uuid IS NOT NULL AND TOKEN(k, kt) > 0 AND deep = {1: [{2.0}]} AND varint > 5`,
		table,
	)
	cells := row{
		"k":       "1",
		"text":    "b",
		"decimal": "3.1",
		"list":    "['w', 'x']",
		"map":     "{'a': 1, 'k': 4}",
		"c":       "2",
		"ct":      "",
		"uuid":    "123e4567-e89b-42d3-a456-426614174000",
		"deep":    "{1: [{2.0}]}",
		"varint":  "6",
	}.cells(t, table, c)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if !c.Holds(cells, token.Murmur3.Max()) {
			panic("it holds")
		}
	}))
}
