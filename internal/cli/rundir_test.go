package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/resume"
	"github.com/cqlbulk/cqlbulk/internal/scan"
)

// What a configuration file and the environment set is recorded as what was typed is,
// and comes back; and so it is again when the run that went on is recorded.
func TestRecordedSettings(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("cqlbulk.yaml", []byte(
		"hosts: [10.0.0.9, 10.0.0.8]\nssl: true\nuser: etl\nload:\n  null-string: NA\n  columns: [a, b]\n  header: false\n"), 0o600))
	t.Setenv("CQLBULK_INGESTRATE", "500")
	t.Setenv("CQLBULK_PASSWORD", "secret")
	settings, _ := settingsOf(newRoot(streams{}))
	first := &LoadOptions{}
	c := loadCommand(streams{}, first)
	c.Flags().String(config.FileFlag, "", "")
	require.NoError(t, c.ParseFlags([]string{"--map", "x=a,y=b", "--cacert", "ca.pem", "--skipcols", "z"}))
	_, err := config.Apply("load", "", c.Flags(), settings, []string{"load"})
	require.NoError(t, err)
	options := record(c.Flags(), nil)
	require.NotContains(t, options.Flags, "password")
	require.Equal(t, []string{filepath.Join(dir, "ca.pem")}, options.Flags["cacert"])

	again := &LoadOptions{}
	c = loadCommand(streams{}, again)
	require.NoError(t, options.apply(c.Flags()))
	for _, o := range []*LoadOptions{first, again} {
		require.Equal(t, []string{"10.0.0.9", "10.0.0.8"}, o.Hosts)
		require.Equal(t, []string{"a", "b"}, o.Columns)
		require.Equal(t, []string{"NA"}, o.Nulls)
		require.Equal(t, []string{"z"}, o.SkipCols)
		require.Equal(t, map[string]string{"x": "a", "y": "b"}, o.Map)
		require.False(t, o.Header)
		require.EqualValues(t, 500, o.IngestRate)
	}
	require.Equal(t, options, record(c.Flags(), nil))

	// The password of the environment reaches the run that goes on.
	resumed := newResumeCommand(streams{})
	resumed.Flags().String(config.FileFlag, "", "")
	_, err = config.Apply("resume", "load", resumed.Flags(), settings, []string{"load", "resume"})
	require.NoError(t, err)
	require.NoError(t, override(c.Flags(), resumed.Flags(), options.anew))
	require.Equal(t, "secret", again.Password)

	// So does that of the command's section. What the first run was given stays, unless it
	// is typed anew.
	t.Setenv("CQLBULK_PASSWORD", "")
	t.Setenv("CQLBULK_HOSTS", "10.0.0.7")
	require.NoError(t, os.WriteFile("cqlbulk.yaml", []byte("timeout: 7s\nload:\n  password: \"of load\"\n  ingestrate: 9\n"), 0o600))
	resumed = newResumeCommand(streams{})
	resumed.Flags().String(config.FileFlag, "", "")
	require.NoError(t, resumed.ParseFlags([]string{"--user", "other"}))
	_, err = config.Apply("resume", "load", resumed.Flags(), settings, []string{"load", "resume"})
	require.NoError(t, err)
	require.NoError(t, override(c.Flags(), resumed.Flags(), options.anew))
	require.Equal(t, "of load", again.Password)
	require.Equal(t, "other", again.User)
	require.Equal(t, 7*time.Second, again.Timeout)
	require.Equal(t, []string{"10.0.0.9", "10.0.0.8"}, again.Hosts)
	require.EqualValues(t, 500, again.IngestRate)
}

// A run that goes on keeps its directory even when it comes to nothing, for whoever
// goes on again.
func TestIdleRuns(t *testing.T) {
	begun := &resume.Load{}
	require.True(t, (&loadRun{journal: begun}).idle(load.Result{}))
	require.False(t, (&loadRun{journal: begun, again: true}).idle(load.Result{}))
	require.False(t, (&loadRun{journal: begun}).idle(load.Result{Tally: load.Tally{Written: 1}}))
	require.True(t, (&scanRun{}).idle(scan.Result{}))
	require.False(t, (&scanRun{again: true}).idle(scan.Result{}))
	require.False(t, (&scanRun{}).idle(scan.Result{Rows: 1}))
}
