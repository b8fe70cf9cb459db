package status

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only run directories that are this user's, and are in the folder itself, are pruned.
func TestPruneLeavesWhatIsNotOurs(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(folder, "link")))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "theirs"), 0o700))
	for _, name := range []string{"link", "theirs"} {
		require.False(t, prunable(filepath.Join(folder, name), func(string) string {
			return map[string]string{"theirs": "nobody"}[name]
		}))
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "ours"), 0o700))
	require.True(t, prunable(filepath.Join(folder, "ours"), func(string) string { return "" }))
}
