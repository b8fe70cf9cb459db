package snapshot

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// asNobody gives the test the file permissions of an unprivileged user, because root may read
// everything. root is the test's folder. It changes only the calling thread, so nothing else may
// run on another thread meanwhile.
func asNobody(t *testing.T, root string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	for _, folder := range []string{root, filepath.Dir(root)} {
		require.NoError(t, os.Chmod(folder, 0o755)) //nolint:gosec // of a test's own folder
	}
	runtime.LockOSThread()
	require.NoError(t, syscall.Setfsuid(65534))
	t.Cleanup(func() {
		require.NoError(t, syscall.Setfsuid(0))
		runtime.UnlockOSThread()
	})
}

// A folder that cannot be read is passed over where it cannot have the table's SSTables, and else
// is an error.
func TestUnreadableFolders(t *testing.T) {
	const live = "data/ks/users-" + id1 + "/"
	for name, want := range map[string]string{
		"lost+found":                  "",
		"data/lost+found":             "",
		live + "lost+found":           "",
		"data/other":                  "",
		"data/ks/things":              "",
		"data/ks":                     "it may have SSTables of ks.users",
		live + "snapshots/s":          "it may have SSTables of ks.users",
		"node2":                       "it may have SSTables of ks.users",
		"data/ks/users-" + id2:        "it may have SSTables of ks.users",
		"data/ks/things-" + id2:       "nothing",
		"data/ks/users-" + id1 + "/x": "it may have SSTables of ks.users",
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, live+"nb-1-big-Data.db", "data/system_schema/", name+"/")
			closed := filepath.Join(root, name)
			require.NoError(t, os.Chmod(closed, 0))
			// so that it can be removed
			t.Cleanup(func() { _ = os.Chmod(closed, 0o700) }) //nolint:gosec
			asNobody(t, root)
			found, err := Find(Request{Keyspace: "ks", Table: "users", Paths: []string{root}})
			switch want {
			case "nothing": // the folder of another table, which is not looked into
				require.NoError(t, err)
				require.Empty(t, found.Skipped)
			case "":
				require.NoError(t, err)
				require.Equal(
					t,
					[]Skipped{{closed, "it cannot be read, and by its path it is not of ks.users"}},
					found.Skipped,
				)
			default:
				require.ErrorIs(t, err, os.ErrPermission)
				require.ErrorContains(t, err, closed)
				require.ErrorContains(t, err, want)
			}
		})
	}
}
