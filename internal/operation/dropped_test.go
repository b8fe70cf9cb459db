package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

const readded = `column "pieces" of table shop.orders was dropped at 2026-01-02T03:04:05Z`

var droppedAt2026 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// After a column was dropped and added again, a load is not resumed and its rejects are not loaded.
// A load that was running then does not count as done. A drop from before the run is no reason.
func TestColumnDroppedAndReadded(t *testing.T) {
	s := openShop(t)
	require.NoError(t, s.cluster.DropAndAdd("shop.orders", "pieces", droppedAt2026.Add(-time.Hour)))
	_, err := s.runLoad(t, s.load(t, threeGood))
	require.NoError(t, err)
	resumed, err := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.NoError(t, err)
	resumed.Load.Close()

	require.NoError(t, s.cluster.DropAndAdd("shop.orders", "pieces", droppedAt2026))
	const want = readded + " and added again, after the run began: its values from before that are gone, and the run cannot be resumed; " +
		"load all inputs again with cqlbulk load, in a run directory of its own"
	_, err = PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.EqualError(t, err, want)
	require.ErrorAs(t, err, new(*run.RefusedError))
	require.NoError(t, os.WriteFile("run/rejects.csv", []byte(mended), 0o600))
	_, err = PrepareRetry(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.EqualError(t, err, want)
	require.ErrorAs(t, err, new(*run.RefusedError))
}

func TestColumnDroppedInMidLoad(t *testing.T) {
	s := openShop(t)
	writes := func(r simcluster.Request) bool { return len(r.Keys) > 0 }
	s.cluster.Inject(simcluster.Rule{Match: writes, Times: 1, Do: sync.OnceFunc(func() {
		_ = s.cluster.DropAndAdd("shop.orders", "pieces", droppedAt2026)
	})})
	report, err := s.runLoad(t, s.load(t, "customer,number,pieces\nann,1,3\n"))
	require.EqualError(
		t,
		err,
		readded+" while rows were loaded: values that were written before that are null; "+loadFromStart,
	)
	require.ErrorAs(t, err, new(*run.RefusedError))
	require.Equal(t, run.Failed, report.Outcome)
	require.Empty(t, report.Next)
	require.DirExists(t, "run")
}

func TestResumeOfAScanAfterADrop(t *testing.T) {
	s := openShop(t)
	s.loadOrders(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.cluster.Inject(
		simcluster.Rule{
			Match: func(r simcluster.Request) bool { return r.Table == "shop.orders" && !r.Prepare },
			Skip:  20,
			Times: 1,
			Do:    cancel,
		},
	)
	settings := spec.NewScan()
	settings.Connection, settings.TableName, settings.Path, settings.RunDir, settings.Parallel, settings.Splits = s.connection, orders, "out.csv", "scan", 1, 100
	scan, err := PrepareScan(ctx, s.env, *settings)
	require.NoError(t, err)
	report, err := scan.Run(ctx)
	scan.Close()
	require.Equal(t, run.Interrupted, report.Outcome, "%v", err)
	require.NoError(t, s.cluster.DropAndAdd("shop.orders", "pieces", droppedAt2026))
	_, err = PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "scan"})
	require.EqualError(
		t,
		err,
		readded+" and added again, after the run began: its values from before that are gone, "+
			"and the run cannot be resumed; "+scanFromStart,
	)
}

// A scan that fails after a column was dropped cannot be resumed, and does not advise it. A scan
// that is done warns.
func TestColumnDroppedInMidScan(t *testing.T) {
	for _, fails := range []bool{true, false} {
		s := openShop(t)
		s.loadOrders(t)
		pages := func(r simcluster.Request) bool { return r.Table == "shop.orders" && !r.Prepare }
		rule := simcluster.Rule{Match: pages, Skip: 20, Times: 1, Do: func() {
			_ = s.cluster.DropAndAdd("shop.orders", "pieces", droppedAt2026)
		}}
		if fails {
			rule.Fault = simcluster.Answer
			rule.Error = &message.Invalid{ErrorMessage: "Undefined column name pieces"}
		}
		s.cluster.Inject(rule)
		settings := spec.NewScan()
		settings.Connection, settings.TableName = s.connection, orders
		settings.Path, settings.RunDir = "out.csv", "scan"
		settings.Parallel, settings.Splits = 1, 100
		scan, err := PrepareScan(t.Context(), s.env, *settings)
		require.NoError(t, err)
		report, err := scan.Run(t.Context())
		scan.Close()
		if !fails {
			require.NoError(t, err)
			require.Contains(t, strings.Join(s.told, "\n"), readded+" while rows were read")
			continue
		}
		require.ErrorContains(t, err, readded+" while rows were read: the scan cannot be resumed; ")
		require.ErrorAs(t, err, new(*run.RefusedError))
		require.Equal(t, run.Failed, report.Outcome)
		require.Empty(t, report.Next)
		require.DirExists(t, "scan")
	}
}

