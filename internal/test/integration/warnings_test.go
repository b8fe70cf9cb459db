//go:build integration

package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serverWarnings lists the lines of the nodes' logs that complain about batches or tombstones of
// one of the tables. About batches over too many partitions Cassandra complains at most once a
// minute. So no test may cause that, and the whole logs are read, from the start of the nodes.
func serverWarnings(t *testing.T, tables ...string) []string {
	t.Helper()
	dir := clusterFolder()
	var found []string
	for _, node := range []string{"node1", "node2", "node3"} {
		for line := range strings.Lines(read(t, dir+"/"+node+"/logs/system.log")) {
			holds := func(text string) bool { return strings.Contains(line, text) }
			if slices.ContainsFunc(
				[]string{"Batch for", "Unlogged batch covering", "tombstone cells"},
				holds,
			) &&
				slices.ContainsFunc(tables, holds) {
				found = append(found, line)
			}
		}
	}
	return found
}

// TestServerWarningsAreShown reads many tombstones, which the nodes warn of. The warning is shown
// once and counted. A count, whose aggregates nodes warn of in the text of others, has none.
func TestServerWarningsAreShown(t *testing.T) {
	t.Parallel()
	const name, rows = "it1.tombstones", 3000
	table(t, name, "(p int, c int, v text, PRIMARY KEY (p, c))")
	input, keys := "p,c,v\n", "p,c\n"
	for c := range rows {
		input += fmt.Sprintf("1,%d,x\n", c)
		keys += fmt.Sprintf("1,%d\n", c)
	}
	ok(t, "load", name, file(t, "in.csv", input))
	r := ok(t, "count", name)
	require.NotContains(t, r.report, "warn")
	ok(t, "load", name, file(t, "keys.csv", keys), "--delete")
	// A node warns of what it reads itself. A scan of a small table may ask another one.
	partition := file(t, "partition.csv", "p\n1\n")
	r = ok(t, "scan", name, "--keys", partition, "-o", t.TempDir()+"/out.csv")
	require.Contains(t, r.report, "warns: ")
	require.Contains(t, r.report, "tombstone")
	require.Regexp(t, `\d server warnings?`, r.report)
}

// TestNoBatchWarnings loads tables of many partitions with the default settings, sorted by
// partition and in random order. They have small rows, rows of all sizes, and rows with many
// columns and collections. The servers log no warning.
func TestNoBatchWarnings(t *testing.T) {
	lengthy(t)
	t.Parallel()
	rows := testRows(t, either(6_000, 30_000))
	random := rand.New(rand.NewPCG(3, 4))
	columns := make([]string, 60)
	for i := range columns {
		columns[i] = fmt.Sprintf("v%02d", i)
	}
	shapes := []struct {
		name, body, header string
		rows               int
		row                func(i int) string // without the partition key
	}{
		{
			"small",
			"(p int, c int, note text, PRIMARY KEY (p, c))",
			"p,c,note",
			rows,
			func(i int) string {
				return fmt.Sprintf("%d,note %d", i, i)
			},
		},
		{
			"sized",
			"(p int, c int, note text, PRIMARY KEY (p, c))",
			"p,c,note",
			rows / 10,
			func(i int) string {
				return fmt.Sprintf("%d,%s", i, strings.Repeat("x", 1<<random.IntN(17)))
			},
		},
		{
			"broad",
			"(p int, c int, l list<int>, m map<int, text>, " + strings.Join(
				columns,
				" text, ",
			) + " text, PRIMARY KEY (p, c))",
			"p,c,l,m," + strings.Join(columns, ","),
			rows / 10,
			func(i int) string {
				return fmt.Sprintf(
					"%d,\"[1, 2, %d]\",\"{1: 'a', 2: 'b'}\",%s",
					i,
					i,
					strings.Repeat("word,", len(columns)-1)+"word",
				)
			},
		},
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			var in []string
			for i := range s.rows {
				in = append(in, fmt.Sprintf("%d,%s\n", i/3, s.row(i)))
			}
			for _, order := range []string{"sorted", "random"} {
				if order == "random" {
					random.Shuffle(len(in), func(i, k int) { in[i], in[k] = in[k], in[i] })
				}
				name := "warned_" + s.name + "_" + order
				table(t, "it2."+name, s.body)
				r := ok(
					t,
					"load",
					"it2."+name,
					file(t, order+".csv", s.header+"\n"+strings.Join(in, "")),
				)
				require.Contains(t, r.report, "0 rejected")
				require.Less(
					t,
					number(t, r, "requests +([0-9,]+) of"),
					s.rows,
					"there were batches",
				)
				require.Empty(t, serverWarnings(t, name))
			}
		})
	}
}

// TestServersWarn makes sure that the servers' logs are read, and that they would
// say something: a batch that is too large is complained about.
func TestServersWarn(t *testing.T) {
	t.Parallel()
	// Each run has a name of its own, so that no older complaint is found.
	name := fmt.Sprintf("warned_at_%d", os.Getpid())
	table(t, "it2."+name, "(p int PRIMARY KEY, note text)")
	insert := fmt.Sprintf(
		"INSERT INTO it2.%s (p, note) VALUES (%%d, '%s');\n",
		name,
		strings.Repeat("x", 4000),
	)
	exec(t, "BEGIN UNLOGGED BATCH\n"+fmt.Sprintf(insert, 1)+fmt.Sprintf(insert, 2)+"APPLY BATCH")
	require.Eventually(
		t,
		func() bool { return len(serverWarnings(t, name)) > 0 },
		time.Minute,
		50*time.Millisecond,
	)
	exec(t, "DROP TABLE it2."+name)
}
