//go:build integration

package integration

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// The torture table has a column of every CQL type, frozen and not, and nests of
// them. Its rows are made of raw bytes, so that nothing between the test and the
// database can mend them.

const tortureTypes = `CREATE TYPE IF NOT EXISTS it2."Mixed Type" ("Street Name" text, zip int, "select" frozen<list<text>>)`

const tortureNest = `CREATE TYPE IF NOT EXISTS it2.nest (m frozen<map<text, frozen<tuple<int, frozen<"Mixed Type">>>>>, t tuple<text, duration>)`

var tortureColumns = [][2]string{
	{"c_ascii", "ascii"},
	{"c_bigint", "bigint"},
	{"c_blob", "blob"},
	{"c_boolean", "boolean"},
	{
		"c_date",
		"date",
	},
	{"c_decimal", "decimal"},
	{"c_double", "double"},
	{"c_duration", "duration"},
	{"c_float", "float"},
	{"c_inet", "inet"},
	{"c_int", "int"},
	{"c_smallint", "smallint"},
	{"c_text", "text"},
	{"c_varchar", "varchar"},
	{"c_time", "time"},
	{"c_timestamp", "timestamp"},
	{
		"c_timeuuid",
		"timeuuid",
	},
	{"c_tinyint", "tinyint"},
	{"c_uuid", "uuid"},
	{"c_varint", "varint"},
	{
		"c_list",
		"list<text>",
	},
	{"c_flist", "frozen<list<text>>"},
	{"c_set", "set<double>"},
	{"c_fset", "frozen<set<blob>>"},
	{"c_map", "map<text, timestamp>"},
	{"c_fmap", "frozen<map<inet, text>>"},
	{
		"c_tuple",
		"tuple<int, text, tuple<float, blob>>",
	},
	{"c_udt", `"Mixed Type"`},
	{"c_fudt", `frozen<"Mixed Type">`},
	{
		"c_nest",
		"frozen<nest>",
	},
	{"c_nests", "list<frozen<map<text, frozen<set<frozen<tuple<int, time>>>>>>>"},
	{"c_fvector", "vector<float, 3>"},
	{"c_tvector", "vector<text, 2>"},
	{`"Mixed Case"`, "text"},
	{`"select"`, "int"},
	{`"with ""quotes"", comma"`, "text"},
	{"s_static", "text static"},
	{"s_tuple", "tuple<int, text> static"},
}

// tortureDDL is the body of the table, with those of the types that the cluster has.
func tortureDDL(t *testing.T) string {
	var b strings.Builder
	b.WriteString("(pk1 text, pk2 blob, ck1 timestamp, ck2 text, ck3 tuple<int, int>")
	vectors := atLeast(t, 5)
	for _, c := range tortureColumns {
		if strings.HasPrefix(c[1], "vector<") && !vectors {
			continue
		}
		fmt.Fprintf(&b, ", %s %s", c[0], c[1])
	}
	b.WriteString(
		", PRIMARY KEY ((pk1, pk2), ck1, ck2, ck3)) WITH CLUSTERING ORDER BY (ck1 DESC, ck2 ASC, ck3 DESC)",
	)
	return b.String()
}

// Builders of wire bytes (native protocol specification, version 4, section 6).

func be(n int, v uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, v)
	return b[8-n:]
}

func long(v int64) []byte     { return be(8, uint64(v)) }
func integer(v int32) []byte  { return be(4, uint64(uint32(v))) }
func double(v float64) []byte { return be(8, math.Float64bits(v)) }
func float(v float32) []byte  { return be(4, uint64(math.Float32bits(v))) }
func text(s string) []byte    { return []byte(s) }

// bytesOf is a value with its length; nil is null.
func bytesOf(v []byte) []byte {
	if v == nil {
		return integer(-1)
	}
	return append(integer(int32(len(v))), v...)
}

// tuple is the wire form of tuples and user-defined types.
func tuple(values ...[]byte) []byte {
	out := []byte{}
	for _, v := range values {
		out = append(out, bytesOf(v)...)
	}
	return out
}

// list is the wire form of lists and sets, and of maps with keys and values in turn.
func list(
	values ...[]byte,
) []byte {
	return append(integer(int32(len(values))), tuple(values...)...)
}

func mapOf(pairs ...[]byte) []byte {
	return append(integer(int32(len(pairs)/2)), tuple(pairs...)...)
}

func decimal(unscaled string, scale int32) []byte {
	return append(integer(scale), varint(unscaled)...)
}

