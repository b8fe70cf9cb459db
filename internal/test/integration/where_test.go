//go:build integration

package integration

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/where"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// whereColumns are the columns of a table with each type: literals, in which every row has one of
// them, or null. Each column is asked for each of them by =, and, of what is in order, by < and >=,
// or by <= and >.
var whereColumns = []struct {
	name, cql string
	ordered   bool
	literals  []string
}{
	{"t_ascii", "ascii", true, []string{"''", "'a'", "'B'", "'it''s'"}},
	{
		"t_bigint",
		"bigint",
		true,
		[]string{"-9223372036854775808", "-1", "0", "9223372036854775807"},
	},
	{"t_blob", "blob", true, []string{"0x", "0x00", "0x7F", "0xff00"}},
	{"t_boolean", "boolean", true, []string{"true", "FALSE"}},
	{
		"t_date",
		"date",
		true,
		[]string{"'1969-12-31'", "2147483648", "'2024-02-29'", "'0'", "4294967295"},
	},
	{
		"t_decimal",
		"decimal",
		true,
		[]string{"1.0", "1.00", "-1e3", "0.0001", "12345678901234567890.5", "7"},
	},
	{
		"t_double",
		"double",
		true,
		[]string{"-0.0", "0", "1.5e0", "NaN", "-Infinity", "Infinity", "1e-300"},
	},
	{
		"t_duration",
		"duration",
		false,
		[]string{"1h30m", "90m", "-1y2mo3d", "P1Y2M3DT4H", "P0001-02-03T04:05:06", "5us", "P2W"},
	},
	{"t_float", "float", true, []string{"0.1", "-0.0", "16777217", "nan"}},
	{
		"t_inet",
		"inet",
		true,
		[]string{"'127.0.0.1'", "'::1'", "'::ffff:10.0.0.1'", "'10.0.0.1'", "'255.0.0.1'"},
	},
	{"t_int", "int", true, []string{"-2147483648", "-1", "0", "3", "2147483647"}},
	{"t_smallint", "smallint", true, []string{"-32768", "0", "255"}},
	{"t_text", "text", true, []string{"''", "'a'", "'A'", "'é'", "$$it's$$", "'𝄞'", "'\ufb01'"}},
	{"t_time", "time", true, []string{"'00:00:00'", "'12:34:56.789'", "86399999999999"}},
	{
		"t_timestamp",
		"timestamp",
		true,
		[]string{
			"-1",
			"'2024-01-02T03:04:05.678+0100'",
			"'2024-01-02 02:04:05.678Z'",
			"1704161045678",
			"'1969-12-31+0000'",
		},
	},
	{
		"t_timeuuid",
		"timeuuid",
		true,
		[]string{
			"00000000-0000-1000-8080-808080808080",
			"ffffffff-b41f-11e5-9f22-ba0be0483c18",
			"5A1C395E-b41f-11e5-7f22-7a0be0483c18",
			"5a1c395e-b41f-11e5-9f22-ba0be0483c18",
		},
	},
	{"t_tinyint", "tinyint", true, []string{"-128", "-1", "127"}},
	{
		"t_uuid",
		"uuid",
		true,
		[]string{
			"123e4567-e89b-42d3-a456-426614174000",
			"5a1c395e-b41f-11e5-9f22-ba0be0483c18",
			"00000000-0000-0000-0000-000000000000",
			"ffffffff-ffff-4fff-ffff-ffffffffffff",
		},
	},
	{"t_varint", "varint", true, []string{"-1", "0", "99999999999999999999999", "-129", "128"}},
	{"t_list", "frozen<list<int>>", true, []string{"[]", "[1]", "[1, 2]", "[2]"}},
	{"t_set", "frozen<set<text>>", true, []string{"{}", "{'b', 'a', 'b'}", "{'a', 'b'}", "{'c'}"}},
	{
		"t_map",
		"frozen<map<int, text>>",
		true,
		[]string{"{}", "{2: 'b', 1: 'a'}", "{1: 'a'}", "{1: 'b'}"},
	},
	{
		"t_deep",
		"frozen<map<int, frozen<list<frozen<set<decimal>>>>>>",
		true,
		[]string{"{1: [{2.0, 1.00}, {}]}", "{1: [{1, 2}, {}]}", "{1: [{}, {1, 2}]}"},
	},
	{
		"t_tuple",
		"tuple<int, text>",
		true,
		[]string{"(1, 'a')", "(1, null)", "(1)", "(null, '')", "(2, '')"},
	},
	{
		"t_udt",
		"frozen<where_two>",
		true,
		[]string{
			"{a: 1}",
			"{\"B\": 'x', a: 1}",
			"{a: 1, \"B\": null, \"true\": {3, 1}}",
			"{\"B\": ''}",
		},
	},
}

