//go:build integration

package integration

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// The tests of this file read the files of the test cluster's nodes, and give nodes files to
// import.

// filesBody is a table with columns of all kinds.
const filesBody = `(k int, a int, b text, s text static, t tuple<int, text> static, v text, i int, l list<int>, m map<text, int>, f frozen<set<text>>,
	PRIMARY KEY (k, a, b)) WITH CLUSTERING ORDER BY (a DESC, b ASC)`

// filesRows is its input: single rows, and one partition of many.
func filesRows(rows, wide int) string {
	var b strings.Builder
	b.WriteString("k,a,b,s,v,i,l,m,f\n")
	for i := range rows {
		fmt.Fprintf(
			&b,
			"%d,%d,b%d,static %d,\"value %d %s\",%d,\"[%d, 2]\",\"{'x': %d, 'a': 1}\",\"{'z', 'y'}\"\n",
			i,
			i%5,
			i%3,
			i,
			i,
			strings.Repeat("v", i%90),
			i,
			i,
			i,
		)
	}
	for i := range wide {
		fmt.Fprintf(&b, "-1,%d,b,the same,%s,%d,,,\n", i/2, strings.Repeat("w", 100), i)
		fmt.Fprintf(&b, "-1,%d,c,the same,%s,%d,,,\n", i/2, strings.Repeat("w", 100), i)
	}
	return b.String()
}

// nodeTable is what a node has of a table on its disk.
type nodeTable struct {
	node   string // its number
	folder string
	names  []component.Descriptor
}

// nodeTables has all nodes write what they have of a table, and finds it. Nodes that are streamed
// from flush it, and sooner than nodetool has been started.
func nodeTables(t *testing.T, keyspace, name string) []nodeTable {
	t.Helper()
	ok(
		t,
		"count",
		keyspace+"."+name,
		"--via",
		"stream",
		"--listen",
		anyPort,
		"--consistency",
		"ALL",
	)
	all := tablesOnDisk(t, keyspace, name)
	for _, n := range all {
		require.NotEmpty(t, n.names, n.folder)
	}
	return all
}

// tablesOnDisk finds what all nodes have of a table on their disks.
func tablesOnDisk(t *testing.T, keyspace, name string) (all []nodeTable) {
	t.Helper()
	nodes, err := filepath.Glob(filepath.Join(clusterFolder(), "node*"))
	require.NoError(t, err)
	described, err := session.Table(t.Context(), keyspace, name)
	require.NoError(t, err)
	for _, dir := range nodes {
		n := nodeTable{
			node: strings.TrimPrefix(filepath.Base(dir), "node"),
			folder: filepath.Join(
				dir,
				"data/data",
				keyspace,
				name+"-"+strings.ReplaceAll(described.ID, "-", ""),
			),
		}
		files, err := os.ReadDir(n.folder)
		require.NoError(t, err)
		for _, f := range files {
			if d, c, err := component.ParseName(f.Name()); err == nil && c == component.DataDB {
				n.names = append(n.names, d)
			}
		}
		all = append(all, n)
	}
	require.NotEmpty(t, all)
	return all
}

// fileCheck is what the files of a table must be like.
func fileCheck(t *testing.T, keyspace, name string) tablefile.Check {
	t.Helper()
	described, err := session.Table(t.Context(), keyspace, name)
	require.NoError(t, err)
	columns := func(kind schema.Kind) (out []sstable.Column) {
		for _, c := range described.OfKind(kind) {
			out = append(out, sstable.Column{Name: c.Name, Type: c.Type, Desc: c.Desc})
		}
		return out
	}
	planned, err := sstable.Plan(&sstable.Table{
		Key: columns(schema.PartitionKey), Clustering: columns(schema.Clustering),
		Statics: columns(schema.Static), Regulars: columns(schema.Regular),
	})
	require.NoError(t, err)
	return tablefile.Check{
		Schema:        planned,
		Ranges:        []token.Range{token.Whole(token.Murmur3)},
		IndexInterval: 128,
	}
}

// rewritten writes an SSTable again, and verifies what it has written.
func rewritten(
	t *testing.T,
	from string,
	d component.Descriptor,
	folder string,
	v component.Version,
	keys int64,
	c component.Compression,
	check tablefile.Check,
) *tablefile.Written {
	t.Helper()
	in, err := tablefile.Open(tablefile.Folder(from, d))
	require.NoError(t, err)
	defer in.Close()
	codec, err := sstable.NewCodec(in.Codec().Schema(), v, in.Codec().Minima())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(folder, 0o755))
	w, err := tablefile.Create(
		&tablefile.FolderOutput{Path: folder},
		codec,
		tablefile.Options{
			ID:            d.ID,
			Keys:          keys,
			FilterChance:  in.Statistics().FilterChance,
			IndexInterval: 128,
			Compression:   c,
		},
	)
	require.NoError(t, err)
	require.NoError(t, sstable.Copy(w, codec, in.Decoder()))
	done, err := w.Commit()
	require.NoError(t, err)
	verified, err := tablefile.Verify(tablefile.Folder(folder, done.Descriptor), check)
	require.NoError(t, err)
	require.Equal(t, done, &verified.Written)
	return done
}

