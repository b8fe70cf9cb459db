package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/snapshot"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// The files are listed again if a node has removed one of its live data since they were listed.
// That is not done for a snapshot, from which no node removes a file.
func TestFilesAreListedTwiceIfANodeRemovesOne(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	folder := filepath.Join(data, "a", "t-"+strings.Repeat("0f", 16))
	golden := os.DirFS("../../../pkg/sstable/testdata/golden/files/nb_lz4")
	require.NoError(t, os.CopyFS(folder, golden))
	require.NoError(t, os.CopyFS(filepath.Join(folder, "snapshots", "nightly"), golden))
	text, number := &cqltype.Type{Kind: cqltype.Text}, &cqltype.Type{Kind: cqltype.Int}
	columns := []schema.Column{
		{Name: "k", Kind: schema.PartitionKey, Type: text},
		{Name: "c", Kind: schema.Clustering, Type: number},
		{Name: "s", Kind: schema.Static, Type: text},
		{Name: "v", Kind: schema.Regular, Type: text},
	}
	for _, tag := range []string{"", "nightly"} {
		request := snapshot.Request{Keyspace: "a", Table: "t", Paths: []string{data}, Tag: tag}
		found, err := snapshot.Find(request)
		require.NoError(t, err)
		require.Len(t, found.SSTables, 1)
		gone := found.SSTables[0]
		gone.ID = "7"
		found.SSTables = append(found.SSTables, gone)

		reading := &Source{
			Table: &table.Table{Schema: schema.New("a", "t", columns)},
			Files: &Files{Found: found},
		}
		reading.Files.Merged, err = reading.MergedTable()
		require.NoError(t, err)
		err = reading.OpenFound(spec.Environment{}, request, false)
		if tag != "" {
			require.ErrorIs(t, err, fs.ErrNotExist)
			continue
		}
		require.NoError(t, err)
		require.Len(t, reading.Files.Whole, 1)
		require.Equal(
			t,
			reading.Files.Whole[0].(*sstables.Table).Length(),
			reading.Files.Bytes,
			"what was found first does not count",
		)
		reading.CloseFiles()
	}
}
