//go:build integration

package integration

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// cellsOf returns all that SSTables of some nodes have, merged, as rows of a table: a text for each
// partition, by its key. Cells of a column that was dropped are left out.
func cellsOf(t *testing.T, keyspace, name, dropped string, nodes ...nodeTable) map[string]string {
	t.Helper()
	described, err := session.Table(t.Context(), keyspace, name)
	require.NoError(t, err)
	planned, err := sstable.Plan(described.Stored())
	require.NoError(t, err)
	table := &reconcile.Table{
		Schema:  planned,
		Dropped: []reconcile.Dropped{{Name: dropped, Time: math.MaxInt64}},
	}
	var files []sstables.File
	for _, n := range nodes {
		for _, d := range n.names {
			f, err := sstables.Open(n.folder, d)
			require.NoError(t, err)
			defer f.Close()
			files = append(files, f)
		}
	}
	merged, err := sstables.Merge(table, files, []token.Range{token.Whole(token.Murmur3)})
	require.NoError(t, err)
	var text strings.Builder
	all := make(map[string]string)
	err = sstable.Copy(
		&textSink{all: all, text: &text, source: merged},
		codecOf(t, planned),
		merged,
	)
	require.NoError(t, err)
	return all
}

// codecOf is a codec that encodes rows of a schema, whatever their times.
func codecOf(t *testing.T, s *sstable.Schema) *sstable.Codec {
	t.Helper()
	c, err := sstable.NewCodec(s, component.NB, sstable.Minima{})
	require.NoError(t, err)
	return c
}

// textSink writes down what it is given, partition by partition.
type textSink struct {
	all    map[string]string
	text   *strings.Builder
	source sstable.Source
}

func (s *textSink) Begin(_ []byte, d sstable.Deletion) error {
	s.text.Reset()
	fmt.Fprintf(s.text, "%+v\n", d)
	return nil
}

func (s *textSink) Static(encoded []byte) error { return s.Row(encoded) }

func (s *textSink) Row(encoded []byte) error {
	fmt.Fprintf(s.text, "%x\n", encoded)
	return nil
}

func (s *textSink) Marker(m *sstable.Marker) error {
	fmt.Fprintf(s.text, "%+v\n", *m)
	return nil
}

func (s *textSink) End() error {
	s.all[fmt.Sprintf("%x", s.source.Key())] = s.text.String()
	return nil
}

// keptAsWritten makes servers leave the SSTables of a table as they are, and keep tombstones in
// them: those that could be purged are there to be cloned.
const keptAsWritten = " AND gc_grace_seconds = 1 AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}"

// A table in which rows, ranges, partitions, cells and elements were deleted, and others have
// expired, is cloned cell by cell. It comes from a cluster and from a snapshot, to each replica.
// Its deletions also hide what was in the clone before.
func TestCloneIsTheTableAsItWas(t *testing.T) {
	t.Parallel()
	body := strings.Replace(hurtBody, " AND gc_grace_seconds = 864000", keptAsWritten, 1)
	require.NotEqual(t, hurtBody, body)
	table(t, "it3.original", strings.Replace(body, "v text,", "v text, gone int,", 1))
	for _, name := range []string{"it3.cloned", "it2.cloned"} {
		table(t, name, strings.Replace(body, "v text,", "v text, more int,", 1))
	}
	r := rand.New(rand.NewPCG(14, 1))
	for i := range either(120, 2000) {
		exec(t, hurt(r, "it3.original"))
		if i%5 == 0 {
			exec(
				t,
				fmt.Sprintf(
					"UPDATE it3.original SET gone = %d WHERE k = %d AND a = 1 AND b = 'b1'",
					i,
					i%12,
				),
			)
		}
	}
	exec(
		t,
		"ALTER TABLE it3.original DROP gone",
		"INSERT INTO it3.original (k, a, b, v) VALUES (100, 1, 'x', 'new') USING TIMESTAMP 2000",
		"DELETE FROM it3.original USING TIMESTAMP 3000 WHERE k = 100",
	)
	written := time.Now()
	for _, name := range []string{"it3.cloned", "it2.cloned"} { // before the clone, and before the deletion
		exec(
			t,
			"INSERT INTO "+name+" (k, a, b, v) VALUES (100, 2, 'x', 'old') USING TIMESTAMP 1000",
		)
	}

	clone := func(args ...string) string {
		report := ok(t, append([]string{"clone"}, args...)...).report
		require.Contains(t, report, "\ncloned ")
		return report
	}
	from := []string{
		"--from-hosts",
		testHosts(),
		"--listen",
		anyPort,
		"--from-table",
		"it3.original",
	}
	landed := "3 entire SSTables, on 3 nodes"
	if readsOA(t) { // and writes them: what is streamed whole is of the version nb
		landed = "3 files of rows, on 3 nodes"
	}
	require.Contains(t, clone(append(from, "it3.cloned")...), landed)
	original := tablesOnDisk(t, "it3", "original")
	want := cellsOf(t, "it3", "cloned", "gone", original...)
	require.Greater(t, len(want), 10)
	for kind, sign := range map[string]string{"rows deleted": "Set:true", "ranges deleted": "Started"} {
		require.Contains(t, strings.Join(slices.Collect(maps.Values(want)), ""), sign, kind)
	}
	cloned := tablesOnDisk(t, "it3", "cloned")
	for _, n := range cloned {
		require.Equal(t, want, cellsOf(t, "it3", "cloned", "", n), "node %s", n.node)
	}
	columns := []string{
		"--columns",
		"k,a,b,s,v,i,l,m,e,f,sm,writetime(v),writetime(i),writetime(s),writetime(f)",
	}
	// what expires has expired on every node's clock
	time.Sleep(time.Until(written.Add(2100 * time.Millisecond)))
	lines := scannedLines(t, append(columns, "it3.original")...)
	require.NotEmpty(t, lines)
	require.Equal(t, lines, scannedLines(t, append(columns, "it3.cloned")...), "what CQL reads")

	// One node's snapshot has all rows, with their schema. They go row by row to two replicas of
	// three.
	require.NoError(t, takeSnapshot(original[1].node, "cloned", "it3.original"))
	snapshot := filepath.Join(original[1].folder, "snapshots/cloned")
	require.Contains(
		t,
		clone("it2.cloned", "--from-table", "it3.original", snapshot, "--stream", "rows"),
		"files of rows landed",
	)
	replicas := make(map[string]int)
	for _, n := range tablesOnDisk(t, "it2", "cloned") {
		for key, cells := range cellsOf(t, "it2", "cloned", "", n) {
			replicas[key]++
			require.Equal(t, want[key], cells, "partition %s of node %s", key, n.node)
		}
	}
	require.Len(t, replicas, len(want))
	for key, n := range replicas {
		require.Equal(t, 2, n, key)
	}

	folder := t.TempDir()
	clone("it3.cloned", "--from-table", "original", snapshot, "--via", "sstables", "-d", folder)
	kept, err := filepath.Glob(filepath.Join(folder, "*/it3/cloned-*"))
	require.NoError(t, err)
	require.Len(t, kept, 3)
	for _, one := range kept {
		n := nodeTable{folder: one}
		names, err := filepath.Glob(filepath.Join(one, "*-Data.db"))
		require.NoError(t, err)
		for _, name := range names {
			d, _, err := component.ParseName(filepath.Base(name))
			require.NoError(t, err)
			n.names = append(n.names, d)
		}
		require.Equal(t, want, cellsOf(t, "it3", "cloned", "", n), one)
	}

	// Once more, after something was written that is newer than what is cloned.
	exec(
		t,
		"INSERT INTO it3.cloned (k, a, b, v) VALUES (100, 3, 'x', 'newest') USING TIMESTAMP 4000",
	)
	clone(append(from, "it3.cloned")...)
	require.Equal(
		t,
		append(lines, `100,3,x,,newest,,,,,,,4000,,,`+"\n"),
		append(lines[:len(lines):len(lines)], slices.DeleteFunc(
			scannedLines(
				t,
				append(columns, "it3.cloned")...),
			func(line string) bool { return slices.Contains(lines, line) },
		)...),
	)
}