// fillFiles fills a table, with deletions of all kinds and with values that expire.
func fillFiles(t *testing.T, name string, rows, wide int) {
	t.Helper()
	ok(
		t,
		"load",
		name,
		file(t, "files.csv", filesRows(rows, wide)),
		"--timestamp",
		"1700000000000000",
	)
	exec(
		t,
		fmt.Sprintf(
			"INSERT INTO %s (k, a, b, v, l, m) VALUES (-2, 1, '', 'expires', [1], {'k': 1}) USING TTL 8640000",
			name,
		),
		fmt.Sprintf("INSERT INTO %s (k, t) VALUES (-3, (1, 'static alone'))", name),
		fmt.Sprintf("DELETE FROM %s WHERE k = 0", name),
		fmt.Sprintf("DELETE FROM %s WHERE k = -1 AND a > 10 AND a <= 300", name),
		fmt.Sprintf("DELETE v FROM %s WHERE k = 1 AND a = 1 AND b = 'b1'", name),
		fmt.Sprintf(
			"UPDATE %s SET l = l + [9], m['k'] = 5 WHERE k = 2 AND a = 2 AND b = 'b2'",
			name,
		),
		fmt.Sprintf("DELETE FROM %s WHERE k = 3 AND a = 3 AND b = 'b0'", name),
	)
}

// withoutEmptyBlocks removes the checksums of empty blocks, 0, from the end of a CRC.db.
// Compactions write them: see [component.BlockSums].
func withoutEmptyBlocks(sums []byte) []byte {
	empty := make([]byte, 4)
	for len(sums) > 2*len(empty) && bytes.HasSuffix(sums, empty) {
		sums = sums[:len(sums)-len(empty)]
	}
	return sums
}

// TestFilesOfCassandraAreRightAndReproduced writes the rows of real nodes' files again. All
// components are equal byte for byte: index, filter, summary and statistics among them.
func TestFilesOfCassandraAreRightAndReproduced(t *testing.T) {
	lengthy(t)
	t.Parallel()
	for name, f := range map[string]struct {
		compression string
		rows        int
	}{
		// enough for nodes to estimate keys in the form that we write
		"files_plain": {"{'enabled': false}", either(30_000, 60_000)},
		"files_lz4":   {"{'class': 'LZ4Compressor', 'chunk_length_in_kb': 4}", either(1_000, 10_000)},
	} {
		table(t, "it1."+name, filesBody+" AND compression = "+f.compression)
		fillFiles(t, "it1."+name, f.rows, 2000)
		check := fileCheck(t, "it1", name)
		for _, n := range nodeTables(t, "it1", name) {
			for _, d := range n.names {
				verified, err := tablefile.Verify(tablefile.Folder(n.folder, d), check)
				require.NoError(t, err)
				var c component.Compression
				if verified.Sizes[component.CompressionInfoDB] > 0 {
					c.Compressor, c.ChunkLength = component.LZ4Compressor, 4096
				}
				folder := t.TempDir()
				rewritten(t, n.folder, d, folder, d.Version, verified.Partitions, c, check)
				same := []component.Kind{component.IndexDB, component.FilterDB, component.SummaryDB}
				if c.Compressor == "" {
					same = append(same, component.DataDB, component.CRCDB, component.DigestCRC32)
				}
				for _, kind := range same {
					theirs := []byte(read(t, filepath.Join(n.folder, d.Name(kind))))
					if kind == component.CRCDB {
						theirs = withoutEmptyBlocks(theirs)
					}
					ours := []byte(read(t, filepath.Join(folder, d.Name(kind))))
					require.Equal(t, theirs, ours, kind)
				}
			}
		}
	}
}

// pointLines reads each of some partitions by its key, to detect a file whose filter or index lacks
// it. It returns the rows like rawRows.
func pointLines(t *testing.T, keyspace, name string, keys []string) (lines []string) {
	t.Helper()
	described, err := session.Table(t.Context(), keyspace, name)
	require.NoError(t, err)
	query := allColumns(t, described)
	for some := range slices.Chunk(keys, 100) {
		query.Where = "k IN (" + strings.Join(some, ", ") + ")"
		lines = append(lines, linesOf(t, described, query)...)
	}
	slices.Sort(lines)
	return lines
}

