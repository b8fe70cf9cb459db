package chaos

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// checkOutput compares the output with the table, but for the ranges that the
// manifest says are lost, and the manifest with the output.
func (sc *scanning) checkOutput(last exit) {
	path := manifest.Path(sc.output, sc.folder)
	m, err := manifest.Read(path)
	require.NoError(sc, err)
	want := make(map[string]int)
	rows := 0
	columns := sc.cluster.Columns(table)
	types := make([]*cqltype.Type, len(columns))
	for i, c := range columns {
		types[i], err = cqltype.Parse(c.Type, nil)
		require.NoError(sc, err)
	}
	hasher := rowsum.New(types)
	var sum rowsum.Sum
	lost := sc.lost(m)
	for _, rec := range sc.cluster.Records(table) {
		if inOne(lost, rec.Token) {
			continue
		}
		var cells [][]byte
		var texts []string
		for i, c := range rec.Cells {
			cells = append(cells, c.Value)
			texts = append(texts, shown(columns[i].Type, c.Value))
		}
		sum = sum.Add(hasher.Row(cells))
		want[fmt.Sprintf("%q", texts)]++
		rows++
	}
	missing, twice := 0, 0
	var example string
	for _, text := range sc.texts(m) {
		for _, row := range sc.rowsOf(text, columns) {
			if want[row]--; want[row] < 0 {
				twice, example = twice+1, row
			}
		}
	}
	for row, n := range want {
		if n > 0 {
			missing, example = missing+n, row
		}
	}
	totals.lost.Add(int64(missing))
	totals.twice.Add(int64(twice))
	require.Zero(sc, missing, "rows are not in the output, such as %.300s", example)
	require.Zero(
		sc,
		twice,
		"rows are in the output that are not in the table, or twice, such as %.300s",
		example,
	)
	require.EqualValues(sc, rows, m.Rows, "rows by the manifest")
	require.Equal(sc, sum.String(), m.Checksum.Value)
	require.Len(sc, lost, m.Ranges.Failed)
	sc.checkLeft(last, len(lost) > 0)
}

// checkLeft says that verify agrees, and that nothing is left of the run.
func (sc *scanning) checkLeft(last exit, partly bool) {
	if partly {
		require.Equal(sc, exitPartly, last.code)
	} else if !last.killed() {
		require.Equal(sc, exitOK, last.code)
		require.NoDirExists(sc, sc.runDir())
	}
	e := sc.run(stop{}, nil, "verify", sc.output)
	if partly {
		require.Equal(sc, exitPartly, e.code, e.output)
	} else {
		require.Equal(sc, exitOK, e.code, e.output)
	}
	for _, pattern := range []string{"*.part", "out/*.part"} {
		parts, err := filepath.Glob(filepath.Join(sc.dir, pattern))
		require.NoError(sc, err)
		require.Empty(sc, parts)
	}
}

// lost is what a manifest says was not read.
func (sc *scanning) lost(m manifest.Manifest) []token.Range {
	var ranges []token.Range
	for _, l := range m.Ranges.Lost {
		start, err := token.Murmur3.Parse(l.Start)
		require.NoError(sc, err)
		end, err := token.Murmur3.Parse(l.End)
		require.NoError(sc, err)
		require.NotEmpty(sc, l.Error)
		ranges = append(ranges, token.Range{Start: start, End: end})
	}
	return ranges
}

func inOne(ranges []token.Range, t token.Token) bool {
	for _, r := range ranges {
		if r.Contains(t) {
			return true
		}
	}
	return false
}

// texts returns the texts of the files of the output, each with a header. Numbered files are one
// text.
func (sc *scanning) texts(m manifest.Manifest) [][]byte {
	dir := filepath.Dir(manifest.Path(sc.output, sc.folder))
	texts := make([][]byte, 0, len(m.Files))
	if sc.numbered == 0 {
		for _, f := range m.Files {
			texts = append(texts, decompress(sc.T, filepath.Join(dir, f.Name)))
		}
		return texts
	}
	rows := make(map[string]int64)
	for _, f := range m.Files {
		rows[f.Name] = f.Rows
	}
	for i := range m.Files {
		path, want := sc.output, min(sc.numbered, m.Rows-int64(i)*sc.numbered)
		if i > 0 {
			path = fmt.Sprintf("%s.%d", sc.output, i)
		}
		require.Equal(sc, want, rows[filepath.Base(path)], path)
		texts = append(texts, decompressAs(sc.T, path, filepath.Ext(sc.output)))
	}
	return [][]byte{bytes.Join(texts, nil)}
}

// rowsOf reads a text of the output.
func (sc *scanning) rowsOf(text []byte, columns []simcluster.Column) []string {
	switch sc.format {
	case "json":
		return readObjects(sc.T, text, columns)
	case "tsv":
		return readDelimited(sc.T, text, '\t', columns)
	default:
		return readDelimited(sc.T, text, ',', columns)
	}
}
