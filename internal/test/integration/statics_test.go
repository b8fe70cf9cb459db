//go:build integration

package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTimesOfStaticColumns copies rows from one table to another, by CQL and by streaming. Their
// static and regular columns have every mixture of values, write times and times to live. No row is
// lost, and each has its values and times.
func TestTimesOfStaticColumns(t *testing.T) {
	t.Parallel()
	const body = "(k int, c int, s1 text static, s2 int static, s3 frozen<set<int>> static, v text, w int, PRIMARY KEY (k, c))"
	table(t, "it1.statics", body)
	columns := []string{"s1 = 'a'", "s2 = 2", "s3 = {3}", "v = 'v'", "w = 5"}
	// Columns are not there, or are written at one of three times, at one of them to expire.
	times := []string{
		"",
		"TIMESTAMP 1700000000001000",
		"TIMESTAMP 1700000000002000",
		"TIMESTAMP 1700000000003000 AND TTL 200000",
	}
	var stmts []string
	for k := range 4 * 4 * 4 * 4 * 4 {
		var batch []string
		for i, n := 0, k; i < len(columns); i, n = i+1, n/len(times) {
			where := fmt.Sprintf("k = %d", k)
			if i >= 3 {
				where += " AND c = 1"
			}
			if using := times[n%len(times)]; using != "" {
				batch = append(
					batch,
					fmt.Sprintf(
						"UPDATE it1.statics USING %s SET %s WHERE %s",
						using,
						columns[i],
						where,
					),
				)
			}
		}
		// Rows beside it: of nulls, and of static columns alone in some partitions.
		if k%3 != 0 || len(batch) == 0 {
			batch = append(
				batch,
				fmt.Sprintf(
					"INSERT INTO it1.statics (k, c) VALUES (%d, %d) USING TIMESTAMP 1600000000000000",
					k,
					k%3,
				),
			)
		}
		stmts = append(stmts, "BEGIN UNLOGGED BATCH "+strings.Join(batch, "; ")+"; APPLY BATCH")
	}
	execAll(t, stmts)

	const selected = "k,c,s1,s2,s3,v,w,writetime(s1),writetime(s2),writetime(s3),writetime(v),writetime(w)"
	const withTTLs = selected + ",ttl(s1),ttl(s2),ttl(s3),ttl(v),ttl(w)"
	want := rowsAndTTLs(t, "it1.statics", selected, withTTLs)
	for _, via := range []string{"cql", "stream"} {
		for _, format := range []string{"csv", "json"} {
			name := "it1.statics_" + via + "_" + format
			table(t, name, body)
			path := t.TempDir() + "/statics." + format
			ok(t, "scan", "it1.statics", "--columns", withTTLs, "-o", path, "--format", format)
			require.Contains(t, ok(t, "load", name, path, "--via", via).report, " 0 rejected")
			require.Equal(t, want, rowsAndTTLs(t, name, selected, withTTLs), name)
		}
	}
}

// rowsAndTTLs are the lines of a table without its times to live, and with which of them there are.
func rowsAndTTLs(t *testing.T, name, selected, withTTLs string) []string {
	t.Helper()
	var lines []string
	plain := len(strings.Split(selected, ","))
	for line := range strings.Lines(ok(t, "scan", name, "--columns", withTTLs, "--header=false", "--delimiter", "|").out) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		for i := plain; i < len(fields); i++ {
			if fields[i] != "" {
				fields[i] = "expires"
			}
		}
		lines = append(lines, strings.Join(fields, "|"))
	}
	slices.Sort(lines)
	return lines
}
