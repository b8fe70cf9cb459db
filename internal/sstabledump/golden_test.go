package sstabledump

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// The SSTables in testdata were written by Cassandra 5.0.6, and what stands beside them by its sstabledump, which ends no line, at the time
// below.
func TestDumpsAreThoseOfCassandra(t *testing.T) {
	for _, name := range []string{"types", "simple", "counts", "deletions", "fields", "paths"} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join("testdata", name)
			in, err := sstable.OpenTable(folder, sstable.Descriptor{Version: sstable.NB, ID: "1"})
			require.NoError(t, err)
			defer in.Close()
			d, err := New(in.Codec().Schema().Table(), false, time.Date(2026, 11, 22, 17, 53, 30, 0, time.UTC))
			require.NoError(t, err)
			var out bytes.Buffer
			require.NoError(t, d.Write(t.Context(), &out, in.Decoder()))
			want, err := os.ReadFile(filepath.Join(folder, "dump.json"))
			require.NoError(t, err)
			require.Equal(t, string(want)+"\n", out.String())
		})
	}
}

// Bytes that are no SSTable's end in an error, and not in a panic.
func FuzzWrite(f *testing.F) {
	folder := filepath.Join("testdata", "types")
	in, err := sstable.OpenTable(folder, sstable.Descriptor{Version: sstable.NB, ID: "1"})
	require.NoError(f, err)
	defer in.Close()
	data, err := os.ReadFile(filepath.Join("testdata", "types.data"))
	require.NoError(f, err)
	f.Add(data)
	codec := in.Codec()
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := New(codec.Schema().Table(), true, time.Unix(0, 0))
		require.NoError(t, err)
		var out bytes.Buffer
		if d.Write(t.Context(), &out, sstable.NewDecoder(codec, bytes.NewReader(data), 1<<20)) == nil {
			require.True(t, json.Valid(out.Bytes()), "%s", out.Bytes())
		}
	})
}
