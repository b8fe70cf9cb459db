package tablefile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Open does not wait for a pipe that nothing writes to.
func TestPipesAreRefused(t *testing.T) {
	for _, damaged := range []component.Kind{
		component.DataDB,
		component.StatisticsDB,
		component.CompressionInfoDB,
		component.IndexDB,
	} {
		copied := filepath.Join(t.TempDir(), "copy")
		require.NoError(
			t,
			os.CopyFS(copied, os.DirFS(filepath.Join("..", "testdata", "golden", "files", "nb_lz4"))),
		)
		d := component.Descriptor{Version: component.NB, ID: "1"}
		require.NoError(t, os.Remove(filepath.Join(copied, d.Name(damaged))))
		require.NoError(t, syscall.Mkfifo(filepath.Join(copied, d.Name(damaged)), 0o600))
		r, err := Open(Folder(copied, d))
		if err == nil { // the index is read when it is wanted
			_, _, err = r.Bounds()
		}
		require.ErrorContains(t, err, "named pipe", damaged)
	}
}
