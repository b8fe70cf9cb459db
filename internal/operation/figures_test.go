package operation

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// watching takes readings of a run until it ends, and fails if one of them is impossible. It
// returns the last.
func watching(t *testing.T, c *progress.Counters, most int64, of func()) (last progress.Reading) {
	t.Helper()
	ended := make(chan struct{})
	var looking sync.WaitGroup
	var wrong []string
	looking.Go(func() {
		for before := (progress.Reading{}); ; runtime.Gosched() {
			now := c.ReadNow(time.Now())
			if problem := cmp.Or(
				impossible(before, now, most),
				impossibleStage(before, now),
			); problem != "" &&
				len(wrong) < 3 {
				wrong = append(wrong, problem)
			}
			before = now
			select {
			case <-ended:
				last = c.ReadNow(time.Now())
				return
			default:
			}
		}
	})
	of()
	close(ended)
	looking.Wait()
	require.Empty(t, wrong)
	return last
}

// impossible names a figure that is false for a table of most rows, or that cannot follow the
// reading before. It returns "" if there is no such figure.
func impossible(before, now progress.Reading, most int64) string {
	for name, figure := range map[string]float64{
		"rows/s": now.RowsPerSecond, "bytes/s": now.BytesPerSecond, "p50": now.P50, "p99": now.P99, "left": now.Left,
		"rows": float64(now.Rows), "under way": float64(now.UnderWay), "ready": float64(now.Ready), "bytes": float64(now.Bytes),
	} {
		if figure < 0 || math.IsNaN(figure) || math.IsInf(figure, 0) {
			return fmt.Sprintf("%s %v", name, figure)
		}
	}
	switch {
	case now.Rows > most:
		return fmt.Sprintf("%d rows of %d", now.Rows, most)
	case now.Rows < before.Rows:
		return fmt.Sprintf("%d rows after %d", now.Rows, before.Rows)
	case now.Share == nil:
		return ""
	case *now.Share < 0 || *now.Share > 1 || math.IsNaN(*now.Share):
		return fmt.Sprintf("share %v", *now.Share)
	case before.Share != nil && *now.Share < *before.Share:
		return fmt.Sprintf("share %v after %v", *now.Share, *before.Share)
	}
	return ""
}

// Whatever the table is, no figure of a run is one that cannot be, and at the end all is done.
func TestFiguresOfRunsAreTrue(t *testing.T) {
	for _, c := range []struct {
		name       string
		partitions int
		rows       int // of each partition
		limit      int64
		want       int64         // rows
		slow       time.Duration // of each request on one node
		onePerPage bool
	}{
		{name: "an empty table"},
		{name: "one row", partitions: 1, rows: 1, want: 1},
		{name: "one partition", partitions: 1, rows: 500, want: 500, onePerPage: true},
		{name: "many partitions", partitions: 400, rows: 2, want: 800},
		{name: "a limit above the table's size", partitions: 20, rows: 2, limit: 1 << 40, want: 40},
		{name: "a limit", partitions: 200, rows: 2, limit: 37, want: 37},
		{name: "one slow node", partitions: 100, rows: 2, want: 200, slow: 2 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openShop(t)
			text := strings.Builder{}
			text.WriteString("customer,number,pieces\n")
			for p := range c.partitions {
				for r := range c.rows {
					fmt.Fprintf(&text, "c%d,%d,%d\n", p, r, r)
				}
			}
			if c.slow > 0 {
				s.cluster.Slow(0, simcluster.Delay{Min: c.slow})
			}
			all := int64(c.partitions * c.rows)
			l, err := PrepareLoad(t.Context(), s.env, *s.load(t, text.String()))
			require.NoError(t, err)
			last := watching(t, l.Counters(), all, func() {
				_, err = l.Run(t.Context())
				l.Close()
			})
			require.NoError(t, err)
			require.Equal(t, all, last.Rows)

			settings := spec.NewScan()
			settings.Connection, settings.TableName, settings.Path = s.connection, orders, "out.csv"
			if c.limit > 0 {
				settings.Limit = c.limit
			}
			if c.onePerPage {
				settings.PageSize = 1
			}
			scan, err := PrepareScan(t.Context(), s.env, *settings)
			require.NoError(t, err)
			last = watching(t, scan.Counters(), c.want, func() {
				_, err = scan.Run(t.Context())
				scan.Close()
			})
			require.NoError(t, err)
			require.Equal(t, c.want, last.Rows)
			require.NotNil(t, last.Share)
			require.InDelta(t, 1, *last.Share, 1e-9)
		})
	}
}

// A finished run has the same speed in the report, status, history and manifest.
func TestOneSpeedOfARunThatIsOver(t *testing.T) {
	s := openShop(t)
	partly, err := s.runLoad(t, s.load(t, threeGood))
	require.NoError(t, err)
	require.Equal(t, run.Partly, partly.Outcome)
	stood, err := status.Read("run")
	require.NoError(t, err)
	require.InEpsilon(t, partly.RowsPerSecond(), stood.Pace.RowsPerSecond, 1e-9)

	settings := s.load(t, "customer,number,pieces\nann,7,3\n")
	settings.RunDir = "another"
	whole, err := s.runLoad(t, settings)
	require.NoError(t, err)
	scanned := s.runScan(t, "out.csv")
	record, err := status.ReadRecord(scanned.Manifest)
	require.NoError(t, err)
	require.InEpsilon(t, scanned.RowsPerSecond(), record.Manifest.Pace.RowsPerSecond, 1e-9)
	require.InEpsilon(t, scanned.BytesPerSecond(), record.Manifest.Pace.BytesPerSecond, 1e-9)

	runs, err := status.Runs(".")
	require.NoError(t, err)
	told := make(map[string]float64)
	for _, r := range runs {
		told[fmt.Sprint(r.Command, " ", r.State)] = r.RowsPerSecond
	}
	require.Equal(t, map[string]float64{
		"load partly":   partly.RowsPerSecond(),
		"load complete": whole.RowsPerSecond(),
		"scan complete": scanned.RowsPerSecond(),
	}, told)
}

// The first reading of a resumed scan has the rows of the run before.
func TestResumedScanBeginsWithWhatIsDone(t *testing.T) {
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, threeGood))
	require.NoError(t, err)
	settings := spec.NewScan()
	settings.Connection, settings.TableName, settings.Path, settings.RunDir = s.connection, orders, "out.csv", "scan"
	settings.MaxAttempts = 1
	fault := s.cluster.Inject(
		simcluster.Rule{
			Fault: simcluster.Overloaded,
			Skip:  5,
			Match: func(r simcluster.Request) bool { return r.Table == "shop.orders" },
		},
	)
	scan, err := PrepareScan(t.Context(), s.env, *settings)
	require.NoError(t, err)
	first, err := scan.Run(t.Context())
	scan.Close()
	require.NoError(t, err)
	require.Equal(t, run.Partly, first.Outcome)
	fault.Remove()
	resumed, err := PrepareRetry(t.Context(), s.env, spec.Resume{RunDir: "scan"})
	require.NoError(t, err)
	defer resumed.Scan.Close()
	r := resumed.Scan.Counters().Read(time.Now())
	require.Equal(t, first.Rows, r.Rows)
	require.Equal(t, first.Rows, r.Earlier)
}
