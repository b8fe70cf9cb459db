//go:build integration

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// statementBody is a table with all that a statement may change.
const statementBody = "(p int, c int, v text, n int, l list<text>, s set<int>, m map<text, int>, " +
	"st text static, d date, u tuple<int, text>, PRIMARY KEY (p, c))"

// TestStatements runs statements for the rows of an input, and the same statements one by one on
// another table. Both tables are the same then.
func TestStatements(t *testing.T) {
	t.Parallel()
	table(t, "it1.stmt", statementBody)
	table(t, "it1.stmtone", statementBody)
	for _, step := range []struct {
		query string // %s is the table
		// names of the markers; those that begin with t are texts
		markers string
		rows    [][]string // by marker: text of the field, which is a literal of CQL as well
	}{
		{
			"INSERT INTO %s (p, c, v, n, d, l, s, m) VALUES (:p, :c, :t, 7, toDate((timeuuid) :at), :l, :s, {'a': 1})",
			"p,c,t,at,l,s",
			[][]string{
				{"1", "1", "one", "5132b130-ae79-11e4-ab27-0800200c9a66", "['a', 'b']", "{1, 2}"},
				{"1", "2", "two", "5132b130-ae79-11e4-ab27-0800200c9a66", "['a']", "{3}"},
				{"1", "3", "it's", "5132b130-ae79-11e4-ab27-0800200c9a66", "['a']", "{}"},
				{"1", "4", "four", "5132b130-ae79-11e4-ab27-0800200c9a66", "['a']", "{3}"},
				{"2", "1", "", "5132b130-ae79-11e4-ab27-0800200c9a66", "['x', 'x']", "{9}"},
				{"3", "1", "x", "5132b130-ae79-11e4-ab27-0800200c9a66", "['y']", "{9}"},
			},
		},
		{
			"UPDATE %s USING TTL 100000 SET l = l + :l, m[:tk] = :n WHERE p = :p AND c = :c",
			"l,tk,n,p,c",
			[][]string{{"['c']", "k", "5", "1", "1"}, {"['d', 'e']", "it's", "6", "1", "2"}},
		},
		{
			"UPDATE %s SET l = :l + l, u = (:n, 'z'), n = :n WHERE p = :p AND c = :c",
			"l,n,p,c",
			[][]string{{"['z']", "5", "1", "1"}, {"['y']", "6", "2", "1"}},
		},
		{
			"UPDATE %s SET l = l - ['a'], m = m - :mk, s -= :n WHERE p = :p AND c = :c",
			"mk,n,p,c",
			[][]string{{"{'a'}", "{1}", "1", "1"}, {"{'a'}", "{3}", "1", "2"}},
		},
		{"UPDATE %s SET st = :t WHERE p = :p", "t,p", [][]string{{"x", "1"}, {"y", "1"}, {"z", "3"}}},
		{
			"UPDATE %s SET u = ?, l[0] = 'new' WHERE p = ? AND c = ?",
			"u,p,c",
			[][]string{{"(1, 'q')", "1", "1"}, {"(null, 'w')", "1", "2"}},
		},
		{
			"DELETE v, m[:tk], l[0] FROM %s WHERE p = :p AND c = :c",
			"tk,p,c",
			[][]string{{"k", "1", "1"}, {"a", "2", "1"}},
		},
		{"DELETE FROM %s WHERE p = :p AND c = :c", "p,c", [][]string{{"1", "1"}, {"8", "8"}}},
		{
			"DELETE FROM %s WHERE p = :p AND c > :above AND c <= :below",
			"p,above,below",
			[][]string{{"1", "2", "4"}, {"2", "5", "9"}},
		},
		{"DELETE FROM %s WHERE p IN (:p, 77)", "p", [][]string{{"3"}}},
	} {
		input := step.markers + "\n"
		for _, row := range step.rows {
			exec(t, withLiterals(fmt.Sprintf(step.query, "it1.stmtone"), step.markers, row))
			input += `"` + strings.Join(row, `","`) + "\"\n"
		}
		ok(t, "load", file(t, "in.csv", input), "--query", fmt.Sprintf(step.query, "it1.stmt"))
		want, got := ok(t, "scan", "it1.stmtone").out, ok(t, "scan", "it1.stmt").out
		require.Equal(t, sortedLines(t, want), sortedLines(t, got), step.query)
	}
	require.Equal(t, 2, counted(t, "it1.stmt"), "what is left")
}

