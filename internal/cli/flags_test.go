package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli/configfile"
	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// parsed are the flags of a command as they are when it runs.
func parsed(t *testing.T, command, of string, flags *pflag.FlagSet, args ...string) *pflag.FlagSet {
	t.Helper()
	flags.String(config.FileFlag, "", "")
	require.NoError(t, flags.Parse(args))
	settings, commands := configfile.Names(newRoot(newStreams(nil, nil, io.Discard)))
	_, err := config.Apply(command, of, flags, settings, commands)
	require.NoError(t, err)
	return flags
}

// A run records what a configuration file and the environment set as it does what was typed, and
// restores it. A resumed run records it again.
func TestRecordedSettings(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("cqlbulk.yaml", []byte(
		"hosts: [10.0.0.9, 10.0.0.8]\nssl: true\nuser: etl\nload:\n  null-string: NA\n  columns: [a, b]\n  header: false\n",
	), 0o600))
	t.Setenv("CQLBULK_INGESTRATE", "500")
	t.Setenv("CQLBULK_PASSWORD", "secret")
	first := &loadOptions{spec: spec.NewLoad()}
	flags := pflag.NewFlagSet("load", pflag.ContinueOnError)
	first.AddFlags(flags)
	parsed(t, "load", "", flags, "--map", "x=a,y=b", "--cacert", "ca.pem", "--skipcols", "z")
	first.spec.Given = flagset.Typed(flags)
	defaults := spec.NewLoad().Settings()
	recorded := first.spec.Settings().Record(defaults, first.spec.Given)
	require.NotContains(t, recorded, "password")
	require.Equal(t, []string{filepath.Join(dir, "ca.pem")}, recorded["cacert"])

	second := spec.NewLoad()
	require.NoError(t, second.Settings().Apply(recorded, second.Given))
	for _, o := range []*spec.Load{first.spec, second} {
		require.Equal(t, []string{"10.0.0.9", "10.0.0.8"}, o.Hosts)
		require.Equal(t, []string{"a", "b"}, o.Columns)
		require.Equal(t, []string{"NA"}, o.Nulls)
		require.Equal(t, []string{"z"}, o.SkipCols)
		require.Equal(t, map[string]string{"x": "a", "y": "b"}, o.Map)
		require.False(t, o.Header)
		require.EqualValues(t, 500, o.IngestRate)
	}
	require.Equal(t, recorded, second.Settings().Record(defaults, second.Given))

	// The password in the environment reaches the resumed run.
	resumed := parsed(
		t,
		"resume",
		"load",
		newResumeCommand(newStreams(nil, nil, io.Discard)).Flags(),
	)
	require.NoError(t, second.Settings().Change(recorded, second.Given, flagset.Changes(resumed)))
	require.Equal(t, "secret", second.Password)

	// So does that of the command's section. What the first run was given stays, unless it is typed
	// again.
	t.Setenv("CQLBULK_PASSWORD", "")
	t.Setenv("CQLBULK_HOSTS", "10.0.0.7")
	require.NoError(
		t,
		os.WriteFile(
			"cqlbulk.yaml",
			[]byte("timeout: 7s\nload:\n  password: \"of load\"\n  ingestrate: 9\n"),
			0o600,
		),
	)
	resumed = parsed(
		t,
		"resume",
		"load",
		newResumeCommand(newStreams(nil, nil, io.Discard)).Flags(),
		"--user",
		"other",
	)
	require.NoError(t, second.Settings().Change(recorded, second.Given, flagset.Changes(resumed)))
	require.Equal(t, "of load", second.Password)
	require.Equal(t, "other", second.User)
	require.Equal(t, 7*time.Second, second.Timeout)
	require.Equal(t, []string{"10.0.0.9", "10.0.0.8"}, second.Hosts)
	require.EqualValues(t, 500, second.IngestRate)
}

// Every setting of an operation has a flag of its command, but for those that only other commands
// set. The default that a flag shows is the setting's own.
func TestSettingsHaveFlags(t *testing.T) {
	s := newStreams(nil, nil, io.Discard)
	for _, c := range []struct {
		flags    *pflag.FlagSet
		settings setting.List
		without  []string
	}{
		{newScanCommand(s).Flags(), spec.NewScan().Settings(), nil},
		{newLoadCommand(s).Flags(), spec.NewLoad().Settings(), []string{"repeat-in-doubt", "rejects-of"}},
		{newCountCommand(s).Flags(), spec.NewCount().Settings(), nil},
		{newPlanCommand(s).Flags(), spec.NewPlan().Settings(), nil},
		{newVerifyCommand(s).Flags(), (&spec.Verify{}).Settings(), nil},
	} {
		var missing []string
		for _, one := range c.settings {
			flag := c.flags.Lookup(one.Name)
			if flag == nil {
				missing = append(missing, one.Name)
				continue
			}
			require.Equal(t, flag.DefValue, flag.Value.String(), one.Name)
			if want := one.Texts(); len(want) > 0 && want[0] != "" {
				require.Equal(t, want, flagset.Texts(flag), one.Name)
			}
		}
		require.ElementsMatch(t, c.without, missing)
	}
}
