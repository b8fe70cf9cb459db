package tablefile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// withoutServer leaves out what only a server knows, and the slice of clusterings, which is wider
// than a server's.
func withoutServer(s *component.Stats) component.Stats {
	out := *s
	out.CommitLogUpper, out.CommitLogLower = component.NoCommitLog, component.NoCommitLog
	out.CommitLogIntervals = nil
	out.HostID, out.TokenCoverage, out.Slice = nil, 0, nil
	return out
}

func TestIndexAndStatisticsOfGoldenFilesAreMadeAgain(t *testing.T) {
	for _, g := range goldenTables(t) {
		made := func(t *testing.T, fill func(*Writer, *sstable.Decoder) error) {
			folder := t.TempDir()
			w, err := Create(
				&FolderOutput{Path: folder},
				g.codec,
				Options{ID: "1", Keys: 5, FilterChance: 0.01, IndexInterval: 128},
			)
			require.NoError(t, err)
			require.NoError(t, fill(w, decoderOf(g.codec, g.data)))
			done, err := w.Commit()
			require.NoError(t, err)
			index, err := os.ReadFile(filepath.Join(folder, done.Name(component.IndexDB)))
			require.NoError(t, err)
			require.Equal(t, g.index, index)

			have, err := component.ParseStatistics(g.stats, g.version)
			require.NoError(t, err)
			b, err := os.ReadFile(filepath.Join(folder, done.Name(component.StatisticsDB)))
			require.NoError(t, err)
			again, err := component.ParseStatistics(b, g.version)
			require.NoError(t, err)
			require.Equal(t, have.Header, again.Header)
			require.Equal(t, have.Partitioner, again.Partitioner)
			require.Equal(t, withoutServer(have.Stats), withoutServer(again.Stats))

			verified, err := Verify(
				Folder(folder, done.Descriptor),
				Check{Schema: g.codec.Schema(), IndexInterval: 128},
			)
			require.NoError(t, err)
			require.Equal(t, done, &verified.Written)
			data, err := os.ReadFile(filepath.Join(folder, done.Name(component.DataDB)))
			require.NoError(t, err)
			require.Equal(t, g.data, data)
		}
		t.Run(g.name+", rows encoded again", func(t *testing.T) {
			made(t, func(w *Writer, d *sstable.Decoder) error {
				return sstable.Copy(w, g.codec, d)
			})
		})
		t.Run(g.name+", rows as they are", func(t *testing.T) { made(t, (*Writer).Take) })
	}
}

func TestRowsOfAnotherCodecAreNotTaken(t *testing.T) {
	c := smallCodec(t, component.NB)
	w, err := create(t.TempDir(), c, testOptions(component.Compression{}))
	require.NoError(t, err)
	require.ErrorContains(
		t,
		w.Take(decoderOf(smallCodec(t, component.NB), nil)),
		"another codec",
	)
	require.NoError(t, w.Abort())
}

// indexer writes an Index.db of the partitions that it observes.
type indexer struct {
	version component.Version
	out     []byte
	blocks  []sstable.Block
}

func (x *indexer) Block(b *sstable.Block) error {
	block := *b
	block.First, block.Last = bytes.Clone(b.First), bytes.Clone(b.Last)
	x.blocks = append(x.blocks, block)
	return nil
}

func (x *indexer) Partition(p *sstable.Partition) error {
	e := component.IndexEntry{Key: p.Key, Position: uint64(p.Position)}
	var err error
	if len(x.blocks) > 1 {
		e.Promoted, err = appendPromotedIndex(
			nil,
			&promotedIndex{HeaderLength: p.HeaderLength, Deletion: p.Deletion, Blocks: x.blocks},
			x.version,
		)
	}
	x.out = component.AppendIndexEntry(x.out, e)
	x.blocks = x.blocks[:0]
	return err
}

func TestObserverIsToldWhatAnIndexHas(t *testing.T) {
	for _, g := range goldenTables(t) {
		x := indexer{version: g.version}
		w, err := sstable.NewPartitionWriter(g.codec, io.Discard, &x)
		require.NoError(t, err)
		in := sstable.NewDecoder(g.codec, bytes.NewReader(g.data), sstable.MaxRowBytes)
		require.NoError(t, sstable.Copy(w, g.codec, in))
		require.Equal(t, g.index, x.out, g.name)
	}
}
