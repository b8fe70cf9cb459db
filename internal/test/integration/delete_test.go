//go:build integration

package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// waysToDelete are the flags of each way that deletions go to the nodes.
var waysToDelete = map[string][]string{
	"cql":    nil,
	"stream": {"--via", "stream"},
	"rows":   {"--via", "stream", "--stream", "rows"},
}

// TestDelete deletes rows by keys in each way. Other rows, static values and rows that are written
// later stay.
func TestDelete(t *testing.T) {
	t.Parallel()
	const (
		wide = "(p text, q frozen<set<int>>, c timestamp, d frozen<map<text, int>>, s text static, " +
			"v text, l list<int>, PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)"
		narrow = "(k int PRIMARY KEY, v text, m map<text, int>)"
	)
	for way, flags := range waysToDelete {
		t.Run(way, func(t *testing.T) {
			name := "it1.deleted" + way
			table(t, name, wide)
			var inserts []string
			for i := range 60 {
				inserts = append(inserts, fmt.Sprintf(
					"INSERT INTO %s (p, q, c, d, s, v, l) "+
						"VALUES ('p,%d', {2, 1, %d}, %d, {'b': 1, 'a': %d}, 's', 'v', [1, 2])",
					name, i%4, i%4, 1000*i, i,
				))
			}
			exec(t, inserts...)
			header, rows, _ := strings.Cut(ok(t, "scan", name, "-q").out, "\n")
			lines := sortedLines(t, rows)
			require.Len(t, lines, 60)
			slices.Sort(lines)

			gone := file(t, "gone.csv", header+"\n"+strings.Join(lines[:45], "\n")+"\n"+
				strings.Join(lines[:3], "\n")+"\n")
			r := ok(t, append([]string{"load", name, gone, "--delete"}, flags...)...)
			require.Contains(t, r.report, " 48 keys from "+name+", 48 read, 0 rejected")
			_, left, _ := strings.Cut(ok(t, "scan", name, "-q").out, "\n")
			// three of the partitions have only their static values left
			require.ElementsMatch(t, append([]string{
				`"p,0","{0, 1, 2}",,,s,,`, `"p,1","{1, 2}",,,s,,`, `"p,2","{1, 2}",,,s,,`,
			}, lines[45:]...), sortedLines(t, left))

			one := "it1.deletedone" + way
			table(t, one, narrow)
			exec(
				t,
				"INSERT INTO "+one+" (k, v, m) VALUES (1, 'a', {'x': 1})",
				"INSERT INTO "+one+" (k, v, m) VALUES (2, 'b', {'x': 1})",
				"INSERT INTO "+one+" (k, v, m) VALUES (3, 'c', {'x': 1})",
			)
			keys := file(t, "keys.json", `[{"k": 1}, {"k": 3, "v": "x"}, {"k": 9}, {"k": null}]`)
			dir := t.TempDir() + "/run"
			r = cqlbulk(t, append([]string{"load", one, keys, "--delete", "--run-dir", dir}, flags...)...)
			require.Equal(t, 2, r.code, r.report)
			require.Contains(t, r.report, "3 keys from "+one+", 4 read, 1 rejected")
			require.NotContains(t, r.report, "could not be read again")
			require.Contains(t, r.report, "primary key column must not be null")
			require.Equal(t, "k,m,v\n2,{'x': 1},b\n", ok(t, "scan", one, "-q").out)

			old := file(t, "old.csv", "k\n2\n")
			args := []string{"load", one, old, "--delete", "--timestamp", "2001-01-01T00:00:00Z"}
			ok(t, append(args, flags...)...)
			require.Equal(t, 1, counted(t, one), "what is written later stays")
			exec(t, "INSERT INTO "+one+" (k, v) VALUES (1, 'again')")
			require.Equal(t, 2, counted(t, one))
		})
	}
}

