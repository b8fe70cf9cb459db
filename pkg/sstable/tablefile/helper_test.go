package tablefile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// columnOf returns a column of a type in CQL.
func columnOf(t testing.TB, name, typ string) sstable.Column {
	t.Helper()
	parsed, err := cqltype.Parse(typ, nil)
	require.NoError(t, err)
	return sstable.Column{Name: name, Type: parsed}
}

// codecOf plans a table.
func codecOf(
	t testing.TB,
	table *sstable.Table,
	v component.Version,
	m sstable.Minima,
) *sstable.Codec {
	t.Helper()
	s, err := sstable.Plan(table)
	require.NoError(t, err)
	c, err := sstable.NewCodec(s, v, m)
	require.NoError(t, err)
	return c
}

// decoderOf returns a decoder of the bytes of a Data.db.
func decoderOf(c *sstable.Codec, data []byte) *sstable.Decoder {
	return sstable.NewDecoder(c, bytes.NewReader(data), sstable.MaxRowBytes)
}

// smallCodec returns the codec of the table (k int, c int, v text, PRIMARY KEY (k, c)).
func smallCodec(t testing.TB, v component.Version) *sstable.Codec {
	return codecOf(t, &sstable.Table{
		Key:        []sstable.Column{columnOf(t, "k", "int")},
		Clustering: []sstable.Column{columnOf(t, "c", "int")},
		Regulars:   []sstable.Column{columnOf(t, "v", "text")},
	}, v, sstable.Minima{Timestamp: 1700000000000000, Time: sstable.EpochTime})
}

// goldenTable is a table that Cassandra wrote.
type goldenTable struct {
	name               string
	version            component.Version
	data, index, stats []byte
	codec              *sstable.Codec
}

// goldenTables reads the tables that Cassandra wrote in the versions NB and OA.
func goldenTables(t testing.TB) (out []goldenTable) {
	t.Helper()
	for _, of := range []struct {
		version component.Version
		folder  string
	}{{component.NB, ""}, {component.OA, "oa"}} {
		files, err := filepath.Glob(filepath.Join("../testdata/golden", of.folder, "*/Data.db"))
		require.NoError(t, err)
		require.Len(t, files, 10)
		for _, file := range files {
			folder := filepath.Dir(file)
			g := goldenTable{name: folder, version: of.version}
			for name, b := range map[string]*[]byte{
				"Data.db": &g.data, "Index.db": &g.index, "Statistics.db": &g.stats,
			} {
				*b, err = os.ReadFile(filepath.Join(folder, name))
				require.NoError(t, err)
			}
			statistics, err := component.ParseStatistics(g.stats, g.version)
			require.NoError(t, err)
			g.codec, err = sstable.ReadCodec(statistics.Header, g.version)
			require.NoError(t, err)
			out = append(out, g)
		}
	}
	return out
}
