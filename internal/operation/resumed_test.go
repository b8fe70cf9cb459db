package operation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// A load that a limit stopped has the same number of rejected rows in its report and its status.
// The journal does not record all of them. The report of its resume, and the status after it, have
// the time of both processes.
func TestFiguresOfAResumedLoad(t *testing.T) {
	s := openShop(t)
	text := strings.Builder{}
	text.WriteString("customer,number,pieces\n")
	for i := range 500 {
		fmt.Fprintf(&text, "ann,%d,%s\n", i, []string{"1", "2", "x"}[i%3])
	}
	settings := s.load(t, text.String())
	settings.MaxParseErrors = setting.RowLimit{Rows: 100}
	first, err := s.runLoad(t, settings)
	require.ErrorContains(t, err, "more than 100 parse errors")
	require.Positive(t, first.Rejected())
	require.Zero(t, first.TookBefore)
	stopped, err := status.Read("run")
	require.NoError(t, err)
	require.Equal(t, first.Rejected(), stopped.Load.Rejected)
	require.Equal(t, first.Duration, stopped.Pace.Took)

	changes := setting.Changes{
		Values: setting.Values{"maxparseerrors": {"-1"}},
		Typed:  setting.Given{"maxparseerrors": true},
	}
	resumed, err := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run", Changes: changes})
	require.NoError(t, err)
	second, err := resumed.Load.Run(t.Context())
	resumed.Load.Close()
	require.NoError(t, err)
	require.EqualValues(t, 166, second.Rejected())
	require.Equal(t, first.Duration, second.TookBefore)
	done, err := status.Read("run")
	require.NoError(t, err)
	require.EqualValues(t, 166, done.Load.Rejected)
	require.Equal(t, second.Duration, done.Pace.Took)
	require.Equal(t, first.Duration, done.Pace.Earlier)
	require.Equal(t, second.Earlier, done.Pace.EarlierRows)
}
