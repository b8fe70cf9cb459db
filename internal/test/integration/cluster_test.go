//go:build integration

package integration

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wide makes the text of a table of three partitions in ten with many rows, one
// with very many, and the rest with one.
func wide(rows int) string {
	var b strings.Builder
	b.WriteString("id,n,note\n")
	for i := range rows {
		partition := i
		switch {
		case i%10 < 3:
			partition = i % 97
		case i%10 == 9:
			partition = -1
		}
		fmt.Fprintf(&b, "p%d,%d,\"note %d\"\n", partition, i, i)
	}
	return b.String()
}

// TestEachRowOnce scans a table of two replicas on three nodes.
func TestEachRowOnce(t *testing.T) {
	t.Parallel()
	rows := either(6_000, 50_000)
	table(t, "it2.wide", "(id text, n int, note text, PRIMARY KEY (id, n))")
	input := wide(rows)
	ok(t, "load", "it2.wide", file(t, "wide.csv", input))
	for _, flags := range [][]string{
		{"--splits", "0"}, // as by default
		{"--pagesize", "7", "--smudge", "1"},
		{"--smudge", "40", "--consistency", "local_quorum"},
		{"--dc", "dc1", "--cores", "1", "--seed", "5"},
	} {
		r := ok(t, append([]string{"scan", "it2.wide"}, flags...)...)
		records, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"id", "n", "note"}, records[0])
		seen := make(map[string]bool, rows)
		for _, rec := range records[1:] {
			require.False(t, seen[rec[1]], "row %s comes twice with %v", rec[1], flags)
			require.Equal(t, "note "+rec[1], rec[2])
			seen[rec[1]] = true
		}
		require.Len(t, seen, rows, "with %v", flags)
	}
	require.Equal(t, fmt.Sprintln(rows), ok(t, "count", "it2.wide").out)
}

// TestTableOfASpecialKind scans tables that are not ordinary ones.
func TestTableOfASpecialKind(t *testing.T) {
	t.Parallel()
	require.Contains(t, ok(t, "scan", "system_schema.keyspaces").out, "\nit2,true,")
	require.Contains(
		t,
		ok(t, "scan", "system_views.settings", "--columns", "name,value").out,
		"\nmax_mutation_size,16384KiB\n",
	)
	table(t, "it2.empty", "(k int PRIMARY KEY, v text)")
	require.Equal(t, "k,v\n", ok(t, "scan", "it2.empty").out)
	require.Equal(t, "0\n", ok(t, "count", "it2.empty").out)
	table(t, `it2."OddName"`, `("K" int PRIMARY KEY, "from" text)`)
	ok(t, "load", `it2."OddName"`, file(t, "odd.csv", "FROM,k\nx,1\n"))
	require.Equal(t, "K,from\n1,x\n", ok(t, "scan", "-k", "it2", "-t", `"OddName"`).out)

	table(t, "it2.base", "(a int, b int, c text, PRIMARY KEY (a, b))")
	exec(
		t,
		"CREATE MATERIALIZED VIEW IF NOT EXISTS it2.base_by_b AS SELECT * FROM it2.base WHERE b IS NOT NULL AND a IS NOT NULL PRIMARY KEY (b, a)",
	)
	ok(t, "load", "it2.base", file(t, "base.csv", "a,b,c\n1,2,x\n"))
	require.Equal(t, "b,a,c\n2,1,x\n", ok(t, "scan", "it2.base_by_b").out)
	exec(t, "DROP MATERIALIZED VIEW it2.base_by_b")
}

func TestPlan(t *testing.T) {
	t.Parallel()
	table(t, "it2.planned", "(k int PRIMARY KEY)")
	r := ok(
		t,
		"plan",
		"it2.planned",
		"--splits",
		"0",
		"--cores",
		"4",
		"--smudge",
		"2",
		"--seed",
		"9",
	)
	require.Contains(t, r.out, "24 = (4 + 4 + 4 cores) x smudge 2")
	require.Regexp(
		t,
		`(?m) [0-9]+ of 49 vnode ranges, up to 2,400 if the table is large, seed 9$`,
		r.out,
	)
	require.Contains(t, r.out, "SimpleStrategy, replication_factor 2")
	require.Equal(t, 3, strings.Count(r.out, ":9042 "), r.out)
}
