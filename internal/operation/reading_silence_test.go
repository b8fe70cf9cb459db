package operation

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// After rows have been streamed, nodes may not answer whether the table is still the same. Then the
// rows may be incomplete. The ranges are listed as failed without waiting, and a retry reads them.
func TestNodesThatDoNotTellWhatHasChanged(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}})
	_, err := s.runLoad(t, s.load(t, "customer,number,pieces\nann,1,3\nbob,1,5\ncid,2,\n"))
	require.NoError(t, err)
	settings := spec.NewScan()
	settings.Connection, settings.TableName, settings.Path, settings.RunDir = s.connection, orders, "out.csv", "scan"
	settings.Via, settings.Listen, settings.Splits = spec.ViaStream, "127.0.0.1:0", 48
	settings.Timeout, settings.Patience = 400*time.Millisecond, 2*time.Second
	scan, err := PrepareScan(t.Context(), s.env, *settings)
	require.NoError(t, err)
	defer scan.Close()
	silence := s.cluster.Inject(
		simcluster.Rule{Fault: simcluster.Silence, Match: func(r simcluster.Request) bool {
			return strings.Contains(r.Statement, "system_schema.columns")
		}},
	)
	report, err := scan.Run(t.Context())
	require.NoError(t, err)
	require.Positive(t, silence.Hits())
	require.Equal(t, run.Partly, report.Outcome)
	require.Len(t, report.Failed, len(scan.t.Plan.Splits))
	require.Zero(t, report.Rows)
	require.Zero(t, report.Retries, "nothing is fetched again")
	scan.Close()

	silence.Remove()
	retry, err := PrepareRetry(t.Context(), s.env, spec.Resume{RunDir: "scan"})
	require.NoError(t, err)
	defer retry.Scan.Close()
	report, err = retry.Scan.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, run.Done, report.Outcome)
	require.EqualValues(t, 3, report.Rows)
}
