package schema

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// described is a schema as servers print it, with additions by hand.
const described = `-- by hand
CREATE KEYSPACE demo WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': '3'}
    AND durable_writes = true;

CREATE TYPE demo.person (
    name text,
    homes frozen<list<frozen<addr>>>, // of a type that comes later
    tags map<text, int>
);
CREATE TYPE demo.addr (street text, "Zip" int);

CREATE TABLE demo."Orders" (
    customer text,
    day date,
    number int,
    place frozen<addr>,
    owner demo.addr,
    kind text static,
    pair tuple<int, list<text>>,
    v vector<float, 3>,
    deep frozen<map<text, list<set<int>>>>,
    secret text MASKED WITH mask_inner(1, null, '*'),
    "quoted ""name""" blob,
    PRIMARY KEY ((customer, day), number)
) WITH ID = 5A1C395E-b41f-11e5-9f22-ba0be0483c18
    AND CLUSTERING ORDER BY (number DESC)
    AND bloom_filter_fp_chance = 0.01
    AND caching = {'keys': 'ALL', 'rows_per_partition': 'NONE'}
    AND cdc = false
    AND comment = 'it''s; one -- text'
    AND compression = {'chunk_length_in_kb': 16,
        'class': 'org.apache.cassandra.io.compress.LZ4Compressor'}
    AND default_time_to_live = 86400
    AND extensions = {};
CREATE CUSTOM INDEX orders_kind ON demo."Orders" (kind) USING 'StorageAttachedIndex' WITH OPTIONS = {'a': 'b'};
CREATE INDEX ON demo."Orders" (values(pair));
CREATE MATERIALIZED VIEW demo.by_day AS
    SELECT day, customer, number FROM demo."Orders" WHERE day IS NOT NULL
    PRIMARY KEY (day, customer, number) WITH CLUSTERING ORDER BY (customer ASC);
CREATE TRIGGER audit ON demo."Orders" USING 'org.example.Audit';
/* CREATE TABLE demo.gone (
   k int PRIMARY KEY); */

CREATE FUNCTION demo.f (a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java
    AS $$ return a; /* ; */ $$;
GRANT SELECT ON demo."Orders" TO someone;
USE demo;
CREATE TABLE IF NOT EXISTS small (k int PRIMARY KEY, a int, dropped text, c set<text>)
    WITH COMPACT STORAGE;
ALTER TABLE small DROP dropped USING TIMESTAMP 1700000000000000;

ALTER TABLE demo.small ADD added frozen<list<int>>;
ALTER TABLE small WITH default_time_to_live = 10 AND compression = {'enabled': 'false'};

ALTER KEYSPACE demo WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}`

func TestSchemaAsServersPrintIt(t *testing.T) {
	s, err := Parse(described, "")
	require.NoError(t, err)
	require.Equal(
		t,
		map[string]string{"class": "SimpleStrategy", "replication_factor": "2"},
		s.Replication("demo"),
	)
	require.Nil(t, s.Replication("other"))
	require.Len(t, s.Tables, 2)

	orders := s.Table("demo", "Orders")
	require.Equal(t, "5a1c395e-b41f-11e5-9f22-ba0be0483c18", orders.ID)
	require.False(t, orders.Compact)
	type column struct {
		name, typ string
		kind      Kind
		position  int
		desc      bool
	}
	columns := func(table *Table) (all []column) {
		for _, c := range table.Columns {
			all = append(all, column{c.Name, c.Type.String(), c.Kind, c.Position, c.Desc})
		}
		return all
	}
	require.Equal(t, []column{
		{
			"customer",
			"text",
			PartitionKey,
			0,
			false,
		},
		{"day", "date", PartitionKey, 1, false},
		{"number", "int", Clustering, 0, true},
		{
			"place",
			"frozen<addr>",
			Regular,
			-1,
			false,
		},
		{"owner", "addr", Regular, -1, false},
		{"kind", "text", Static, -1, false},
		{
			"pair",
			"frozen<tuple<int, frozen<list<text>>>>",
			Regular,
			-1,
			false,
		},
		{"v", "vector<float, 3>", Regular, -1, false},
		{
			"deep",
			"frozen<map<text, frozen<list<frozen<set<int>>>>>>",
			Regular,
			-1,
			false,
		},
		{"secret", "text", Regular, -1, false},
		{`quoted "name"`, "blob", Regular, -1, false},
	}, columns(orders))
	require.Equal(t, []string{"street", "Zip"}, orders.Columns[4].Type.FieldNames)
	require.Equal(t, "demo", orders.Columns[4].Type.Keyspace)
	require.Equal(t, Value{Text: "0.01"}, orders.Options["bloom_filter_fp_chance"])
	require.Equal(t, Value{Text: "it's; one -- text"}, orders.Options["comment"])
	require.Equal(
		t,
		Value{
			Map: map[string]string{
				"chunk_length_in_kb": "16",
				"class":              "org.apache.cassandra.io.compress.LZ4Compressor",
			},
		},
		orders.Options["compression"],
	)
	require.Equal(t, Value{Map: map[string]string{}}, orders.Options["extensions"])
	require.NotContains(t, orders.Options, "id")

	small := s.Table("demo", "small")
	require.True(t, small.Compact)
	require.Empty(t, small.ID)
	require.Equal(t, []column{
		{
			"k",
			"int",
			PartitionKey,
			0,
			false,
		},
		{"a", "int", Regular, -1, false},
		{"c", "set<text>", Regular, -1, false},
		{"added", "frozen<list<int>>", Regular, -1, false},
	}, columns(small))
	require.Equal(t, Value{Text: "10"}, small.Options["default_time_to_live"])

	require.Equal(
		t,
		[]Dependent{
			{"demo", "orders_kind", "Orders", "StorageAttachedIndex", ""},
			{"demo", "", "Orders", "", ""},
		},
		s.Indexes,
	)
	require.Equal(t, []Dependent{{"demo", "by_day", "Orders", "", ""}}, s.Views)
	require.Equal(t, []Dependent{{"demo", "audit", "Orders", "", ""}}, s.Triggers)
	require.Equal(t, []Skipped{{44, "CREATE FUNCTION"}, {46, "GRANT SELECT"}}, s.Skipped)
}