// whereConditions are asked for besides.
var whereConditions = []string{
	"k = 1",
	"k > 1 AND k <= 3",
	"k IN (0, 2) AND kt IN ('a', 'c', 'x')",
	"k = 1 AND kt = 'b'",
	"k = 1 AND kt = 'b' AND c >= 2",
	"kt = 'a' AND c < 3",
	"c = 2",
	"c IN (1, 3)",
	"c > 0 AND c < 3",
	"ct = ''",
	"(c, ct) > (1, 'b')",
	"(c, ct) <= (2, 'a')",
	"(c, ct) = (1, '')",
	"(c, ct) IN ((0, ''), (3, 'b'))",
	"c = 1 AND (ct) > ('a')",
	"k = 2 AND kt = 'a' AND (c, ct) >= (1, 'b') AND (c, ct) < (3, '')",
	"s = 'static a'",
	"s > 'static a'",
	"s = 'alone'",
	"k = 9 AND kt = 'alone'",
	"k = 9",
	"s = 'static b' AND c = 1",
	"s >= 'alone' AND t_int = 3",
	"l CONTAINS 'b'",
	"l CONTAINS ''",
	"u CONTAINS 2",
	"u CONTAINS 2 AND u CONTAINS 3",
	"m CONTAINS 1",
	"m CONTAINS KEY 'b'",
	"m['a'] = 1",
	"m['b'] = 1 AND l CONTAINS 'a'",
	"t_list CONTAINS 2",
	"t_set CONTAINS 'b'",
	"t_map CONTAINS 'a'",
	"t_map CONTAINS KEY 2",
	"d CONTAINS 1.5",
	"d CONTAINS 1.50",
	"e CONTAINS (1)",
	"e CONTAINS (1, null)",
	"f CONTAINS 1.50",
	"g CONTAINS (1, null)",
	"g CONTAINS (2)",
	"h CONTAINS 2.0",
	"h CONTAINS 2.00",
	"h CONTAINS KEY 1.00",
	"n = {\"B\": null, a: 1}",
	"d = [1.50, 2]",
	"t_int = 3 AND t_text = 'a'",
	"t_int = ((3))",
	"token(k, kt) > (0)",
	"t_int >= 0 AND t_int < 3",
	"(t_int = 3) AND (t_boolean = true)",
	"\"Odd name\" = 4 -- a comment",
	"n = {a: 1}",
	"TOKEN(k, kt) > 0",
	"token(k, kt) <= 0",
	"token(k, kt) > -9223372036854775808",
	"token(k, kt) >= -9223372036854775808",
	"token(k, kt) <= -9223372036854775808",
	"token(k, kt) < -9223372036854775808",
	"token(k, kt) = -9223372036854775808",
	"token(k, kt) <= 9223372036854775807",
	"token(k, kt) > 9223372036854775807",
	"token(k, kt) = TOKEN(1, 'b')",
	"token(k, kt) >= token(1, 'b') AND token(k, kt) < 4611686018427387904",
	"token(k, kt) < token(1, 'b') AND c = 1",
}

// whereRefused are refused by servers, and here.
var whereRefused = []string{
	"t_int = 'x'",
	"t_int = 1.5",
	"t_int = 2147483648",
	"t_int = true",
	"t_int = 0x01",
	"t_int = (1, 2)",
	"t_int = [1]",
	"t_text = 3",
	"t_text = a",
	"t_text = \"a\"",
	"t_ascii = 'ä'",
	"t_boolean = 'true'",
	"t_boolean = 1",
	"t_blob = 'a'",
	"t_blob = 0xabc",
	"t_uuid = 'a'",
	"t_uuid = '123e4567-e89b-42d3-a456-426614174000'",
	"t_timeuuid = 123e4567-e89b-42d3-a456-426614174000",
	"t_inet = '1.2.3.4.5'",
	"t_inet = 1",
	"t_date = '2024-02-30'",
	"t_date = 4294967296",
	"t_date = -1",
	"t_time = 86400000000000",
	"t_timestamp = 'x'",
	"t_duration = 1",
	"t_duration > 1h",
	"t_varint = 1e5",
	"t_decimal = '1'",
	"t_tinyint = 128",
	"t_float = 'NaN'",
	"t_duration = 1h1h",
	"t_list = {1}",
	"t_list = [1, null]",
	"t_list = ['a']",
	"t_set = ['a']",
	"t_set = {'a': 1}",
	"t_map = {'a': 1}",
	"t_map = {1}",
	"t_tuple = (1, 'a', 2)",
	"t_tuple = ('a', 1)",
	"t_udt = {c: 1}",
	"t_udt = {a: 'x'}",
	"t_udt = {'a': 1}",
	"l = ['a']",
	"u = {1}",
	"m = {}",
	"p = {a: 1}",
	"u CONTAINS 'a'",
	"u CONTAINS KEY 1",
	"t_int CONTAINS 1",
	"m['a'] = 'a'",
	"m[1] = 1",
	"l[0] = 'a'",
	"t_int = null",
	"m CONTAINS null",
	"nothing = 1",
	"T_INT == 1",
	"t_int = 1 OR t_int = 2",
	"t_int",
	"t_int =",
	"= 1",
	"t_int = 1 AND",
	"t_int = 1,",
	"(t_int) = (1)",
	"(ct, c) = ('a', 1)",
	"(c, ct) = (1)",
	"(c, ct) = (1, 2)",
	"(c, ct) = (1, null)",
	"token(k) > 1",
	"token(kt, k) > 1",
	"token(k, kt) > 'a'",
	"token(k, kt) != 1",
	"token(k, kt) > 9223372036854775808",
	"odd name = 4",
	"t_int = - 1 -",
	"t_int < = 1",
	"t_int <> 1",
	"t_int IS NULL",
	"t_text = 'a",
	"/* t_int = 1",
}

