package inspect

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// A folder that cannot be read keeps no other from being inspected. It is a failure, since it may
// have SSTables, but for lost+found.
func TestInspectTellsOfUnreadableFolders(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"lost+found", "closed", "open"} {
		// of a test's own folder
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o755)) //nolint:gosec
	}
	data := filepath.Join(root, "open", "nb-1-big-Data.db")
	require.NoError(t, os.WriteFile(data, nil, 0o600))
	closed := filepath.Join(root, "closed")
	for folder, mode := range map[string]os.FileMode{filepath.Dir(root): 0o755, root: 0o755, closed: 0, filepath.Join(root, "lost+found"): 0} {
		require.NoError(t, os.Chmod(folder, mode))
		// so that it can be removed
		t.Cleanup(func() { _ = os.Chmod(folder, 0o700) }) //nolint:gosec
	}
	// from root nothing is kept: the thread's accesses are those of another user
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		require.NoError(t, syscall.Setfsuid(65534))
		defer func() {
			require.NoError(t, syscall.Setfsuid(0))
			runtime.UnlockOSThread()
		}()
	}
	var warned []string
	env := spec.Environment{
		Warn: func(format string, args ...any) { warned = append(warned, format) },
	}
	i, err := Prepare(env, spec.Inspect{Paths: []string{root}})
	require.NoError(t, err)
	require.Len(t, warned, 1)
	require.Len(t, i.files, 2)
	require.Equal(t, closed, i.files[0].path)
	require.ErrorIs(t, i.files[0].err, os.ErrPermission)
	require.Equal(t, data, i.files[1].path)
}
