package sstable

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// golden is a table of testdata/golden, which Cassandra 5.0.6 wrote; the script make there says
// how.
type golden struct {
	name        string // of the table, after "oa/" in that version
	version     component.Version
	data, stats []byte
	header      []byte // of stats
	codec       *Codec
}

// goldens reads all of them, those of version nb first.
func goldens(t testing.TB) []golden {
	t.Helper()
	out := goldensOf(t, component.NB, "testdata/golden/*/Data.db", "")
	return append(out, goldensOf(t, component.OA, "testdata/golden/oa/*/Data.db", "oa/")...)
}

func goldensOf(t testing.TB, v component.Version, pattern, prefix string) []golden {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, files, 10)
	var out []golden
	for _, file := range files {
		folder := filepath.Dir(file)
		g := golden{name: prefix + filepath.Base(folder), version: v}
		for name, b := range map[string]*[]byte{"Data.db": &g.data, "Statistics.db": &g.stats} {
			*b, err = os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
		}
		statistics, err := component.ParseStatistics(g.stats, v)
		require.NoError(t, err)
		g.header = statistics.Header
		table, minima, err := DecodeHeader(g.header)
		require.NoError(t, err)
		g.codec = mustCodec(t, table, v, minima)
		out = append(out, g)
	}
	return out
}

// rewrite decodes the bytes of partitions and encodes what it finds.
func rewrite(c *Codec, in io.Reader) ([]byte, error) {
	var out bytes.Buffer
	w, err := NewPartitionWriter(c, &out, nil)
	if err != nil {
		return nil, err
	}
	if err := Copy(w, c, NewDecoder(c, in, MaxRowBytes)); err != nil {
		return nil, err
	}
	err = w.Flush()
	return out.Bytes(), err
}

func TestGoldenFilesAreWrittenAgainByteForByte(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			require.Equal(t, g.header, g.codec.AppendHeader(nil))
			again, err := rewrite(g.codec, bytes.NewReader(g.data))
			require.NoError(t, err)
			require.Equal(t, g.data, again)
			again, err = rewrite(g.codec, iotest.OneByteReader(bytes.NewReader(g.data)))
			require.NoError(t, err)
			require.True(t, bytes.Equal(g.data, again))
		})
	}
}

// TestRowsOfGoldenFilesAscend compares each row of a partition with the one before it.
func TestRowsOfGoldenFilesAscend(t *testing.T) {
	for _, g := range goldens(t) {
		s := g.codec.Schema()
		d := NewDecoder(g.codec, bytes.NewReader(g.data), MaxRowBytes)
		var last []byte
		var clustering [][]byte
		var hint uint64
		for {
			item, err := d.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if item == PartitionStart {
				last = nil
			}
			if item != StaticRow && item != RegularRow {
				continue
			}
			encoded, err := g.codec.AppendRow(nil, d.Row())
			require.NoError(t, err)
			require.Zero(t, s.CompareEncoded(encoded, encoded))
			if last != nil {
				require.Negative(t, s.CompareEncoded(last, encoded), g.name)
				require.Positive(t, s.CompareEncoded(encoded, last), g.name)
				require.True(
					t,
					len(clustering) == 0 ||
						s.compareClusterings(clustering, d.Row().Clustering) < 0,
					g.name,
				)
				require.LessOrEqual(t, hint, s.PlaceHint(d.Row()), g.name)
			}
			last, clustering, hint = encoded, nil, s.PlaceHint(d.Row())
			for _, v := range d.Row().Clustering {
				clustering = append(clustering, bytes.Clone(v))
			}
			cells := d.Row().Cells
			for i := range cells {
				if i > 0 && cells[i].Column == cells[i-1].Column {
					require.Negative(
						t,
						s.ComparePaths(
							d.Row().Static,
							cells[i].Column,
							cells[i-1].Path,
							cells[i].Path,
						),
						g.name,
					)
				}
			}
		}
	}
}

// goldenRow finds the row of a key that is one int, with a number of its own among the static and
// other rows.
func goldenRow(t *testing.T, name string, key byte, number int) (*Codec, *Row) {
	t.Helper()
	for _, g := range goldens(t) {
		if g.name != name {
			continue
		}
		d := NewDecoder(g.codec, bytes.NewReader(g.data), MaxRowBytes)
		for {
			item, err := d.Next()
			require.NoError(t, err)
			if (item == RegularRow || item == StaticRow) && d.Key()[3] == key {
				if number == 0 {
					return g.codec, d.Row()
				}
				number--
			}
		}
	}
	t.Fatalf("no golden file %s", name)
	return nil, nil
}