// linesOf is what a query of a table gives.
func linesOf(t *testing.T, described *schema.Table, query driver.Query) (lines []string) {
	t.Helper()
	reader := session.Reader(described, query, nil)
	var state []byte
	for {
		page, err := reader.Page(t.Context(), "", token.Range{}, state, 1000)
		// beside other tests there are more statements than a node keeps
		for n := 0; err != nil && fault.ClassOf(err) != fault.Permanent && n < mostForgotten; n++ {
			page, err = reader.Page(t.Context(), "", token.Range{}, state, 1000)
		}
		require.NoError(t, err)
		for page.Next() {
			lines = append(lines, rawLine(described, page.Cells()))
		}
		require.NoError(t, page.Err())
		state = page.State()
		page.Close()
		if len(state) == 0 {
			return lines
		}
	}
}

// timesOfFiles are the columns with the times at which the cells of such a table were written.
const timesOfFiles = "k,a,b,writetime(v),writetime(i)"

// TestFilesThatAreImported gives files of all versions and compressions to the nodes, who verify
// them. It reads every row by its key, in both directions in the partition of many rows, and again
// after a major compaction.
func TestFilesThatAreImported(t *testing.T) {
	lengthy(t)
	t.Parallel()
	rows := either(1_000, 30_000)
	table(t, "it1.files_from", filesBody)
	table(t, "it1.files_to", filesBody)
	fillFiles(t, "it1.files_from", rows, 2000)
	want := rawRows(t, "it1", "files_from")
	times := sortedLines(t, ok(t, "scan", "it1.files_from", "--columns", timesOfFiles).out)
	require.Greater(t, len(want), rows)
	keys := []string{"-3", "-2", "-1"}
	for k := range 2 * rows { // half of them are not there
		keys = append(keys, fmt.Sprint(k))
	}
	nodes := nodeTables(t, "it1", "files_from")
	check := fileCheck(t, "it1", "files_to")
	verify := verifyFiles(t)
	type kind struct {
		version     component.Version
		compression component.Compression
	}
	lz4 := func(chunk int) component.Compression {
		return component.Compression{Compressor: component.LZ4Compressor, ChunkLength: chunk}
	}
	brief := []kind{{component.MD, lz4(65536)}}
	for _, c := range either(brief, append(brief,
		kind{component.NB, component.Compression{
			Compressor: component.ZstdCompressor, ChunkLength: 4096, MaxCompressedLength: 3000,
		}},
		kind{component.NB, component.Compression{}},
		kind{component.NB, lz4(16384)},
		kind{component.ME, component.Compression{}},
	)) {
		exec(t, "TRUNCATE it1.files_to")
		for _, n := range nodes {
			root := t.TempDir()
			folder := filepath.Join(root, "it1", "files_to")
			for _, d := range n.names {
				rewritten(t, n.folder, d, folder, c.version, int64(rows), c.compression, check)
			}
			administer(t, "nodetool", n.node, "import", "-e", "it1", "files_to", folder)
			left, err := filepath.Glob(filepath.Join(folder, "*-Data.db"))
			require.NoError(t, err)
			require.Empty(t, left, "%s %s: not imported", c.version, c.compression.Compressor)
		}
		requireFiles := func() {
			t.Helper()
			require.Equal(t, want, rawRows(t, "it1", "files_to"))
			require.Equal(t, want, pointLines(t, "it1", "files_to", keys))
			described, err := session.Table(t.Context(), "it1", "files_to")
			require.NoError(t, err)
			query := allColumns(t, described)
			query.Where = "k = -1 AND a >= 5 AND a < 900"
			forward := linesOf(t, described, query)
			require.Greater(t, len(forward), 600)
			query.Where += " ORDER BY a ASC, b DESC"
			backward := linesOf(t, described, query)
			slices.Reverse(backward)
			require.Equal(t, forward, backward)
			require.Equal(
				t,
				times,
				sortedLines(t, ok(t, "scan", "it1.files_to", "--columns", timesOfFiles).out),
			)
			ttl := linesOf(t, described, driver.Query{Select: []string{"ttl(v)"}, Where: "k = -2"})
			require.Len(t, ttl, 1)
			require.NotContains(t, ttl[0], "null")
		}
		requireFiles()
		for _, n := range nodes {
			administer(
				t,
				append(append([]string{"nodetool", n.node}, verify...), "it1", "files_to")...)
			administer(t, "nodetool", n.node, "compact", "it1", "files_to")
		}
		requireFiles()
	}
}
