package sstable

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// withoutServer leaves out what only a server knows, and the slice of clusterings, which is wider
// than a server's.
func withoutServer(s *component.Stats) component.Stats {
	out := *s
	out.CommitLogUpper, out.CommitLogLower, out.CommitLogIntervals = component.NoCommitLog, component.NoCommitLog, nil
	out.HostID, out.TokenCoverage, out.Slice = nil, 0, nil
	return out
}

func TestIndexAndStatisticsOfGoldenFilesAreMadeAgain(t *testing.T) {
	for _, g := range goldens(t) {
		made := func(t *testing.T, fill func(*TableWriter, *Decoder) error) {
			folder := t.TempDir()
			w, err := CreateTable(
				folder,
				g.codec,
				Options{ID: "1", Keys: 5, FilterChance: 0.01, IndexInterval: 128},
			)
			require.NoError(t, err)
			require.NoError(t, fill(w, NewDecoder(g.codec, bytes.NewReader(g.data), MaxRowBytes)))
			done, err := w.Finish()
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
				folder,
				done.Descriptor,
				Check{Schema: g.codec.Schema(), IndexInterval: 128},
			)
			require.NoError(t, err)
			require.Equal(t, done, &verified.Written)
			data, err := os.ReadFile(filepath.Join(folder, done.Name(component.DataDB)))
			require.NoError(t, err)
			require.Equal(t, g.data, data)
		}
		t.Run(g.name+", rows encoded again", func(t *testing.T) {
			made(t, func(w *TableWriter, d *Decoder) error { return Copy(w, g.codec, d) })
		})
		t.Run(g.name+", rows as they are", func(t *testing.T) { made(t, (*TableWriter).Take) })
	}
}

func TestRowsOfAnotherCodecAreNotTaken(t *testing.T) {
	c := small(t, component.NB)
	w, err := CreateTable(t.TempDir(), c, testOptions(component.Compression{}))
	require.NoError(t, err)
	require.ErrorContains(
		t,
		w.Take(NewDecoder(small(t, component.NB), bytes.NewReader(nil), MaxRowBytes)),
		"another codec",
	)
	require.NoError(t, w.Discard())
}