// TestDeleteByTheStartOfKeys deletes ranges of rows, and partitions, in each way.
func TestDeleteByTheStartOfKeys(t *testing.T) {
	t.Parallel()
	const columns = "(p text, q frozen<set<int>>, c bigint, d frozen<map<text, int>>, e int, " +
		"s text static, v text, PRIMARY KEY ((p, q), c, d, e)) WITH CLUSTERING ORDER BY (c DESC, d ASC, e DESC)"
	for way, flags := range waysToDelete {
		t.Run(way, func(t *testing.T) {
			name := "it1.deletedby" + way
			table(t, name, columns)
			load := func(rows string, flags ...string) {
				args := []string{"load", name, file(t, "rows.csv", "p,q,c,d,e,s,v\n"+rows), "-q"}
				ok(t, append(args, flags...)...)
			}
			var rows, gone, left strings.Builder
			for i := range 6000 {
				c, d := i%3000/3, i%3 // the last three of a timestamp differ in d alone
				line := fmt.Sprintf("p%d,\"{1, 2}\",%d,\"{'a': %d, 'b': 1}\",%d", i/3000, c, d, i)
				fmt.Fprintf(&rows, "%s,s,v\n", line)
				if i < 3000 && c%2 == 0 && d == 1 {
					fmt.Fprintf(&gone, "%s,s\n", line)
				} else {
					fmt.Fprintf(&left, "%s,s,v\n", line)
				}
			}
			load(rows.String())
			first := "p,q,c,d,e,s\n"
			// Servers sort sets and maps. A range without a row counts, and one that comes twice.
			unsorted := strings.NewReplacer("{1, 2}", "{2, 1}", "'a': 1, 'b': 1", "'b': 1, 'a': 1")
			input := file(t, "gone.csv", first+unsorted.Replace(gone.String())+
				"p0,\"{1, 2}\",5000,{'b': 1},1,s\n"+gone.String())
			deleted := func(by, input, want string, more ...string) {
				t.Helper()
				args := append([]string{"load", name, input, "--delete-by", by}, flags...)
				require.Contains(t, ok(t, append(args, more...)...).report, want)
			}
			check := func(want string) {
				t.Helper()
				for _, via := range [][]string{nil, {"--via", "stream"}} {
					args := []string{"scan", name, "-q", "--columns", "p,q,c,d,e,s,v"}
					got := ok(t, append(args, via...)...).out
					_, got, _ = strings.Cut(got, "\n")
					require.ElementsMatch(t, sortedLines(t, want), sortedLines(t, got))
				}
			}
			check(rows.String())
			deleted("q,p,c,d", input, " 1,001 keys from "+name+", 1,001 read, 0 rejected")
			check(left.String())

			// What is written later stays, and what was deleted before its time does too.
			const again = "p0,\"{1, 2}\",0,\"{'a': 1, 'b': 1}\",1,s,v\n"
			load(again)
			deleted("p,q,c,d", input, "1,001 keys", "--timestamp", "2001-01-01T00:00:00Z")
			check(left.String() + again)

			// Whole timestamps, whose rows are several, and then whole partitions.
			deleted("p,q,c", input, "1,001 keys")
			var odd strings.Builder
			for line := range strings.Lines(left.String()) {
				var c int
				_, err := fmt.Sscanf(line, "p0,\"{1, 2}\",%d", &c)
				if err != nil || c%2 == 1 {
					odd.WriteString(line)
				}
			}
			check(odd.String())
			deleted("p,q", file(t, "one.csv", "p,q\np1,\"{1, 2}\"\n"), "1 key ")
			var one strings.Builder
			for line := range strings.Lines(odd.String()) {
				if strings.HasPrefix(line, "p0") {
					one.WriteString(line)
				}
			}
			check(one.String())
		})
	}
}

func TestDeleteRefuses(t *testing.T) {
	t.Parallel()
	table(t, "it1.undeleted", "(p int, c int, v int, PRIMARY KEY (p, c))")
	exec(t, "INSERT INTO it1.undeleted (p, c, v) VALUES (1, 1, 1)")
	const noClustering = `the input has no field for primary key column "c" of it1.undeleted`
	for _, c := range []struct {
		input string
		flags []string
		want  string
	}{
		{"p,v\n1,1\n", nil, noClustering},
		{"p,v\n1,1\n", []string{"--via", "stream"}, noClustering},
		{"p,c,w\n1,1,1\n", nil, "--map w=COLUMN says which column it is"},
		{"p,c\n1,1\n", []string{"--ttl", "60"}, "--ttl cannot be used with --delete"},
		{
			"p,c\n1,1\n", []string{"--delete-by", "c"},
			`--delete-by: column "p" is missing: the start of the primary key of it1.undeleted is all of the partition key`,
		},
		{"p,c\n1,1\n", []string{"--delete-by", "p,v"}, "--delete-by: v is no column of the primary key"},
		{"c\n1\n", []string{"--delete-by", "p"}, `no field for primary key column "p"`},
		{"p\n1\n", []string{"--delete-by", "p", "--delete"}, "--delete cannot be used with --delete-by"},
		{
			"p,c\n1,1\n",
			[]string{"--query", "DELETE FROM it1.undeleted WHERE p = :p"},
			"--query cannot be used with --delete",
		},
	} {
		args := []string{"load", "it1.undeleted", file(t, "in.csv", c.input)}
		if !slices.Contains(c.flags, "--delete-by") {
			args = append(args, "--delete")
		}
		r := cqlbulk(t, append(args, c.flags...)...)
		require.NotZero(t, r.code)
		require.Contains(t, r.report, c.want)
	}
	require.Equal(t, 1, counted(t, "it1.undeleted"))
}