// TestStatementsWithoutAValue gives empty fields to all that a statement may change: it changes
// nothing then. Cassandra fails on a value that is unset for l + :x.
func TestStatementsWithoutAValue(t *testing.T) {
	t.Parallel()
	table(t, "it1.stmtnull", statementBody)
	const rest = " WHERE p = 1 AND c = :c"
	exec(t, "INSERT INTO it1.stmtnull (p, c, v, l, s, m, st) "+
		"VALUES (1, 1, 'v', ['a'], {1}, {'a': 1}, 'st')")
	before := ok(t, "scan", "it1.stmtnull").out
	for _, set := range []string{
		"l = l + :x", "l += :x", "l = l + ?", "l = :x + l", "l = l - :x", "l[0] = :x", "l = :x",
		"s = s + :x", "s = s - :x", "m = m + :x", "m = m - :x", "m['a'] = :x", "v = :x",
		"l = l + :x, v = :v", "l = l + :x, st = 'st'",
	} {
		input, statement := "x,c\n,1\n", "UPDATE it1.stmtnull SET "+set+rest
		switch {
		case strings.Contains(set, "?"):
			input, statement = "l,c\n,1\n", strings.ReplaceAll(statement, ":c", "?")
		case strings.Contains(set, ":v"):
			input = "x,c,v\n,1,\n"
		}
		ok(t, "load", file(t, "in.csv", input), "--query", statement)
		require.Equal(t, before, ok(t, "scan", "it1.stmtnull").out, set)
	}
}

// TestStatementsWithoutABound leaves out values that a statement cannot do without: rows are
// rejected, and not sent. A null bound of a range would get into the commit logs of the servers,
// which then do not start (Cassandra 5.0.6).
func TestStatementsWithoutABound(t *testing.T) {
	t.Parallel()
	table(t, "it1.stmtbound", statementBody)
	exec(t, "DROP TABLE IF EXISTS it1.stmtpart", "DROP TYPE IF EXISTS it1.stmtaddress",
		`CREATE TYPE it1.stmtaddress (street text, "Zip" int)`,
		"CREATE TABLE it1.stmtpart (k int PRIMARY KEY, a it1.stmtaddress)", "INSERT INTO it1.stmtbound (p, c, v) VALUES (1, 1, 'v')")
	for _, c := range []struct{ input, query, nulls, says string }{
		{"p,a,b\n1,,3\n", "DELETE FROM it1.stmtbound WHERE p = :p AND c > :a AND c < :b", "tombstone", "null"},
		{"p,a,b\n1,,3\n", "DELETE FROM it1.stmtbound WHERE p = :p AND c > :a AND c < :b", "unset", "null"},
		{"p,a,b\n1,0,\n", "DELETE FROM it1.stmtbound WHERE p = :p AND c > :a AND c < :b", "tombstone", "null"},
		{"p,a\n1,\n", "DELETE FROM it1.stmtbound WHERE p = :p AND c <= :a", "tombstone", "null"},
		{"p,c\n1,\n", "DELETE FROM it1.stmtbound WHERE p = ? AND c >= ?", "tombstone", "null"},
		{"v,c,p\nx,,1\n", "UPDATE it1.stmtbound SET v = :v WHERE p = :p AND c = :c", "tombstone", "null"},
		{
			"k,s,z\n2,,6\n", `INSERT INTO it1.stmtpart (k, a) VALUES (:k, {street: :s, "Zip": :z})`,
			"unset", "--nulls tombstone makes a field of a user type null",
		},
	} {
		dir := t.TempDir() + "/run"
		r := cqlbulk(t, "load", file(t, "in.csv", c.input), "--query", c.query, "--nulls", c.nulls,
			"--run-dir", dir, "--keep-going")
		require.Equal(t, 2, r.code, r.report)
		require.Contains(t, read(t, filepath.Join(dir, "errors.jsonl")), c.says, c.query)
		require.Contains(t, r.report, "1 read, 1 rejected", c.query)
		require.NotContains(t, r.report, "responses", c.query)
	}
	require.Equal(t, 1, counted(t, "it1.stmtbound"))
	ok(t, "load", file(t, "in.csv", "k,s,z\n2,,6\n"), "--nulls", "tombstone", "--query",
		`INSERT INTO it1.stmtpart (k, a) VALUES (:k, {street: :s, "Zip": :z})`)
	require.Equal(t, "2,\"{street: null, \"\"Zip\"\": 6}\"\n", ok(t, "scan", "it1.stmtpart", "--header=false").out)
}

