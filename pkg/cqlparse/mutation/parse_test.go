package mutation_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/mutation"
)

// kinds are those of the columns of the tests' statements.
func kinds(column string) mutation.ColumnKind {
	switch column {
	case "n", "Hits":
		return mutation.Counter
	case "l":
		return mutation.List
	default:
		return mutation.Other
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, table  string
		timed        string // empty: no timestamp can be added
		unrepeatable string
	}{
		{
			`INSERT INTO ks.t (k, v) VALUES (:k, :v)`,
			"ks.t",
			`INSERT INTO ks.t (k, v) VALUES (:k, :v) USING TIMESTAMP ?`,
			"",
		},
		{
			"insert into \"Ks\".\"T t\" (k, \"V\") values (?, 'a;''b') ; -- end",
			"Ks.T t",
			"insert into \"Ks\".\"T t\" (k, \"V\") values (?, 'a;''b') USING TIMESTAMP ?",
			"",
		},
		{
			`INSERT INTO t (k, v) VALUES (:k, toDate(:v)) USING TTL 60 -- a day`,
			".t",
			`INSERT INTO t (k, v) VALUES (:k, toDate(:v)) USING TIMESTAMP ? AND TTL 60`,
			"",
		},
		{
			"INSERT INTO ks.t (k) VALUES (uuid()) // new\n;",
			"ks.t",
			`INSERT INTO ks.t (k) VALUES (uuid()) USING TIMESTAMP ?`,
			"uuid() may return another value",
		},
		{
			`INSERT INTO ks.t (k, v) VALUES (:k, {'a': (1, :x)}) IF NOT EXISTS USING TTL :t`,
			"ks.t", "", "it has a condition",
		},
		{
			`UPDATE ks.t SET v = :v WHERE k = :k AND c IN (1, 2)`,
			"ks.t",
			`UPDATE ks.t USING TIMESTAMP ? SET v = :v WHERE k = :k AND c IN (1, 2)`,
			"",
		},
		{
			`UPDATE ks.t USING TTL :t SET v = :v, "W"[:i] = intAsBlob(:w), u.f = ? WHERE k = :k`,
			"ks.t",
			`UPDATE ks.t USING TIMESTAMP ? AND TTL :t SET v = :v, "W"[:i] = intAsBlob(:w), u.f = ? WHERE k = :k`,
			"",
		},
		{`UPDATE ks.t SET n = n + :v WHERE k = :k`, "ks.t", "", "column n is a counter"},
		{`UPDATE ks.t SET v = 1, "Hits" -= ? WHERE k = ?`, "ks.t", "", "column Hits is a counter"},
		{
			`UPDATE ks.t SET l = :x + l WHERE k = :k`,
			"ks.t",
			`UPDATE ks.t USING TIMESTAMP ? SET l = :x + l WHERE k = :k`,
			"column l is a list that is not frozen",
		},
		{
			`UPDATE ks.t SET s = s + {:x} WHERE k = :k`,
			"ks.t",
			`UPDATE ks.t USING TIMESTAMP ? SET s = s + {:x} WHERE k = :k`,
			"",
		},
		{
			`UPDATE ks.t SET v = :v WHERE k = :k IF v = :old AND EXISTS`,
			"ks.t", "", "it has a condition",
		},
		{
			`DELETE FROM ks.t WHERE k = :k AND c >= :a AND (c, d) < (:b, now())`,
			"ks.t",
			`DELETE FROM ks.t USING TIMESTAMP ? WHERE k = :k AND c >= :a AND (c, d) < (:b, now())`,
			"now() may return another value",
		},
		{
			`DELETE v, m[:x], l FROM ks.t WHERE k = :k`,
			"ks.t",
			`DELETE v, m[:x], l FROM ks.t USING TIMESTAMP ? WHERE k = :k`,
			"",
		},
		{
			`DELETE l[:x] FROM ks.t WHERE k = :k`,
			"ks.t",
			`DELETE l[:x] FROM ks.t USING TIMESTAMP ? WHERE k = :k`,
			"column l is a list that is not frozen",
		},
		{`DELETE FROM ks.t WHERE k = :k IF EXISTS`, "ks.t", "", "it has a condition"},
	} {
		t.Run(c.text, func(t *testing.T) {
			s, err := mutation.Parse(c.text)
			require.NoError(t, err)
			require.Equal(t, c.table, s.Keyspace+"."+s.Table)
			require.Equal(t, c.unrepeatable, s.Unrepeatable(kinds))
			require.Equal(t, strings.Contains(c.text, "DELETE l["), s.DeletesByIndex(kinds) == "l")
			require.False(t, s.Timestamp)
			require.Equal(t, strings.Contains(c.text, "?"), s.Positional)
			if c.timed == "" {
				return
			}
			timed := s.WithTimestamp("?")
			require.Equal(t, c.timed, timed)
			again, err := mutation.Parse(timed)
			require.NoError(t, err)
			require.True(t, again.Timestamp)
			require.Equal(t, s.TTL, again.TTL)
			require.Equal(t, s.Unrepeatable(kinds), again.Unrepeatable(kinds))
		})
	}
}

// What stands before the first word is no part of the statement: libraries look at its first word.
func TestParseFindsWhatIsAppended(t *testing.T) {
	for text, want := range map[string][]string{
		`UPDATE t SET l = l + :a WHERE k = :k`:                                 {"a"},
		`UPDATE t SET "L" = "L" + :"A b", n = n+1 WHERE k = :k`:                {"A b"},
		`UPDATE t SET l += :a, m += ?, x = l + ?, m = m + {1: :b} WHERE k = ?`: {"a", "m", "x"},
		`UPDATE t SET l = :a + l, v = :a, l[:a] = :a, l -= :a WHERE k = :k`:    nil,
		`UPDATE t SET l = l - :a, s = s + {:a} WHERE k = :k`:                   nil,
		`INSERT INTO t (k, l) VALUES (:k, :l)`:                                 nil,
	} {
		s, err := mutation.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, s.Appended, text)
	}
}