// varint is the shortest two's complement form.
func varint(s string) []byte {
	n, _ := new(big.Int).SetString(s, 10)
	if n.Sign() >= 0 {
		b := n.Bytes()
		if len(b) == 0 || b[0]&0x80 != 0 {
			b = append([]byte{0}, b...)
		}
		return b
	}
	length := len(new(big.Int).Not(n).Bytes()) + 1
	b := new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*length))).Bytes()
	if len(b) > 1 && b[0] == 0xff && b[1]&0x80 != 0 {
		b = b[1:]
	}
	return b
}

func concat(parts ...[]byte) []byte {
	out := []byte{}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// edges returns values for each column; every one of them is in some row.
func edges() map[string][][]byte {
	texts := [][]byte{
		text(
			"",
		),
		text("plain"),
		text("a,b"),
		text(`say "hi"`),
		text("line\nfeed"),
		text("carriage\rreturn"),
		text("both\r\n"),
		text(
			"tab\there",
		),
		text(`back\slash \n`),
		text("nul\x00byte"),
		text("nb\u00a0space"),
		text("😀 e\u0301 ü 日本"),
		text(
			" blanks ",
		),
		text("null"),
		text("NULL"),
		text("0x00"),
		text("\ufeffbom"),
		text("it's"),
		text(`"`),
		text(`""`),
		text("'"),
	}
	uuid := func(s string) []byte {
		b := make([]byte, 16)
		_, _ = fmt.Sscanf(s, "%x", &b)
		return b
	}
	mixed := func(street, zip, tags []byte) []byte { return tuple(street, zip, tags) }
	address := mixed(
		text("Main 'St', \"x\"\n"),
		integer(-5),
		list(text(""), text("b,c"), text("it's")),
	)
	return map[string][][]byte{
		"c_ascii":  {text(""), text("ascii"), text("\x00\x7f\t\r\n\"\\,'")},
		"c_bigint": {long(0), long(-1), long(math.MaxInt64), long(math.MinInt64), {}},
		"c_blob":   {{}, {0}, {0xff, 0x00, 0x80}, text("text, \"in\" a blob")},
		"c_boolean": {
			{0}, {1}, {}},
		"c_date": {
			be(4, 1<<31),
			be(4, 0),
			be(4, math.MaxUint32),
			be(4, 1<<31-719528),
			be(4, 1<<31+2932897),
		},
		"c_decimal": {
			decimal("0", 0),
			decimal("110", 2),
			decimal("1", -40),
			decimal("-123456789012345678901234567890", 400),
			decimal("0", 18),
			decimal("1", math.MaxInt32),
			decimal("1", math.MinInt32),
			decimal("-5", 7),
			{},
		},
		"c_double": {
			double(
				0,
			),
			double(math.Copysign(0, -1)),
			double(math.NaN()),
			be(8, 0x7ff8000000000000),
			be(8, 0xfff8000000000123),
			double(
				math.Inf(1),
			),
			double(math.Inf(-1)),
			double(math.SmallestNonzeroFloat64),
			double(math.MaxFloat64),
			double(0.1),
			double(1e21),
			double(-123456789.125),
			{},
		},
		"c_duration": {
			{0, 0, 0},
			{2, 4, 6},
			{1, 3, 5},
			{0xf0, 0xff, 0xff, 0xff, 0xfe, 0, 0},
			{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe},
			{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		},
		"c_float": {
			float(0),
			float(float32(math.Copysign(0, -1))),
			be(4, 0x7fc00000),
			be(4, 0x7fc00001),
			float(float32(math.Inf(1))),
			float(float32(math.Inf(-1))),
			float(math.SmallestNonzeroFloat32),
			float(math.MaxFloat32),
			float(1.1),
			float(16777216),
			{},
		},
		"c_inet": {
			{127, 0, 0, 1},
			{255, 255, 255, 255},
			uuid("20010db8000000000000000000000001"),
			uuid("00000000000000000000000000000000"),
			uuid("00000000000000000000ffff01020304"),
			{},
		},
		"c_int":      {integer(0), integer(math.MaxInt32), integer(math.MinInt32), {}},
		"c_smallint": {be(2, 0), be(2, 0x7fff), be(2, 0x8000)},
		"c_text":     texts,
		"c_varchar":  texts,
		"c_time":     {long(0), long(86399999999999), long(45296123456789)},
		"c_timestamp": {
			long(0),
			long(-1),
			long(-62135596800001),
			long(253402300800000),
			long(math.MaxInt64),
			long(math.MinInt64),
			long(1450000000123),
			{},
		},
		"c_timeuuid": {
			uuid("fe2b4360287311e295a8001ec24b3a55"),
			uuid("00000000000010008080808080808080"),
			{},
		},
		"c_tinyint": {{0}, {0x7f}, {0x80}},
		"c_uuid": {
			uuid("550e8400e29b41d4a716446655440000"),
			uuid("ffffffffffffffffffffffffffffffff"),
			{},
		},
		"c_varint": {
			varint("0"),
			varint("-1"),
			varint("128"),
			varint("-129"),
			varint("10000000000000000000000000000000000000000"),
			varint("-99999999999999999999999999"),
			{},
		},
		"c_list":  {list(texts...), list(text("one")), list(text(""))},
		"c_flist": {list(), list(texts...), list(text(""), text(""))},
		"c_set": {
			list(
				double(math.Inf(-1)),
				double(-1.5),
				double(0),
				double(math.Inf(1)),
				be(8, 0x7ff8000000000000),
			),
		},
		"c_fset": {list(), list([]byte{}), list([]byte{}, []byte{0}, []byte{0xff})},
		"c_map": {
			mapOf(text(""), long(0), text("a:b, 'c'"), long(-1), text("z"), long(math.MaxInt64)),
		},
		"c_fmap": {
			mapOf(),
			mapOf(
				[]byte{127, 0, 0, 1},
				text("v4"),
				uuid("20010db8000000000000000000000001"),
				text("it's: {v6}"),
			),
		},
		"c_tuple": {
			tuple(
				nil,
				nil,
				nil,
			),
			tuple(integer(1), text("it's"), tuple(float(1.5), []byte{0})),
			tuple(integer(1), nil, tuple(nil, nil)),
			tuple(
				integer(1),
				text(""),
			),
			tuple(integer(7)),
			tuple(integer(1), text("x"), tuple(float(-1))),
		},
		"c_udt": {
			address,
			mixed(text(""), nil, nil),
			mixed(nil, integer(1), list()),
		},
		"c_fudt": {
			address,
			mixed(nil, nil, nil),
			mixed(text(""), nil, nil),
			tuple(text("short")),
			mixed(nil, []byte{}, list()),
		},
		"c_nest": {
			tuple(
				mapOf(text("k"), tuple(integer(1), address), text("l"), tuple(nil, nil)),
				tuple(text("t"), []byte{2, 4, 6}),
			),
			tuple(nil, nil),
			tuple(mapOf(), tuple(nil, []byte{0, 0, 0})),
		},
		"c_nests": {
			list(mapOf(text("k"), list(tuple(integer(1), long(5)), tuple(integer(2), nil)))),
			list(mapOf(), mapOf(text("'"), list())),
		},
		"c_fvector": {
			concat(float(1.1), float(-0.5), float(math.MaxFloat32)),
			concat(be(4, 0x7fc00001), float(0), float(float32(math.Inf(1)))),
		},
		"c_tvector": {
			concat([]byte{1}, text("a"), []byte{4}, text("it's")),
			concat([]byte{0}, []byte{0x80, 0xc8}, text(strings.Repeat("x", 200))),
		},
		"Mixed Case":           texts,
		"select":               {integer(42)},
		`with "quotes", comma`: {text("name with quotes")},
		"s_static":             {text("static"), text(""), text("line\n\"static\"")},
		"s_tuple":              {tuple(integer(1), nil), tuple(nil, nil)},
	}
}

// tortureRows makes rows such that each edge stands in at least one of them, and
// nulls stand everywhere.
func tortureRows(table *schema.Table) []row.Row {
	values := edges()
	most := 0
	for _, v := range values {
		most = max(most, len(v))
	}
	var rows []row.Row
	add := func(cell func(c schema.Column) row.Cell) {
		cells := make([]row.Cell, len(table.Columns))
		for i, c := range table.Columns {
			cells[i] = cell(c)
		}
		rows = append(
			rows,
			row.Row{Cells: cells, Timestamp: int64(1_700_000_000_000_000 + len(rows))},
		)
	}
	set := func(b []byte) row.Cell { return row.Cell{State: row.Set, Bytes: b} }
	for n := range most {
		key := map[string][]byte{
			"pk1": values["c_text"][n%len(values["c_text"])],
			"pk2": values["c_blob"][n%len(values["c_blob"])],
			"ck1": long(
				[]int64{0, -1, math.MaxInt64, 5}[n%4],
			),
			"ck2": values["c_text"][(n*7)%len(values["c_text"])],
			"ck3": tuple(integer(int32(n)), nil),
		}
		add(func(c schema.Column) row.Cell {
			if k, ok := key[c.Name]; ok {
				return set(k)
			}
			v := values[c.Name]
			return set(v[n%len(v)])
		})
		// The same key but for its last column, all else null.
		key["ck3"] = tuple(nil, integer(int32(n)))
		add(func(c schema.Column) row.Cell {
			if k, ok := key[c.Name]; ok {
				return set(k)
			}
			return row.Cell{}
		})
	}
	// Partitions of nothing but static columns.
	for n, v := range values["s_static"] {
		add(func(c schema.Column) row.Cell {
			switch {
			case c.Name == "pk1":
				return set(text("static only"))
			case c.Name == "pk2":
				return set([]byte{byte(n)})
			case c.Name == "s_static":
				return set(v)
			}
			return row.Cell{}
		})
	}
	return rows
}

func TestEveryTypeBitForBit(t *testing.T) {
	t.Parallel()
	exec(
		t,
		"DROP TABLE IF EXISTS it2.torture",
		"DROP TABLE IF EXISTS it2.torture_copy",
		"DROP TABLE IF EXISTS it2.torture_streamed",
		"DROP TYPE IF EXISTS it2.nest",
		`DROP TYPE IF EXISTS it2."Mixed Type"`,
		tortureTypes,
		tortureNest,
	)
	table(t, "it2.torture", tortureDDL(t))
	table(t, "it2.torture_copy", tortureDDL(t))
	described, err := session.Table(t.Context(), "it2", "torture")
	require.NoError(t, err)
	writer := session.Writer(described, described.Columns)
	rows := tortureRows(described)
	for _, r := range rows {
		require.NoError(t, writer.Write(t.Context(), "", []row.Row{r}), "%x", r.Cells)
	}
	want := rawRows(t, "it2", "torture")
	require.Len(t, want, len(rows), "every row has a key of its own")

	require.NotEmpty(t, requireSameByStream(t, "it2", "torture"))

	if either(false, true) {
		requireCopiesAlike(t, described)
	}

	out := t.TempDir() + "/torture.csv"
	ok(t, "scan", "it2.torture", "-o", out)
	ok(t, "load", "it2.torture_copy", out)
	require.Equal(t, want, rawRows(t, "it2", "torture_copy"))

	table(t, "it2.torture_streamed", tortureDDL(t))
	exec(t, "TRUNCATE it2.torture_copy")
	requireStreamed(t, "it2", "torture_copy", "torture_streamed", out)
	require.Equal(t, want, rawRows(t, "it2", "torture_streamed"))

	exec(t, "TRUNCATE it2.torture_streamed")
	ok(
		t,
		"clone",
		"it2.torture_streamed",
		"--from-table",
		"torture",
		"--from-hosts",
		testHosts(),
		"--listen",
		anyPort,
	)
	require.Equal(t, want, rawRows(t, "it2", "torture_streamed"))
	times := []string{"--columns", timesToo(described)}
	require.Equal(
		t,
		scannedLines(t, append(times, "it2.torture")...),
		scannedLines(t, append(times, "it2.torture_streamed")...),
	)

	rescanned := t.TempDir() + "/again.csv"
	ok(
		t,
		"scan",
		"it2.torture_copy",
		"-o",
		rescanned,
		"--delimiter",
		`\t`,
		"--quote",
		"'",
		"--null-string",
		"null",
	)
	exec(t, "TRUNCATE it2.torture_copy")
	ok(
		t,
		"load",
		"it2.torture_copy",
		rescanned,
		"--delimiter",
		`\t`,
		"--quote",
		"'",
		"--null-string",
		"null",
	)
	require.Equal(
		t,
		want,
		rawRows(t, "it2", "torture_copy"),
		"by way of tabs, single quotes and a word for null",
	)

	small := t.TempDir() + "/torture.csv"
	ok(t, "scan", "it2.torture", "-o", small, "--protocol-compression", "lz4")
	exec(t, "TRUNCATE it2.torture_copy")
	ok(t, "load", "it2.torture_copy", small, "--protocol-compression", "lz4")
	require.Equal(t, want, rawRows(t, "it2", "torture_copy"), "by way of compressed frames")
}

func TestCounters(t *testing.T) {
	t.Parallel()
	body := `(k int, c text, hits counter, "Misses" counter, PRIMARY KEY (k, c))`
	table(t, "it2.counters", body)
	table(t, "it2.counters_copy", body)
	for i := range 50 {
		exec(
			t,
			fmt.Sprintf(
				"UPDATE it2.counters SET hits = hits + %d WHERE k = %d AND c = 'c%d'",
				i*1000-25000,
				i%7,
				i,
			),
		)
		if i%2 == 0 {
			exec(
				t,
				fmt.Sprintf(
					`UPDATE it2.counters SET "Misses" = "Misses" - %d WHERE k = %d AND c = 'c%d'`,
					i,
					i%7,
					i,
				),
			)
		}
	}
	require.Len(t, requireSameByStream(t, "it2", "counters"), 50)
	out := t.TempDir() + "/counters.csv"
	ok(t, "scan", "it2.counters", "-o", out)
	ok(t, "load", "it2.counters_copy", out)
	want := rawRows(t, "it2", "counters")
	require.Len(t, want, 50)
	require.Equal(t, want, rawRows(t, "it2", "counters_copy"))
}