// Every fault is reported with its position.
func TestStatementsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"CREATE TABLE t (k int PRIMARY KEY)":                                                        `line 1, column 14: a table "t" has no keyspace, and there is no USE before it`,
		"\n  CREATE TABLE k.t (k int)":                                                              `line 2, column 16: the table has no primary key`,
		"CREATE TABLE k.t (k int PRIMARY KEY, PRIMARY KEY (k))":                                     `line 1, column 38: the table has a primary key already`,
		"CREATE TABLE k.t (k int, k text, PRIMARY KEY (k))":                                         `line 1, column 26: column "k" occurs twice`,
		"CREATE TABLE k.t (k int, PRIMARY KEY (k, c))":                                              `line 1, column 14: the primary key has the column "c", which does not exist or occurs twice`,
		"CREATE TABLE k.t (k int PRIMARY KEY, v nothing)":                                           `line 1, column 40: type "nothing": offset 0: user type "nothing": no statement makes it in keyspace "k"`,
		"CREATE TABLE k.t (k int PRIMARY KEY, v list<list<int>>)":                                   `line 1, column 40: type list < list < int > >: list<int> is in a collection and must be frozen`,
		"CREATE TABLE k.t (k list<int> PRIMARY KEY)":                                                `line 1, column 19: column "k" is of the primary key: its type must be frozen`,
		"CREATE TABLE k.t (k int PRIMARY KEY, s int static)":                                        `line 1, column 38: column "s" is static in a table without clustering columns`,
		"CREATE TABLE k.t (k int static PRIMARY KEY)":                                               `line 1, column 19: column "k" is of the primary key, and cannot be static`,
		"CREATE TABLE k.t (k int PRIMARY KEY,)":                                                     `line 1, column 37: expected the name of a column, found ")"`,
		"CREATE TABLE k.t (k int PRIMARY KEY":                                                       `line 1, column 36: expected a comma or a parenthesis, found the end`,
		"CREATE TABLE k.t (k int PRIMARY KEY) WITH x":                                               `line 1, column 44: expected =, found the end`,
		"CREATE TABLE k.t (k int PRIMARY KEY) nonsense":                                             `line 1, column 38: expected a semicolon, found "nonsense"`,
		"CREATE TABLE k.t (k int PRIMARY KEY) WITH CLUSTERING ORDER BY (k)":                         `line 1, column 64: "k" is not clustering column 1 of the primary key`,
		"CREATE TYPE k.a (b frozen<a>); CREATE TABLE k.t (k int PRIMARY KEY, v a)":                  `line 1, column 20: type "frozen < a >": offset 9: user type "a": it contains itself`,
		"CREATE TYPE k.a (b int); CREATE TYPE k.c (d a); CREATE TABLE k.t (k int PRIMARY KEY, v c)": `line 1, column 45: type a is a field of a type, and must be frozen`,
		"CREATE TYPE k.c (d list<int>); CREATE TABLE k.t (k int PRIMARY KEY, v c)":                  `line 1, column 69: column "v" is of a type with collections that are not frozen: it must be frozen`,
		"CREATE TABLE k.t (k int PRIMARY KEY); CREATE TABLE k.t (k int PRIMARY KEY)":                `line 1, column 52: table "k"."t" already exists`,
		"ALTER TABLE k.t ADD v int":                                                                 `line 1, column 13: there is no table "k"."t"`,
		"CREATE TABLE k.t (k int PRIMARY KEY, v int); ALTER TABLE k.t RENAME k TO l":                `line 1, column 62: this ALTER TABLE is not supported: write the current table in CREATE TABLE`,
		"CREATE TABLE k.t (k int PRIMARY KEY, v int); ALTER TABLE k.t DROP k":                       `line 1, column 67: the table has no column "k" that can be dropped`,
		"ALTER TYPE k.a ADD c int":                                                                  `line 1, column 1: ALTER TYPE is not supported: write the current type in CREATE TYPE`,
		"CREATE TABLE k.t (k int PRIMARY KEY) WITH comment = 'ö;":                                   `line 1, column 53: the quote has no end`,
		"CREATE TABLE k.t (k 'ö' PRIMARY KEY, \"":                                                   `line 1, column 38: the quote has no end`,
		"/* CREATE":         `line 1, column 1: the comment has no end`,
		"CREATE KEYSPACE k": `line 1, column 18: expected WITH, found the end`,
		"CREATE KEYSPACE k WITH replication = {'class': }": `line 1, column 48: expected a value, found "}"`,
	} {
		_, err := Parse(text, "")
		require.EqualError(t, err, want, text)
		var at *Error
		require.ErrorAs(t, err, &at)
	}
}

