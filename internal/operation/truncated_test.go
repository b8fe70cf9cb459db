package operation

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// A load whose rows were truncated away does not resume, on Cassandra and on ScyllaDB. A truncation
// from before the load does not matter. Its rejects are still loaded.
func TestResumeAfterTruncate(t *testing.T) {
	for _, shards := range []int{0, 2} {
		t.Run(fmt.Sprintf("%d shards", shards), func(t *testing.T) {
			s := openShopOn(t, simcluster.Options{Shards: shards})
			require.NoError(t, s.cluster.Truncate("shop.orders"))
			stopped, err := s.runLoad(t, s.load(t, threeGood))
			require.NoError(t, err)
			require.EqualValues(t, 3, stopped.Written)
			resumed, err := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
			require.NoError(t, err)
			resumed.Load.Close()

			require.NoError(t, s.cluster.Truncate("shop.orders"))
			_, err = PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
			require.ErrorContains(t, err, "table shop.orders was truncated at 20")
			require.ErrorContains(t, err, "rows that the run had loaded are gone")
			require.ErrorAs(t, err, new(*run.RefusedError))

			require.NoError(t, os.WriteFile("run/rejects.csv", []byte(mended), 0o600))
			retry, err := PrepareRetry(t.Context(), s.env, spec.Resume{RunDir: "run"})
			require.NoError(t, err)
			defer retry.Load.Close()
			again, err := retry.Load.Run(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 1, again.Written)
			require.Empty(t, s.told)
		})
	}
}

// A load that has written nothing yet resumes whatever was truncated. So does a load whose run.json
// is of an earlier version and records no truncation.
func TestResumeDespiteTruncate(t *testing.T) {
	s := openShop(t)
	settings := s.load(t, "customer,number,pieces\nann,2,x\n")
	_, err := s.runLoad(t, settings)
	require.NoError(t, err)
	require.NoError(t, s.cluster.Truncate("shop.orders"))
	resumed, err := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.NoError(t, err)
	resumed.Load.Close()

	var logged bytes.Buffer
	s.env.Log = func(format string, args ...any) { fmt.Fprintf(&logged, format+"\n", args...) }
	begun, err := PrepareLoad(t.Context(), s.env, *s.load(t, threeGood))
	require.ErrorContains(t, err, "the folder is not empty")
	require.Nil(t, begun)
	settings = s.load(t, threeGood)
	settings.RunDir = "earlier"
	begun, err = PrepareLoad(t.Context(), s.env, *settings)
	require.NoError(t, err)
	begun.truncated = nil
	_, err = begun.Run(t.Context())
	begun.Close()
	require.NoError(t, err)
	m, err := journal.ReadManifest("earlier")
	require.NoError(t, err)
	require.NotContains(t, string(m.Extra), "truncated")
	require.NoError(t, s.cluster.Truncate("shop.orders"))
	resumed, err = PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "earlier"})
	require.NoError(t, err)
	resumed.Load.Close()
	require.Contains(
		t,
		logged.String(),
		"no node reports whether table shop.orders was truncated since the run began",
	)
}

// A scan resumes, and warns that its output has rows that are gone.
func TestResumeOfAScanAfterTruncate(t *testing.T) {
	s := openShop(t)
	s.loadOrders(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	interrupt := s.cluster.Inject(simcluster.Rule{Skip: 40, Times: 1, Do: cancel})
	settings := spec.NewScan()
	settings.Connection, settings.TableName, settings.Path, settings.RunDir, settings.Parallel, settings.Splits = s.connection, orders, "out.csv", "run", 1, 100
	scan, err := PrepareScan(ctx, s.env, *settings)
	require.NoError(t, err)
	report, err := scan.Run(ctx)
	scan.Close()
	interrupt.Remove()
	require.Equal(t, run.Interrupted, report.Outcome, "%v", err)
	require.Positive(t, report.Rows)

	require.NoError(t, s.cluster.Truncate("shop.orders"))
	resumed, err := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.NoError(t, err)
	defer resumed.Scan.Close()
	require.Len(t, s.told, 1)
	require.Contains(t, s.told[0], "table shop.orders was truncated at 20")
	whole, err := resumed.Scan.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, report.Rows, whole.Rows)
	require.Len(t, s.told, 1, "a truncation is reported once")
}

