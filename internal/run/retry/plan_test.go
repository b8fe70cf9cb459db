package retry

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// A retry is refused if the load has not come to its end, or if no row is left.
func TestNewPlanRefuses(t *testing.T) {
	bad, doubt := row("a,x", ingest.Parse, 1), row("a,1", ingest.InDoubt, 1)
	for _, c := range []struct {
		name string
		end  *records.End
		rows []ingest.Reject
		want string
	}{
		{"a stopped load", nil, []ingest.Reject{bad}, "has not come to its end: resume it first"},
		{
			"an interrupted load", &records.End{Outcome: records.Interrupted}, []ingest.Reject{bad},
			"has not come to its end: resume it first",
		},
		{
			"a failed load", &records.End{Outcome: records.Failed}, []ingest.Reject{bad},
			"failed before its end: resume it first, as this says: cqlbulk status ",
		},
		{"no rejects", partly, nil, ": no row was rejected"},
		{
			"a row in doubt", partly, []ingest.Reject{doubt},
			": no row was rejected, but 1 row is in doubt: --repeat-in-doubt writes it again",
		},
		{
			"rows in doubt", partly, []ingest.Reject{doubt, doubt},
			": no row was rejected, but 2 rows are in doubt: --repeat-in-doubt writes them again",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			loaded(t, dir, csv, c.end, c.rows...)
			_, _, err := planned(t, dir, setting.Changes{})
			require.ErrorContains(t, err, c.want)
		})
	}
}

// Rows in doubt are written again once.
func TestNewPlanRefusesRepeatedDoubt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, row("a,1", ingest.InDoubt, 1))
	repeat := typed(setting.Values{"repeat-in-doubt": {"true"}})
	retried(t, dir, repeat)
	_, _, err := planned(t, dir, repeat)
	require.ErrorContains(t, err, "was loaded again before, and nothing of it was left over")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "retry-1"), 0o700))
	_, _, err = planned(t, dir, repeat)
	require.ErrorContains(t, err, "or begun to be, by the load in "+filepath.Join(dir, "retry-1"))
}

// With the rows in doubt, a retry does not load again what an earlier retry has loaded.
func TestNewPlanOfRowsInDoubt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, row("a,x", ingest.Parse, 1), row("b,1", ingest.InDoubt, 2))
	retried(t, dir, setting.Changes{})
	p, first, err := planned(t, dir, typed(setting.Values{"repeat-in-doubt": {"true"}}))
	require.NoError(t, err)
	require.NoError(t, first.Abandon())
	require.Equal(t, []string{filepath.Join(dir, "in-doubt.csv")}, p.Spec.Inputs)
	p, _, err = planned(t, dir, setting.Changes{})
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "rejects.csv")}, p.Spec.Inputs)
	require.Equal(t, 1, p.LeftInDoubt)
}

// A retry has the settings of the load, a run directory of its own, and all rows of the rejects.
func TestNewPlan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	flags := setting.Values{
		"format": {"csv"}, "consistency": {"ONE"}, "null-string": {"-"},
		"skiprows": {"3"}, "maxrows": {"9"}, "via": {"sstables"}, "dir": {dir + "-out"},
	}
	loaded(t, dir, flags, partly, row("a,x", ingest.Parse, 1), row("b,1", ingest.InDoubt, 2))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "retry-1"), 0o700))
	require.NoError(t, os.Mkdir(dir+"-out-retry-1", 0o700))
	p, first, err := planned(t, dir, typed(setting.Values{"encoding": {"latin1"}}))
	require.NoError(t, err)
	require.NoError(t, first.Abandon())
	require.Equal(t, dir, p.RunDir)
	require.Equal(t, dir, p.Spec.RejectsOf)
	require.Equal(t, filepath.Join(dir, "retry-2"), p.Spec.RunDir)
	require.Equal(t, dir+"-out-retry-2", p.Spec.Dir)
	require.Equal(t, []string{filepath.Join(dir, "rejects.csv")}, p.Spec.Inputs)
	require.Zero(t, p.Spec.SkipRows)
	require.EqualValues(t, -1, p.Spec.MaxRows)
	require.Equal(t, []string{"-"}, p.Spec.Nulls)
	require.Equal(t, "latin1", p.Spec.Dialect.Encoding)
	require.Equal(t, 1, p.LeftInDoubt)
	require.Empty(t, p.Before)
	require.Empty(t, p.Readings.Former, "no piece of these inputs was begun")

	p, _, err = planned(t, dir, typed(setting.Values{"repeat-in-doubt": {"true"}}))
	require.NoError(t, err)
	require.Equal(
		t,
		[]string{filepath.Join(dir, "in-doubt.csv"), filepath.Join(dir, "rejects.csv")},
		p.Spec.Inputs,
	)
	require.Zero(t, p.LeftInDoubt)
}

// A retry reads rejects as the retry before it, unless the user types other settings.
func TestNewPlanInherits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	other := row("b,y", ingest.Parse, 2)
	other.Header = []byte("n,k\n")
	loaded(t, dir, csv, partly, row("a,x", ingest.Parse, 1), other)
	retried(t, dir, typed(setting.Values{"null-string": {"x"}, "encoding": {"latin1"}}))

	p, first, err := planned(t, dir, setting.Changes{
		Values: setting.Values{"null-string": {"z"}, "encoding": {"utf-8"}, "ingestrate": {"5"}},
		Typed:  setting.Given{"null-string": true},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"z"}, p.Spec.Nulls, "typed")
	require.Equal(t, "latin1", p.Spec.Dialect.Encoding, "of a configuration file")
	require.EqualValues(t, 5, p.Spec.IngestRate)
	run := first.Loaded().Retried["rejects.csv"].Run
	require.NotEmpty(t, run)
	require.Equal(t, []Earlier{{
		Files: []string{"rejects-2.csv", "rejects.csv"},
		Run:   run,
		Dir:   filepath.Join(dir, "retry-1"),
		Done:  true,
		Reading: []recorded.Change{
			{Name: "null-string", Now: []string{"x"}},
			{Name: "encoding", Now: []string{"latin1"}},
		},
	}}, p.Before)
}

// What a retry left over has a run directory, unless a later retry has loaded it.
func TestLeftOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, row("a,x", ingest.Parse, 1))
	left, err := LeftOver(dir)
	require.NoError(t, err)
	require.Empty(t, left)

	try := retriedInVain(t, dir, row("a,x", ingest.Parse, 1))
	left, err = LeftOver(dir)
	require.NoError(t, err)
	require.Equal(t, []string{try}, left)

	retried(t, dir, setting.Changes{})
	left, err = LeftOver(dir)
	require.NoError(t, err)
	require.Empty(t, left)

	_, err = LeftOver(filepath.Join(dir, "none"))
	require.Error(t, err)
}
