package sstable

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// withoutServer leaves out what only a server knows, and the slice of clusterings, which is wider than a server's.
func withoutServer(s *Stats) Stats {
	out := *s
	out.CommitLogUpper, out.CommitLogLower, out.CommitLogIntervals = NoCommitLog, NoCommitLog, nil
	out.HostID, out.TokenCoverage, out.Slice = nil, 0, nil
	out.Tombstones.spool = nil
	return out
}

func TestIndexAndStatisticsOfGoldenFilesAreMadeAgain(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			folder := t.TempDir()
			w, err := CreateTable(folder, g.codec, Options{ID: "1", Keys: 5, FilterChance: 0.01, IndexInterval: 128})
			require.NoError(t, err)
			require.NoError(t, Copy(w, g.codec, NewDecoder(g.codec, bytes.NewReader(g.data), MaxRowBytes)))
			done, err := w.Finish()
			require.NoError(t, err)
			index, err := os.ReadFile(filepath.Join(folder, done.Name(IndexDB)))
			require.NoError(t, err)
			require.Equal(t, g.index, index)

			have, err := ParseStatistics(g.stats, g.version)
			require.NoError(t, err)
			b, err := os.ReadFile(filepath.Join(folder, done.Name(StatisticsDB)))
			require.NoError(t, err)
			again, err := ParseStatistics(b, g.version)
			require.NoError(t, err)
			require.Equal(t, have.Header, again.Header)
			require.Equal(t, have.Partitioner, again.Partitioner)
			require.Equal(t, withoutServer(have.Stats), withoutServer(again.Stats))

			verified, err := Verify(folder, done.Descriptor, Check{Schema: g.codec.Schema(), IndexInterval: 128})
			require.NoError(t, err)
			require.Equal(t, done, &verified.Written)
		})
	}
}
