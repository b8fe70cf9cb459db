package history

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
	for _, load := range Read(folder) {
		tables = append(tables, load.Table)
	}
	return tables
}

// What a prune cannot read it keeps, however long the line is.
func TestPruneOfAHistoryKeepsWhatItCannotRead(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, FileName)
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
	dropped, err := Prune(folder, time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), false)
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
		os.WriteFile(filepath.Join(folder, FileName), []byte(`{"tool":"cqlbulk","ta`), 0o600),
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
			require.NoError(t, replace(filepath.Join(folder, FileName)))
			require.Error(t, appendLine(folder, line))
			require.Empty(t, pastTables(t, folder))
			_, err := Prune(folder, time.Now(), false)
			require.ErrorContains(t, err, FileName)
			require.NoFileExists(t, filepath.Join(folder, "elsewhere"))
		})
	}
}

func TestHistoryThatAnotherProcessLocks(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, FileName)
	f, err := os.Create(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	require.NoError(t, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	require.ErrorContains(t, appendLine(folder, []byte("x\n")), "another process has it locked")
}