// TestTruncateDuringAScan: a scan whose table is truncated while it reads warns that its output is
// not the whole table.
func TestTruncateDuringAScan(t *testing.T) {
	for _, noJournal := range []bool{false, true} {
		t.Run(fmt.Sprintf("no journal %v", noJournal), func(t *testing.T) {
			s := openShop(t)
			_, err := s.runLoad(t, s.load(t, threeGood))
			require.NoError(t, err)
			settings := spec.NewScan()
			settings.Connection, settings.TableName, settings.Path, settings.NoJournal = s.connection, orders, "out.csv", noJournal
			scan, err := PrepareScan(t.Context(), s.env, *settings)
			require.NoError(t, err)
			defer scan.Close()
			require.NoError(t, s.cluster.Truncate("shop.orders"))
			report, err := scan.Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, run.Done, report.Outcome)
			require.Zero(t, report.Rows)
			require.Len(t, s.told, 1)
			require.Regexp(
				t,
				`^table shop\.orders was truncated at 20.* \(node .*\), while it was read`,
				s.told[0],
			)
			require.NotContains(t, s.told[0], "read repair")
		})
	}
}

// TestTruncateDuringAScanOfSeveralReplicas: at a level that compares replicas, the warning says
// that read repair may have brought rows back.
func TestTruncateDuringAScanOfSeveralReplicas(t *testing.T) {
	const back = "; reads at QUORUM may have written some rows to it again (read repair): truncate it again"
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, threeGood))
	require.NoError(t, err)
	s.connection.Consistency = "QUORUM"

	reading := spec.NewScan()
	reading.Connection, reading.TableName, reading.Path = s.connection, orders, "out.csv"
	scan, err := PrepareScan(t.Context(), s.env, *reading)
	require.NoError(t, err)
	defer scan.Close()
	require.NoError(t, s.cluster.Truncate("shop.orders"))
	_, err = scan.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, s.told, 1)
	require.True(t, strings.HasSuffix(s.told[0], back), s.told[0])
}

// TestTruncateDuringALoad: a load whose table is truncated while it runs warns that the rows that
// it had loaded are gone.
func TestTruncateDuringALoad(t *testing.T) {
	for _, noJournal := range []bool{false, true} {
		t.Run(fmt.Sprintf("no journal %v", noJournal), func(t *testing.T) {
			s := openShop(t)
			settings := s.load(t, "customer,number,pieces\nann,2,1\nbob,2,1\n")
			settings.NoJournal = noJournal
			if noJournal {
				settings.RunDir = ""
			}
			l, err := PrepareLoad(t.Context(), s.env, *settings)
			require.NoError(t, err)
			defer l.Close()
			require.NoError(t, s.cluster.Truncate("shop.orders"))
			report, err := l.Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, run.Done, report.Outcome)
			require.EqualValues(t, 2, report.Written)
			require.Len(t, s.told, 1)
			require.Regexp(
				t,
				`^table shop\.orders was truncated at 20.* \(node .*\), while rows were loaded: `+
					`rows that were loaded before that are gone$`,
				s.told[0],
			)
		})
	}
}

// TestTruncateDuringAClone: a clone whose new table is truncated while it runs warns that the rows
// that it had cloned are gone.
func TestTruncateDuringAClone(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}})
	_, err := s.runLoad(t, s.load(t, threeGood))
	require.NoError(t, err)
	s.told = nil
	c, err := PrepareClone(t.Context(), s.env, *s.clone())
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, s.cluster.Truncate("shop.copies"))
	report, err := c.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, run.Done, report.Outcome)
	require.Regexp(
		t,
		`table shop\.copies was truncated at 20.* \(node .*\), while rows were cloned: `+
			`rows that were cloned before that are gone`,
		strings.Join(s.told, "\n"),
	)
}