// named makes an inserter on columns that a header has no names of: k of the key, c of the
// clustering.
func named(t *testing.T, c *Codec, columns ...string) *Inserter {
	t.Helper()
	table := *c.Schema().Table()
	table.Key = []Column{{Name: "k", Type: table.Key[0].Type}}
	if len(table.Clustering) > 0 {
		table.Clustering = []Column{
			{Name: "c", Type: table.Clustering[0].Type, Desc: table.Clustering[0].Desc},
		}
	}
	in, err := NewInserter(mustCodec(t, &table, component.NB, c.Minima()), columns, InsertOptions{})
	require.NoError(t, err)
	return in
}

// TestInsertIsWhatTheServerWrites compares rows with those that Cassandra made of the same
// statements.
func TestInsertIsWhatTheServerWrites(t *testing.T) {
	key := set(t, "00000001") // of whatever partition
	t.Run("collections with a TTL", func(t *testing.T) {
		c, want := goldenRow(t, "elements", 2, 0)
		in := named(t, c, "k", "u", "s", "m", "l")
		_, row, err := in.Insert(Insert{
			Values: []Value{
				key,
				{Bytes: testkit.Unhex(t, "ffffffff 00000000"), State: Set},
				list(t, 1, "00000000000040008000000000000000"),
				list(t, 1, "78", "00000001 00000004 00000001"),
				list(t, 1, "00000001"),
			},
			Timestamp: stamp, TTL: 500000, Now: want.Liveness.Expiry - 500000,
		})
		require.NoError(t, err)
		require.Equal(t, want.Deletions, row.Deletions)
		require.Equal(t, want.Liveness, row.Liveness)
		for i := range row.Cells {
			if c.Schema().Table().Regulars[row.Cells[i].Column].Name == "l" { // whose paths the server makes of its clock
				row.Cells[i].Path = want.Cells[i].Path
			}
		}
		requireEncodedAlike(t, c, want, row)
	})
	t.Run("null and empty collections", func(t *testing.T) {
		c, want := goldenRow(t, "elements", 3, 0)
		_, row, err := named(t, c, "k", "l", "s", "m", "u").Insert(Insert{
			Values: []Value{
				key,
				{State: Null},
				list(t, 0),
				list(t, 0),
				{State: Null},
			},
			Timestamp: stamp,
			Now:       want.Deletions[0].Time,
		})
		require.NoError(t, err)
		requireEncodedAlike(t, c, want, row)
	})
	t.Run("static columns alone", func(t *testing.T) {
		c, want := goldenRow(t, "statics", 1, 0)
		static, row, err := named(t, c, "k", "c", "s_text", "s_int").Insert(Insert{
			Values: []Value{key, {}, set(t, "616c6f6e65"), set(t, "00000001")}, Timestamp: stamp,
		})
		require.NoError(t, err)
		require.Nil(t, row)
		requireEncodedAlike(t, c, want, static)
	})
	t.Run("static columns with a TTL and null", func(t *testing.T) {
		c, want := goldenRow(t, "statics", 4, 0)
		static, _, err := named(t, c, "k", "s_list", "s_int").Insert(Insert{
			Values: []Value{
				key,
				list(t, 3, "00000001", "00000002", "00000003"),
				{State: Null},
			},
			Timestamp: stamp + 3,
			TTL:       86400,
			Now:       want.Deletions[0].Time,
		})
		require.NoError(t, err)
		for i := range static.Cells[1:] {
			static.Cells[i+1].Path = want.Cells[i+1].Path
		}
		requireEncodedAlike(t, c, want, static)
	})
	t.Run("a row and its static columns", func(t *testing.T) {
		c, want := goldenRow(t, "statics", 2, 2)
		_, row, err := named(t, c, "k", "c", "v", "s_int").Insert(Insert{
			Values: []Value{
				key,
				set(t, "00000001"),
				set(t, "00000001"),
				set(t, "0000000a"),
			},
			Timestamp: stamp,
		})
		require.NoError(t, err)
		requireEncodedAlike(t, c, want, row)
	})
}

// requireEncodedAlike compares the bytes of two rows.
func requireEncodedAlike(t *testing.T, c *Codec, want, got *Row) {
	t.Helper()
	wantBytes, err := c.AppendRow(nil, want)
	require.NoError(t, err)
	gotBytes, err := c.AppendRow(nil, got)
	require.NoError(t, err)
	require.Equal(t, wantBytes, gotBytes)
}