// A table goes from one cluster to another and back. The other one requires passwords and
// certificates at all its ports.
func TestCloneBetweenClusters(t *testing.T) {
	t.Parallel()
	table(t, "it1.crossing", "(k int, c int, v text, m map<text, int>, PRIMARY KEY (k, c))")
	asAdmin(
		t,
		guarded,
		"DROP TABLE IF EXISTS guarded.crossing",
		"CREATE TABLE guarded.crossing (k int, c int, v text, m map<text, int>, PRIMARY KEY (k, c))",
		"INSERT INTO guarded.crossing (k, c, v) VALUES (2, 1, 'older') USING TIMESTAMP 1000",
		"INSERT INTO guarded.crossing (k, c, v) VALUES (3, 1, 'newer') USING TIMESTAMP 5000",
	)
	exec(
		t,
		"INSERT INTO it1.crossing (k, c, v, m) VALUES (1, 1, 'a', {'x': 1, 'y': 2}) USING TIMESTAMP 2000",
		"DELETE m['x'] FROM it1.crossing USING TIMESTAMP 2001 WHERE k = 1 AND c = 1",
		"DELETE FROM it1.crossing USING TIMESTAMP 3000 WHERE k = 2",
		"INSERT INTO it1.crossing (k, c, v) VALUES (3, 1, 'old') USING TIMESTAMP 3000",
	)
	password := file(t, "password", "cassandra\n")
	ca, cert, key := tlsFile(t, "ca.pem"), tlsFile(t, "client.pem"), tlsFile(t, "client-key.pem")
	secured := func(prefix string) []string {
		return []string{
			"--" + prefix + "user",
			"cassandra",
			"--" + prefix + "password-file",
			password,
			"--" + prefix + "port",
			tlsPort,
			"--" + prefix + "ssl",
			"--" + prefix + "cacert",
			ca,
			"--" + prefix + "cert",
			cert,
			"--" + prefix + "key",
			key,
			"--" + prefix + "internode-ssl",
			"--" + prefix + "internode-cacert",
			ca,
			"--" + prefix + "internode-cert",
			cert,
			"--" + prefix + "internode-key",
			key,
		}
	}
	there := cqlbulkOn(
		t,
		authHost(),
		append(
			[]string{
				"clone",
				"guarded.crossing",
				"--from-table",
				"it1.crossing",
				"--from-hosts",
				testHosts(),
				"--listen",
				anyPort,
			},
			secured("")...)...)
	require.Zero(t, there.code, there.report)
	admin := adminSession(t)
	defer admin.Close()
	table(t, "it2.crossed", "(k int, c int, v text, m map<text, int>, PRIMARY KEY (k, c))")
	back := cqlbulk(
		t,
		append(
			[]string{
				"clone",
				"it2.crossed",
				"--from-table",
				"guarded.crossing",
				"--from-hosts",
				authHost(),
				"--listen",
				anyPort,
			},
			secured("from-")...)...)
	require.Zero(t, back.code, back.report)
	require.Equal(
		t,
		[]string{"1,1,a,{'y': 2},2000\n", "3,1,newer,,5000\n"},
		scannedLines(t, "it2.crossed", "--columns", "k,c,v,m,writetime(v)"),
	)
}