// The caller may pass a keyspace, and USE overrides it.
func TestNamesWithoutKeyspace(t *testing.T) {
	s, err := Parse(
		"CREATE TABLE a (k int PRIMARY KEY); USE \"Two\"; CREATE TABLE b (k int PRIMARY KEY)",
		"one",
	)
	require.NoError(t, err)
	require.NotNil(t, s.Table("one", "a"))
	require.NotNil(t, s.Table("Two", "b"))
	require.Nil(t, s.Table("one", "b"))
}

// Cassandra 5.0.6 wrote this text into a snapshot. Columns of the table were dropped, and one of
// them was added again.
func TestSchemaOfASnapshot(t *testing.T) {
	text, err := os.ReadFile("testdata/snapshot-5.0.6.cql")
	require.NoError(t, err)
	s, err := Parse(string(text), "")
	require.NoError(t, err)
	table := s.Table("snap", "users")
	require.Equal(t, "7ef48730-e69b-11f1-9fb2-551af5a5ac93", table.ID)
	require.Equal(
		t,
		Column{Name: "Re", Position: -1, Type: typ(t, "text")},
		table.Columns[len(table.Columns)-1],
	)
	require.Equal(t, []DroppedColumn{
		{Column{Name: "Re", Position: -1, Type: typ(t, "text")}, 1795369095808000},
		{
			Column{Name: "gone", Position: -1, Type: typ(t, "frozen<tuple<int, text>>")},
			1795369095257000,
		},
		{Column{Name: "gone2", Position: -1, Type: typ(t, "map<text, int>")}, 1795369095643000},
	}, table.Dropped)
}

func TestDroppedColumns(t *testing.T) {
	s, err := Parse(
		`CREATE TABLE k.t (k int, c int, s text static, v int, w int, PRIMARY KEY (k, c));
		ALTER TABLE k.t DROP (s, v) USING TIMESTAMP 5; ALTER TABLE k.t ADD v int;
		ALTER TABLE k.t DROP v USING TIMESTAMP 7;
		ALTER TABLE k.t DROP w`,
		"",
	)
	require.NoError(t, err)
	require.Equal(t, []DroppedColumn{
		{Column{Name: "s", Kind: Static, Position: -1, Type: typ(t, "text")}, 5},
		{Column{Name: "v", Position: -1, Type: typ(t, "int")}, 7},
		{Column{Name: "w", Position: -1, Type: typ(t, "int")}, math.MaxInt64},
	}, s.Tables[0].Dropped)
	_, err = Parse(
		"CREATE TABLE k.t (k int PRIMARY KEY, v int); ALTER TABLE k.t DROP v USING TIMESTAMP soon",
		"",
	)
	require.EqualError(t, err, `line 1, column 85: "soon" is not a timestamp`)
}

func typ(t *testing.T, text string) *cqltype.Type {
	t.Helper()
	made, err := cqltype.Parse(text, nil)
	require.NoError(t, err)
	return made
}