func TestParseFindsMarkers(t *testing.T) {
	for text, want := range map[string][]mutation.Marker{
		`UPDATE t USING TTL :t SET v = :v, u = {street: :s, "Zip": ?}, ` +
			`m = {'a': :m, 'b': null, :k: now()}, l[:i] = f(:x) ` +
			`WHERE p = :p AND c > :a AND (c, d) < (:b, ?) IF v = :old`: {
			{"t", false, false}, {"v", false, false}, {"s", false, true}, {"u", false, true},
			{"m", false, true}, {"k", false, true}, {"i", false, false}, {"x", false, false},
			{"p", true, false}, {"a", true, false}, {"b", false, false}, {"c", false, false},
			{"old", false, false},
		},
		`DELETE m[:k], l FROM t WHERE k IN :keys AND c = ?`: {
			{"k", false, false}, {"keys", true, false}, {"c", true, false},
		},
		`UPDATE t SET m = {'a': ks.f(:x), 'b': "F"(:y)}, v = :v WHERE k = {a: :a} AND p IN (:p, ?)`: {
			{"x", false, true}, {"y", false, true}, {"v", false, false}, {"a", false, true},
			{"p", false, false}, {"p", false, false},
		},
		`INSERT INTO t (k, u) VALUES (:"K", {a: {b: :b}}) USING TIMESTAMP :w`: {
			{"K", false, false}, {"b", false, true}, {"w", false, false},
		},
	} {
		s, err := mutation.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, s.Markers, text)
	}
}

func TestParseFindsTheTimestamp(t *testing.T) {
	for text, want := range map[string]string{
		`UPDATE t USING TTL 5 AND TIMESTAMP :ts SET v = 1 WHERE k = :k`: ":ts",
		`DELETE FROM t USING TIMESTAMP ? WHERE k = ?`:                   "?",
		`INSERT INTO t (k) VALUES (:k) USING TIMESTAMP 1700000000`:      "1700000000",
		`DELETE FROM t USING TIMESTAMP (bigint) :x WHERE k = ?`:         "",
		`DELETE FROM t WHERE k = ?`:                                     "",
	} {
		s, err := mutation.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, s.Stamp, text)
	}
}

func TestParseDropsComments(t *testing.T) {
	s, err := mutation.Parse("\ufeff-- a note\n/* and */ DELETE FROM t /* of */ WHERE \"K\" IN (:a, 1) AND c IN :b ;")
	require.NoError(t, err)
	require.Equal(t, `DELETE FROM t /* of */ WHERE "K" IN (:a, 1) AND c IN :b`, s.Text)
	require.Equal(
		t,
		`DELETE FROM t /* of */ USING TIMESTAMP ? WHERE "K" IN (:a, 1) AND c IN :b`,
		s.WithTimestamp("?"),
	)
	require.Equal(t, []string{"K", "c"}, s.In)
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                                     "line 1, column 1: expected INSERT, UPDATE or DELETE, found the end",
		`SELECT * FROM ks.t`:                   `expected INSERT, UPDATE or DELETE, found "select"`,
		`BEGIN BATCH`:                          "a batch is not taken",
		`INSERT INTO ks.t JSON :x`:             "column 18: INSERT JSON is not taken",
		`INSERT ks.t (k) VALUES (1)`:           "expected INTO",
		`INSERT INTO ks. (k) VALUES (1)`:       "expected the name of a table",
		`INSERT INTO ks.t (k v) VALUES (1)`:    "expected ,",
		`INSERT INTO ks.t (k) VALUES 1`:        "expected (",
		`INSERT INTO ks.t (k) VALUES (1`:       "expected ), found the end",
		`INSERT INTO ks.t (k) VALUES (1])`:     "nothing is open that ] closes",
		`INSERT INTO ks.t (k) VALUES (1) IF`:   "expected NOT, found the end",
		`UPDATE ks.t SET v = 1`:                "expected WHERE, found the end",
		`UPDATE ks.t SET v = WHERE k = 1`:      `expected a value, found "where"`,
		`UPDATE ks.t USING x SET v=1 WHERE k=`: "expected TIMESTAMP or TTL",
		`DELETE FROM ks.t`:                     "expected WHERE, found the end",
		`DELETE a b FROM ks.t WHERE k = 1`:     "expected FROM",
		"DELETE FROM t\nWHERE k=1; DROP x":     `line 2, column 12: expected the end of the statement, found "drop"`,
		`DELETE FROM t WHERE k = 'x`:           "the quote has no end",
	} {
		_, err := mutation.Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

// FuzzParse parses any text. What it takes is taken with a timestamp, too.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"INSERT INTO a.b(c)VALUES(?)", "UPDATE t SET a=a+1,b[0]=2 WHERE k=? IF EXISTS;",
		"DELETE a[?],b.c FROM \"T\" USING TIMESTAMP 1 AND TTL ? WHERE k IN(now())/**/",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := mutation.Parse(text)
		if err != nil {
			return
		}
		require.Contains(t, text, s.Text)
		same, err := mutation.Parse(s.Text)
		require.NoError(t, err)
		require.Equal(t, s.Unrepeatable(kinds), same.Unrepeatable(kinds))
		timed, err := mutation.Parse(s.WithTimestamp("?"))
		require.NoError(t, err, s.WithTimestamp("?"))
		require.True(t, timed.Timestamp)
		require.Equal(t, s.Table, timed.Table)
	})
}