// withLiterals writes values in place of the markers of a statement.
func withLiterals(query, markers string, values []string) string {
	literals := make(map[string]string)
	var positional []string
	for i, name := range strings.Split(markers, ",") {
		literal := values[i]
		if strings.HasPrefix(name, "t") {
			literal = "'" + strings.ReplaceAll(literal, "'", "''") + "'"
		}
		literals[":"+name], positional = literal, append(positional, literal)
	}
	return regexp.MustCompile(`:[a-z]+|\?`).ReplaceAllStringFunc(query, func(marker string) string {
		if marker != "?" {
			return literals[marker]
		}
		literal := positional[0]
		positional = positional[1:]
		return literal
	})
}

// TestStatementsOnACondition runs updates whose condition holds for some rows. The others are kept,
// with the values that were found.
func TestStatementsOnACondition(t *testing.T) {
	t.Parallel()
	table(t, "it1.stmtif", statementBody)
	exec(
		t,
		"INSERT INTO it1.stmtif (p, c, v, u) VALUES (1, 1, 'a', (1, 'x'))",
		"INSERT INTO it1.stmtif (p, c, v) VALUES (1, 2, 'b')",
	)
	dir := t.TempDir() + "/run"
	input := "p,c,old,new\n1,1,a,A\n1,2,a,B\n1,3,a,C\n"
	r := ok(t, "load", file(t, "in.csv", input), "--run-dir", dir,
		"--query", "UPDATE it1.stmtif SET v = :new WHERE p = :p AND c = :c IF v = :old AND n = null")
	require.Contains(t, r.report, " 1 UPDATE on it1.stmtif, 3 read, 0 rejected, 2 not applied")
	require.Equal(t, "A\nb\n", ok(t, "scan", "it1.stmtif", "--columns", "v", "--header=false").out)
	requireRows(t, []string{"1,2,a,B\n", "1,3,a,C\n"}, read(t, filepath.Join(dir, "not-applied.csv")))
	reasons := read(t, filepath.Join(dir, "errors.jsonl"))
	require.Contains(t, reasons, `"found":{"v":"b","n":null}`)
	require.Contains(t, reasons, `"stage":"not applied"`)
	require.NoFileExists(t, filepath.Join(dir, "rejects.csv"))
	r = cqlbulk(t, "retry", dir)
	require.NotZero(t, r.code)
	require.Contains(t, r.report, "no row was rejected")

	r = ok(t, "load", "it1.stmtif", file(t, "in.csv", "p,c,v\n1,1,q\n1,4,d\n"), "--if-not-exists",
		"--run-dir", dir+"2")
	require.Contains(t, r.report, "1 row into it1.stmtif, 2 read, 0 rejected, 1 was there already")
	requireRows(t, []string{"1,1,q\n"}, read(t, filepath.Join(dir+"2", "not-applied.csv")))
	require.Contains(t, read(t, filepath.Join(dir+"2", "errors.jsonl")), `"u":[1,"x"],"v":"A"`)

	// After the rejected rows are loaded, the others still need the user.
	r = cqlbulk(t, "load", "it1.stmtif", file(t, "in.csv", "p,c,v\n1,1,q\n1,x,d\n"),
		"--if-not-exists", "--run-dir", dir+"3")
	require.Equal(t, 2, r.code, r.report)
	rejects := filepath.Join(dir+"3", "rejects.csv")
	mended := strings.Replace(read(t, rejects), "x", "5", 1)
	require.NoError(t, os.WriteFile(rejects, []byte(mended), 0o600))
	r = ok(t, "retry", dir+"3")
	require.Contains(t, r.report, "nothing is left to retry; rows that were not applied are in "+
		filepath.Join(dir+"3", "not-applied.csv"))
}

