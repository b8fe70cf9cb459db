package cli

import (
	"io"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli/configfile"
	"github.com/cqlbulk/cqlbulk/internal/cli/cqlshcopy"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// Every flag of copy but its own is one of load or scan, with the same default. The consistency
// level has the command's default.
func TestCopyFlags(t *testing.T) {
	load := newLoadCommand(newStreams(nil, nil, io.Discard)).Flags()
	scan := newScanCommand(newStreams(nil, nil, io.Discard)).Flags()
	own := newCopyCommand(newStreams(nil, nil, io.Discard)).Flags()
	own.VisitAll(func(f *pflag.Flag) {
		if f.Name == "explain" || f.Name == "nulls" || f.Name == cqlshrcFlag {
			return
		}
		for _, inner := range []*pflag.FlagSet{load, scan} {
			if other := inner.Lookup(f.Name); other != nil && f.Name == "consistency" {
				require.Empty(t, f.DefValue)
			} else if other != nil {
				require.Equal(t, f.DefValue, other.DefValue, f.Name)
				require.Equal(t, f.Value.Type(), other.Value.Type(), f.Name)
			}
		}
		require.True(t, load.Lookup(f.Name) != nil || scan.Lookup(f.Name) != nil, f.Name)
	})
}

// What was typed wins over the statement, and the statement over the environment.
func TestCopySettings(t *testing.T) {
	t.Setenv("CQLBULK_INGESTRATE", "1")
	t.Setenv("CQLBULK_MAXATTEMPTS", "2")
	t.Setenv("CQLBULK_INFLIGHT", "3")
	t.Setenv("CQLBULK_RATE", "4")
	t.Setenv("CQLBULK_PASSWORD", "secret")
	t.Chdir(t.TempDir())
	own := newCopyCommand(newStreams(nil, nil, io.Discard)).Flags()
	own.String(config.FileFlag, "", "")
	require.NoError(
		t,
		own.Parse([]string{"--maxattempts", "5", "--hosts", "a,b", "--dry-run", "-k", "demo"}),
	)
	settings, _ := configfile.Names(newRoot(newStreams(nil, nil, io.Discard)))
	_, err := config.Apply("copy", "", own, settings, []string{"copy"})
	require.NoError(t, err)
	s, err := copystmt.Parse(
		"COPY t FROM 'f' WITH INGESTRATE = 7 AND MAXATTEMPTS = 8 AND SKIPCOLS = 'a,b'",
	)
	require.NoError(t, err)
	tr, err := cqlshcopy.Translate(s, "demo", "unset")
	require.NoError(t, err)
	o := spec.NewLoad()
	require.NoError(t, fillFromCopy(tr, o.Settings(), o.Given, own))
	require.EqualValues(t, 7, o.IngestRate)
	require.Equal(t, 5, o.MaxAttempts)
	require.Equal(t, 3, o.InFlight)
	require.Equal(t, []string{"a", "b"}, o.Hosts)
	require.Equal(t, []string{"a", "b"}, o.SkipCols)
	require.Equal(t, "unset", o.NullState)
	require.True(t, o.DryRun)
	require.Equal(t, "secret", o.Password)
	require.False(t, o.Given["password"], "it was not typed")
	require.NotContains(t, tr.CommandLine(typedForCopy(own)), "secret")

	require.NoError(t, own.Set("force", "true"))
	require.EqualError(
		t,
		fillFromCopy(tr, o.Settings(), o.Given, own),
		"--force: a COPY FROM has no such setting",
	)
}
