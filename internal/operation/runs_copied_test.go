package operation

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// A run directory that was copied is listed beside the original, whatever became of the one or the
// other.
func TestCopiedRunsAreListed(t *testing.T) {
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, threeGood))
	require.NoError(t, err)
	require.NoError(t, os.CopyFS("copy", os.DirFS("run")))
	require.Equal(t, run.Done, s.retry(t, "run", "ann,2,4\n", nil).Outcome)
	runs, err := status.Runs(".")
	require.NoError(t, err)
	states := make(map[string]status.State)
	for _, r := range runs {
		states[r.Path] = r.State
	}
	require.Equal(t, map[string]status.State{"copy": status.Partly, "run": status.Complete}, states)
}

// A run directory that is in use is refused in the same way by a resume and by a retry.
func TestRunDirectoryInUse(t *testing.T) {
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, threeGood))
	require.NoError(t, err)
	holder, err := journal.Open("run", func(journal.Record) error { return nil })
	require.NoError(t, err)
	defer func() { _ = holder.Close() }()
	_, resumeErr := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	_, retryErr := PrepareRetry(t.Context(), s.env, spec.Resume{RunDir: "run"})
	for _, err := range []error{resumeErr, retryErr} {
		require.ErrorAs(t, err, new(*run.RefusedError))
		require.ErrorAs(t, err, new(*journal.InUseError))
		require.ErrorContains(t, err, "run directory run is in use by process ")
	}
}

// A run directory in which nothing was begun is taken by the next run.
func TestRunDirectoryThatNothingWasBegunIn(t *testing.T) {
	s := openShop(t)
	require.NoError(t, os.Mkdir("run", 0o700))
	require.NoError(t, os.WriteFile("run/journal", nil, 0o600))
	loaded, err := s.runLoad(t, s.load(t, threeGood))
	require.NoError(t, err)
	require.Equal(t, run.Partly, loaded.Outcome)
	status, err := status.Read("run")
	require.NoError(t, err)
	require.EqualValues(t, 3, status.Load.Tally.Written)
}