// TestWrongStatements gives statements, and settings beside them, that no load can run.
func TestWrongStatements(t *testing.T) {
	t.Parallel()
	table(t, "it1.stmtbad", statementBody)
	path := file(t, "in.csv", "p,c,v\n1,1,a\n")
	for _, c := range []struct {
		query string
		more  []string
		want  string
	}{
		{"UPDATE it1.stmtbad SET v = :v", nil, "line 1, column 30: expected WHERE, found the end"},
		{"UPDATE stmtbad SET v = :v WHERE p = :p AND c = :c", nil, "names no keyspace"},
		{
			"UPDATE stmtbad SET v = :v WHERE p = :p AND c = :c", []string{"--keyspace", "nope"},
			"nope",
		},
		{
			"UPDATE it1.stmtbad SET v = :v, n = :n WHERE p = :p AND c = :c",
			nil,
			"the input has no field for :n of the statement",
		},
		{"DELETE FROM it1.stmtbad WHERE p = :p AND c = :c", nil, "the statement has no marker :v"},
		{"DELETE FROM it1.stmtbad WHERE c = :c", nil, "--query: Some partition key parts are missing: p"},
		{"DELETE FROM it1.stmtbad WHERE p = 1", nil, "has no marker, such as :name"},
		{
			"UPDATE it1.stmtbad SET l = l + ['a'] WHERE p IN (:p, 7) AND c = :c",
			[]string{"--skipcols", "v"},
			"--query: IN on the partition key, in a statement that must not run twice",
		},
		{"UPDATE it1.stmtbad SET x = :v WHERE p = :p AND c = :c", nil, "--query: Undefined column name x"},
		{"UPDATE it1.stmtbad SET v = :v WHERE p = :v AND c = :c", nil, "two markers :v, one of type"},
		{"UPDATE it1.stmtbad SET v = ? WHERE p = ? AND c = 1 IF v = ?", nil, `two markers for "v"`},
		{"INSERT INTO it1.stmtbad (p, c, v) VALUES (:p, :c, :v)", []string{"--via", "stream"}, "runs no"},
		{"INSERT INTO it1.stmtbad (p, c, v) VALUES (:p, :c, :v)", []string{"--ttl", "5"}, "USING TTL"},
		{
			"INSERT INTO it1.stmtbad (p, c, v) VALUES (:p, :c, :v) USING TIMESTAMP 5",
			[]string{"--timestamp", "2024-01-01T00:00:00Z"},
			"the statement has a timestamp of its own",
		},
	} {
		r := cqlbulk(t, append([]string{"load", path, "--query", c.query}, c.more...)...)
		require.Equal(t, 1, r.code, c.query)
		require.Contains(t, r.report, c.want, c.query)
	}
	// a row that the servers refuse is rejected, and the others are written
	path = file(t, "in.csv", "p,c,v\n1,1,a\n1,,b\n,2,c\n2,1,d\n")
	r := cqlbulk(t, "load", path, "--run-dir", t.TempDir()+"/run", "--query",
		"UPDATE it1.stmtbad SET v = :v WHERE p = :p AND c = :c")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.report, "2 UPDATEs on it1.stmtbad, 4 read, 2 rejected")
	require.Contains(t, r.report, `in.csv:4:1: column "p"`)
	require.Contains(t, r.report, `in.csv:3:3: column "c", value "": a condition of WHERE takes no null`)
}
