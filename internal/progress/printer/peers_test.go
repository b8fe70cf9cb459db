package printer

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// The programs of one pipe see each other, in order, until they leave. Those of other pipes, and
// those that were killed, do not count.
func TestPeers(t *testing.T) {
	dir := t.TempDir()
	program := func(prefix string, pid int) *peers { return &peers{dir, prefix, pid} }
	first := program("live-8801-7-", 8)
	second := program("live-8801-7-", 10)
	other := program("live-8801-70-", 9)
	require.Empty(t, other.meet(progress.Reading{Run: "other"}))
	require.Empty(t, first.meet(progress.Reading{Run: "first"}))
	require.Equal(
		t,
		neighbors{before: []progress.Reading{{Run: "first"}}},
		second.meet(progress.Reading{Run: "second"}),
	)
	require.Equal(
		t,
		neighbors{after: []progress.Reading{{Run: "second"}}},
		first.meet(progress.Reading{Run: "first", Rows: 1}),
	)

	past := time.Now().Add(-2 * fresh)
	require.NoError(t, os.Chtimes(first.name(8), past, past))
	require.Empty(t, second.meet(progress.Reading{Run: "second"}))
	require.FileExists(t, first.name(8))
	forget(dir)
	require.FileExists(t, first.name(8))
	past = time.Now().Add(-2 * stale)
	require.NoError(t, os.Chtimes(first.name(8), past, past))
	forget(dir)
	require.NoFileExists(t, first.name(8))
	require.FileExists(t, second.name(10))

	require.NoError(t, os.WriteFile(first.name(8), []byte("{"), 0o600))
	require.Empty(t, second.meet(progress.Reading{Run: "second"}))
	second.leave()
	other.leave()
	left, err := filepath.Glob(dir + "/*")
	require.NoError(t, err)
	require.Equal(t, []string{first.name(8)}, left)

	none := &peers{}
	require.Empty(t, none.meet(progress.Reading{}))
	none.leave()
}

// A folder that others can write to, or that does not exist, is not private.
func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	is := func(path string) bool {
		info, err := os.Lstat(path)
		require.NoError(t, err)
		return private(info)
	}
	require.NoError(t, os.Chmod(dir, 0o700))
	require.True(t, is(dir))
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "link")))
	require.False(t, is(filepath.Join(dir, "link")))
	require.NoError(t, os.Chmod(dir, 0o770))
	require.False(t, is(dir))
}
