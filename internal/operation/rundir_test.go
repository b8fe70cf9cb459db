package operation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/retry"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// A resumed run keeps its directory for the next resume even if it does nothing. So does a run
// whose directory another run names.
func TestIdleRuns(t *testing.T) {
	begun := &records.Load{}
	require.True(t, (&Load{run: runDirectory{journal: begun}}).idle(load.Result{}))
	require.False(t, (&Load{run: continuedIn("run", begun)}).idle(load.Result{}))
	require.False(t, (&Load{retried: &retry.Rejects{Recorded: true}}).idle(load.Result{}))
	require.False(
		t,
		(&Load{run: runDirectory{journal: begun}}).idle(
			load.Result{Tally: ingest.Tally{Written: 1}},
		),
	)
}

// A directory that was removed during the run is in no advice.
func TestDirectoryThatIsLost(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.False(t, (&runDirectory{}).lost(), "a run that keeps none")
	d := runDirectory{path: dir, journal: &records.Load{}}
	require.True(t, d.lost())
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.False(t, d.lost())
}

// A header that does not fit is a matter of usage, but not when rows of earlier
// files are in the table already.
func TestHeaderThatDoesNotFit(t *testing.T) {
	l := &Load{t: &table.Table{Schema: schema.New("ks", "t", nil)}}
	header := fmt.Errorf("b.csv: %w", &ingest.MappingError{})
	var usage *spec.UsageError
	require.ErrorAs(t, l.runError(header, &LoadReport{}), &usage)
	begun := &LoadReport{Result: load.Result{Tally: ingest.Tally{Read: 1}}}
	require.Equal(t, header, l.runError(header, begun))
	disk := errors.New("disk")
	require.Equal(t, disk, l.runError(disk, &LoadReport{}))
	limit := &ingest.LimitError{Stage: ingest.Parse}
	require.Equal(t, error(limit), l.runError(limit, begun))
	require.Equal(t, limit, begun.Limit)
}

func TestOutcome(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	require.Equal(t, run.Done, run.OutcomeOf(t.Context(), nil, false))
	require.Equal(
		t,
		run.Done,
		run.OutcomeOf(ended, nil, false),
		"it came to its end before the signal to stop",
	)
	require.Equal(t, run.Partly, run.OutcomeOf(ended, nil, true))
	require.Equal(t, run.Failed, run.OutcomeOf(t.Context(), broken, true))
	require.Equal(t, run.Interrupted, run.OutcomeOf(ended, broken, false))
	require.Equal(t, run.Interrupted, run.OutcomeOf(t.Context(), context.Canceled, false))
}