// A run directory of an earlier version does not record dropped columns. A column that is gone is
// no reason either: the columns of the table show it.
func TestReadded(t *testing.T) {
	s := openShop(t)
	l, err := PrepareLoad(t.Context(), s.env, *s.load(t, threeGood))
	require.NoError(t, err)
	defer l.Close()
	var old records.Extra
	require.NoError(t, json.Unmarshal([]byte(`{"cluster":"c"}`), &old))
	now := records.Drops{"pieces": records.DropTime(droppedAt2026.UnixMilli())}
	require.Empty(t, l.t.Readded(old.Dropped, now))
	require.Equal(t, readded, l.t.Readded(records.Drops{}, now))
	require.Empty(t, l.t.Readded(now, now))
	require.Empty(t, l.t.Readded(records.Drops{}, records.Drops{"gone": 1}))
	require.Equal(t, records.Drops{}, l.dropped)
}

// Servers hide values of a column that are older than its drop. A load of such values does not
// count as done: it does not begin if all are, and rejects the rows that have them.
func TestLoadOfValuesFromBeforeADrop(t *testing.T) {
	s := openShop(t)
	require.NoError(t, s.cluster.DropAndAdd("shop.orders", "pieces", droppedAt2026))
	settings := s.load(t, "customer,number,pieces\nann,1,3\n")
	settings.Timestamp = "2026-01-02T03:04:05Z"
	_, err := s.runLoad(t, settings)
	require.ErrorContains(t, err, `column "pieces" was dropped at 2026-01-02T03:04:05Z and added again: `+
		"the servers hide values that were written before, and --timestamp is earlier")

	settings.SkipCols = []string{"pieces"}
	report, err := s.runLoad(t, settings)
	require.NoError(t, err)
	require.EqualValues(t, 1, report.Written)
	settings.SkipCols, settings.Timestamp = nil, "2026-01-02T03:04:06Z"
	report, err = s.runLoad(t, settings)
	require.NoError(t, err)
	require.EqualValues(t, 1, report.Written)

	settings = s.load(t, "customer,number,pieces,writetime(pieces)\n"+
		"ann,1,3,1767323045000000\nbob,1,3,1767323045000001\neve,1,,\n")
	report, err = s.runLoad(t, settings)
	require.NoError(t, err)
	require.EqualValues(t, 2, report.Written)
	require.EqualValues(t, 1, report.ParseErrors)
	require.Contains(
		t,
		report.Rejects.Causes[0].First.Reason,
		"the column was dropped at 2026-01-02T03:04:05Z and added again",
	)
}

// A load whose table is dropped says so, and names no resume: there is none.
func TestTableDroppedInMidLoad(t *testing.T) {
	for _, via := range []string{spec.ViaCQL, spec.ViaStream} {
		t.Run(via, func(t *testing.T) {
			s := openShopOn(
				t,
				simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}},
			)
			var input strings.Builder
			input.WriteString("customer,number,pieces\n")
			for i := range 2000 {
				fmt.Fprintf(&input, "c%d,1,%d\n", i, i)
			}
			settings := s.load(t, input.String())
			settings.Via = via
			l, err := PrepareLoad(t.Context(), s.env, *settings)
			require.NoError(t, err)
			defer l.Close()
			if via == spec.ViaStream {
				require.NoError(t, s.cluster.Drop("shop.orders"))
			} else {
				writes := func(r simcluster.Request) bool { return len(r.Keys) > 0 }
				s.cluster.Inject(simcluster.Rule{Match: writes, Skip: 5, Times: 1, Do: func() {
					_ = s.cluster.Drop("shop.orders")
				}})
			}
			report, err := l.Run(t.Context())
			require.ErrorContains(t, err, "the table was dropped meanwhile")
			require.ErrorAs(t, err, new(*run.RefusedError))
			require.Equal(t, run.Failed, report.Outcome)
			require.Empty(t, report.Next)
		})
	}
}

// Without a cluster, the schema has the times of drops.
func TestOfflineLoadOfValuesFromBeforeADrop(t *testing.T) {
	s := openShop(t)
	require.NoError(t, os.WriteFile("schema.cql", []byte(
		"CREATE TABLE shop.orders (customer text, number int, pieces int, PRIMARY KEY (customer, number));\n"+
			"ALTER TABLE shop.orders DROP pieces USING TIMESTAMP 1767323045000000;\n"+
			"ALTER TABLE shop.orders ADD pieces int;\n"), 0o600))
	settings := s.load(t, "customer,number,pieces\nann,1,3\n")
	settings.Via, settings.Dir, settings.Schema = spec.ViaFiles, "sstables", "schema.cql"
	settings.Timestamp = "2026-01-02T03:04:05Z"
	_, err := s.runLoad(t, settings)
	require.ErrorContains(t, err, `column "pieces" was dropped at 2026-01-02T03:04:05Z`)
}