// The rows for which a condition holds here are those that a server chooses by it.
func TestConditionsHoldForTheRowsThatServersChoose(t *testing.T) {
	t.Parallel()
	exec(t, `CREATE TYPE IF NOT EXISTS it1.where_two (a int, "B" text, "true" frozen<set<int>>)`)
	var columns, insert strings.Builder
	for _, c := range whereColumns {
		fmt.Fprintf(&columns, "%s %s, ", c.name, c.cql)
		insert.WriteString(", " + c.name)
	}
	table(
		t,
		"it1.where_types",
		`(k int, kt text, c int, ct text, s text static, "Odd name" int, l list<text>, u set<int>, m map<text, int>, p where_two, n frozen<where_two>,
		d frozen<list<decimal>>, e frozen<list<frozen<tuple<int, text>>>>,
		f list<decimal>, g list<frozen<tuple<int, text>>>, h frozen<map<decimal, decimal>>, `+columns.String()+"PRIMARY KEY ((k, kt), c, ct)) WITH CLUSTERING ORDER BY (c DESC, ct ASC)",
	)
	const rows = 48
	for i := range rows {
		values := fmt.Sprintf(
			"%d, '%c', %d, '%s', %d, %s, %s, %s, {a: 1}, {a: %d}, [1.5, 2.0], [(1), (2, null)], [1.5, 2.0], [(1), (2, null)], {1.0: 2.0}",
			i%4,
			'a'+i%3,
			i/12,
			[]string{"", "a", "b"}[i%3],
			i%5,
			[]string{"null", "['a', 'b']", "['']", "['b']"}[i%4],
			[]string{"{1, 2}", "{2, 3}", "{3}", "null"}[i/2%4],
			[]string{"{'a': 1}", "{'a': 2, 'b': 1}", "null"}[i/3%3],
			i%3,
		)
		for n, c := range whereColumns {
			// A fixed share of the rows has null.
			if at := (i*(n%3+1) + i/5) % (len(c.literals) + 1); at < len(c.literals) {
				values += ", " + c.literals[at]
			} else {
				values += ", null"
			}
		}
		exec(
			t,
			`INSERT INTO it1.where_types (k, kt, c, ct, "Odd name", l, u, m, p, n, d, e, f, g, h`+insert.String()+") VALUES ("+values+")",
		)
	}
	exec(
		t,
		"UPDATE it1.where_types SET s = 'static a' WHERE k = 1 AND kt = 'a'",
		"UPDATE it1.where_types SET s = 'static b' WHERE k = 2 AND kt = 'b'",
		"UPDATE it1.where_types SET s = 'alone' WHERE k = 9 AND kt = 'alone'",
	)

	conditions := slices.Clone(whereConditions)
	for column, c := range whereColumns {
		for i, literal := range c.literals {
			if (i+column)%either(3, 1) != 0 {
				continue
			}
			conditions = append(conditions, c.name+" = "+literal)
			if c.ordered {
				conditions = append(
					conditions,
					c.name+[]string{" < ", " <= "}[i%2]+literal,
					c.name+[]string{" >= ", " > "}[i%2]+literal,
				)
			}
		}
	}
	w := whereTable(t, "where_types")
	for _, condition := range conditions {
		require.Equal(t, w.chosen(t, condition), w.kept(t, condition), condition)
	}
	for _, condition := range whereRefused {
		_, err := where.Parse(condition, w.known)
		require.Error(t, err, condition)
		require.Error(
			t,
			session.Exec(
				t.Context(),
				"SELECT k FROM it1.where_types WHERE "+condition+" ALLOW FILTERING",
			),
			condition,
		)
	}

	// Rows are found by the bytes of a complete key, and not by a part of one.
	table(t, "it1.where_keys", "(k decimal, j int, v int, PRIMARY KEY ((k, j)))")
	exec(
		t,
		"INSERT INTO it1.where_keys (k, j) VALUES (1.0, 1)",
		"INSERT INTO it1.where_keys (k, j) VALUES (1.00, 1)",
		"INSERT INTO it1.where_keys (k, j) VALUES (2, 1)",
	)
	w = whereTable(t, "where_keys")
	for _, condition := range []string{"k = 1.0 AND j = 1", "k = 1.0", "k IN (1.0, 2.0) AND j = 1", "k IN (1.0, 1.00) AND j IN (1, 2)", "k IN (2, 1.00, 1.0) AND j = 1", "k = 1 AND j = 1"} {
		require.Equal(t, w.chosen(t, condition), w.kept(t, condition), condition)
	}

	table(t, "it1.where_counters", "(k int PRIMARY KEY, n counter)")
	exec(
		t,
		"UPDATE it1.where_counters SET n = n + 5 WHERE k = 1",
		"UPDATE it1.where_counters SET n = n - 5 WHERE k = 2",
	)
	w = whereTable(t, "where_counters")
	for _, condition := range []string{"n = 5", "n < 5", "k = 2"} {
		require.Equal(t, w.chosen(t, condition), w.kept(t, condition), condition)
	}
	if !atLeast(t, 5) {
		return
	}
	table(t, "it1.where_vectors", "(k int PRIMARY KEY, v vector<float, 2>, w vector<text, 2>)")
	exec(
		t,
		"INSERT INTO it1.where_vectors (k, v, w) VALUES (1, [1, 2.5], ['a', ''])",
		"INSERT INTO it1.where_vectors (k, v) VALUES (2, [1, NaN])",
	)
	w = whereTable(t, "where_vectors")
	for _, condition := range []string{"v = [1, 2.5]", "v = [1, NaN]", "w = ['a', '']", "v > [1, 2]"} {
		require.Equal(t, w.chosen(t, condition), w.kept(t, condition), condition)
	}
}

