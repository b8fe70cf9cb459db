package operation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// pastLine is a line of a history.
func pastLine(table, finished string) string {
	return `{"tool":"cqlbulk","table":"` + table + `","started":"` + finished + `","finished":"` + finished + `","rows":1,"inputs":["a.csv"]}` + "\n"
}

// pastTables are the tables of the loads that a history has.
func pastTables(t *testing.T, folder string) (tables []string) {
	t.Helper()
	for _, r := range appendPast(nil, folder) {
		tables = append(tables, r.Table)
	}
	return tables
}

// What a prune cannot read it keeps, however long the line is.
func TestPruneOfAHistoryKeepsWhatItCannotRead(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, HistoryName)
	long := `{"of":"another version","x":"` + strings.Repeat("y", 2<<20) + `"}` + "\n"
	require.NoError(
		t,
		os.WriteFile(
			path,
			[]byte(
				pastLine(
					"ks.old",
					"2020-01-01T00:00:00Z",
				)+long+pastLine(
					"ks.new",
					"2026-01-01T00:00:00Z",
				),
			),
			0o600,
		),
	)
	require.Equal(t, []string{"ks.old", "ks.new"}, pastTables(t, folder))
	dropped, err := prunePast(folder, time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), false)
	require.NoError(t, err)
	require.Equal(t, 1, dropped)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, long+pastLine("ks.new", "2026-01-01T00:00:00Z"), string(text))
}

// A line that is written after a torn one stands by itself.
func TestHistoryAfterATornLine(t *testing.T) {
	folder := t.TempDir()
	require.NoError(
		t,
		os.WriteFile(filepath.Join(folder, HistoryName), []byte(`{"tool":"cqlbulk","ta`), 0o600),
	)
	for _, table := range []string{"ks.a", "ks.b"} {
		require.NoError(t, appendLine(folder, []byte(pastLine(table, "2026-01-01T00:00:00Z"))))
	}
	require.Equal(t, []string{"ks.a", "ks.b"}, pastTables(t, folder))
}

// Nothing in the place of the history holds a load up.
func TestHistoryThatIsNoFile(t *testing.T) {
	line := []byte(pastLine("ks.a", "2026-01-01T00:00:00Z"))
	for name, replace := range map[string]func(path string) error{
		"FIFO":   func(path string) error { return unix.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"link":   func(path string) error { return os.Symlink("elsewhere", path) },
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			require.NoError(t, replace(filepath.Join(folder, HistoryName)))
			require.Error(t, appendLine(folder, line))
			require.Empty(t, pastTables(t, folder))
			_, err := prunePast(folder, time.Now(), false)
			require.ErrorContains(t, err, HistoryName)
			require.NoFileExists(t, filepath.Join(folder, "elsewhere"))
		})
	}
}

func TestHistoryThatAnotherProcessLocks(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, HistoryName)
	f, err := os.Create(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	require.NoError(t, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	require.ErrorContains(t, appendLine(folder, []byte("x\n")), "another process has it locked")
}

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
