package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// scanned returns the manifest of a scan of a table. Its files have the given numbers of rows, and
// its checksum is sum.
func scanned(sum uint64, rows ...int64) manifest.Manifest {
	m := manifest.Manifest{
		Command:     "scan",
		Cluster:     "c",
		Partitioner: "p",
		Keyspace:    "demo",
		Table:       "flights",
		Columns: []manifest.Column{
			{Name: "id", Kind: "partition_key", Type: "int"},
			{Name: "note", Kind: "regular", Type: "text"},
		},
		Options:  map[string]any{"where": "", "limit": 0, "begintoken": "", "endtoken": ""},
		Seed:     7,
		PlanHash: "00ff",
		Ranges:   manifest.Ranges{Splits: 3, Done: 4},
		Checksum: &manifest.Checksum{
			Definition: rowsum.Version,
			Value:      rowsum.Sum{Lo: sum}.String(),
		},
	}
	for i, n := range rows {
		text := content(i)
		digest := sha256.Sum256(text)
		m.Files = append(m.Files, manifest.File{
			Name: fmt.Sprintf(
				"part-%04d-0001.csv",
				i+1,
			),
			Rows:  n,
			Bytes: int64(len(text)),
			Sum:   filesum.Sum{SHA256: hex.EncodeToString(digest[:])},
		})
		m.Rows += n
	}
	return m
}

// shard makes a manifest that of a shard.
func shard(m manifest.Manifest, name string) manifest.Manifest {
	m.Shard = name
	return m
}

func content(i int) []byte { return fmt.Appendf(nil, "id,note\n%d,x\n", i) }

// put writes a manifest and its files to a folder, named after it.
func put(t testing.TB, root, name string, m manifest.Manifest) string {
	t.Helper()
	folder := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(folder, 0o700))
	for i := range m.Files {
		require.NoError(
			t,
			os.WriteFile(
				filepath.Join(folder, fmt.Sprintf("part-%04d-0001.csv", i+1)),
				content(i),
				0o600,
			),
		)
	}
	require.NoError(t, manifest.Write(filepath.Join(folder, "manifest.json"), m))
	return folder
}

// check checks folders by their names in root, which becomes the working directory.
func check(t *testing.T, root string, names ...string) Report {
	t.Helper()
	t.Chdir(root)
	r, err := Check(t.Context(), Options{Paths: names})
	require.NoError(t, err)
	return r
}

// copied is a manifest that shares nothing with m.
func copied(t *testing.T, m manifest.Manifest) manifest.Manifest {
	t.Helper()
	text, err := json.Marshal(m)
	require.NoError(t, err)
	var c manifest.Manifest
	require.NoError(t, json.Unmarshal(text, &c))
	return c
}