// whereRows are the rows of a table.
type whereRows struct {
	table *schema.Table
	known where.Table
	rows  [][][]byte
}

// whereTable reads a table.
func whereTable(t *testing.T, name string) whereRows {
	t.Helper()
	described, err := session.Table(t.Context(), "it1", name)
	require.NoError(t, err)
	w := whereRows{
		table: described,
		known: where.Table{Partitioner: token.Murmur3, Columns: described.Declared()},
	}
	eachRow(t, described, func(cells [][]byte) {
		row := make([][]byte, len(cells))
		for i, c := range cells {
			row[i] = bytes.Clone(c)
		}
		w.rows = append(w.rows, row)
	})
	return w
}

// keyColumns are the names of the primary key, which stand first in a row.
func (w whereRows) keyColumns() []string {
	var names []string
	for _, c := range w.table.Columns {
		if c.IsKey() {
			names = append(names, c.Name)
		}
	}
	return names
}

// chosen are the keys of the rows that the server chooses.
func (w whereRows) chosen(t *testing.T, condition string) []string {
	t.Helper()
	selectors, err := w.table.Selectors(w.keyColumns())
	require.NoError(t, err)
	q := driver.Columns(selectors)
	q.Where, q.AllowFiltering = condition+"\n", true
	reader := session.Reader(w.table, q, nil)
	keys := []string{}
	for state := []byte(nil); ; {
		page, err := reader.Page(t.Context(), "", token.Range{}, state, 1000)
		require.NoError(t, err, condition)
		for page.Next() {
			keys = append(keys, fmt.Sprintf("%x", page.Cells()))
		}
		require.NoError(t, page.Err())
		state = page.State()
		page.Close()
		if len(state) == 0 {
			slices.Sort(keys)
			return keys
		}
	}
}

// kept are the keys of the rows that the condition holds for. Those outside of its token ranges are
// not asked for.
func (w whereRows) kept(t *testing.T, condition string) []string {
	t.Helper()
	c, err := where.Parse(condition, w.known)
	require.NoError(t, err, condition)
	keys := []string{}
	cells := make([][]byte, len(c.Columns()))
	for _, row := range w.rows {
		at := token.Murmur3.Hash(
			token.AppendKey(nil, row[:len(w.table.OfKind(schema.PartitionKey))]...),
		)
		if c.Tokens() != nil &&
			!slices.ContainsFunc(c.Tokens(), func(r token.Range) bool { return r.Contains(at) }) {
			continue
		}
		for i, name := range c.Columns() {
			cells[i] = row[slices.Index(w.table.Names(), name)]
		}
		if c.Holds(cells, at) {
			keys = append(keys, fmt.Sprintf("%x", row[:len(w.keyColumns())]))
		}
	}
	slices.Sort(keys)
	return keys
}
