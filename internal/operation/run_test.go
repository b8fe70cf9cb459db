package operation

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// shop is a simulated cluster of three nodes with two empty tables, and the warnings of the
// operations on it.
type shop struct {
	cluster    *simcluster.Cluster
	connection spec.Connection
	env        spec.Environment
	told       []string
}

func openShop(t *testing.T) *shop {
	t.Helper()
	return openShopOn(t, simcluster.Options{Cores: 1})
}

// openShopOn opens the shop on a cluster of some kind.
func openShopOn(t *testing.T, o simcluster.Options) *shop {
	t.Helper()
	o.Base, o.Keyspace, o.Factor = simcluster.Anywhere, "shop", 2
	columns := []simcluster.Column{
		{
			Name: "customer",
			Kind: simcluster.PartitionKey,
			Type: "text",
		},
		{Name: "number", Kind: simcluster.Clustering, Type: "int"},
		{Name: "pieces", Type: "int"},
	}
	o.Tables = append(
		[]simcluster.Table{{Name: "orders", Columns: columns}, {Name: "copies", Columns: columns}},
		o.Tables...)
	cluster, err := simcluster.Start(o)
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	t.Chdir(t.TempDir())
	s := &shop{cluster: cluster, connection: spec.NewConnection(spec.ReadConsistency)}
	s.connection.Hosts, s.connection.Port = cluster.Hosts()[:1], cluster.Port()
	s.env = spec.Environment{
		Stdin:  strings.NewReader(""),
		Stdout: &bytes.Buffer{},
		Build:  version.Info{Version: "test"},
		Warn: func(format string, args ...any) {
			s.told = append(s.told, fmt.Sprintf(format, args...))
		},
	}
	return s
}

var orders = spec.TableName{Keyspace: "shop", Table: "orders"}

// load is the spec of a load of one file.
func (s *shop) load(t *testing.T, text string) *spec.Load {
	t.Helper()
	require.NoError(t, os.WriteFile("in.csv", []byte(text), 0o600))
	settings := spec.NewLoad()
	settings.Connection, settings.Consistency = s.connection, spec.WriteConsistency
	settings.TableName = orders
	settings.Inputs, settings.RunDir = []string{"in.csv"}, "run"
	return settings
}

func (s *shop) runLoad(t *testing.T, settings *spec.Load) (LoadReport, error) {
	t.Helper()
	l, err := PrepareLoad(t.Context(), s.env, *settings)
	require.NoError(t, err)
	defer l.Close()
	return l.Run(t.Context())
}

// loadOrders loads 200 orders, one of each customer.
func (s *shop) loadOrders(t *testing.T) {
	t.Helper()
	var input strings.Builder
	input.WriteString("customer,number,pieces\n")
	for i := range 200 {
		fmt.Fprintf(&input, "c%d,1,%d\n", i, i)
	}
	_, err := s.runLoad(t, s.load(t, input.String()))
	require.NoError(t, err)
}

func (s *shop) runScan(t *testing.T, path string) ScanReport {
	t.Helper()
	settings := spec.NewScan()
	settings.Connection, settings.TableName, settings.Path = s.connection, orders, path
	scan, err := PrepareScan(t.Context(), s.env, *settings)
	require.NoError(t, err)
	defer scan.Close()
	report, err := scan.Run(t.Context())
	require.NoError(t, err)
	return report
}

const (
	threeGood = "customer,number,pieces\nann,1,3\nann,2,x\nbob,1,5\ncid,1,\n"
	mended    = "customer,number,pieces\nann,2,4\n"
)

// A load reports rows that it rejected, and what to do about them. A retry loads them once they are
// corrected. A scan and a count then have the loaded rows.
func TestReports(t *testing.T) {
	s := openShop(t)
	loaded, err := s.runLoad(t, s.load(t, threeGood))
	require.NoError(t, err)
	require.Equal(t, run.Partly, loaded.Outcome)
	require.Equal(t, "shop.orders", loaded.Table)
	require.EqualValues(t, 4, loaded.Read)
	require.EqualValues(t, 3, loaded.Written)
	require.EqualValues(t, 1, loaded.ParseErrors)
	require.EqualValues(t, 3, loaded.Rows)
	require.Equal(t, "LOCAL_QUORUM", loaded.Consistency)
	require.True(t, loaded.Replicated)
	require.Equal(t, []string{"run/rejects.csv"}, loaded.Rejects.Files)
	require.FileExists(t, loaded.Rejects.Reasons)
	require.Equal(t, "pieces", loaded.Rejects.Causes[0].First.Column)
	require.Equal(
		t,
		advice.Step{Command: "retry", RunDir: "run", Edit: []string{"run/rejects.csv"}},
		loaded.Next,
	)

	stood, err := status.Read("run")
	require.NoError(t, err)
	require.Equal(t, &status.End{Outcome: run.Partly}, stood.End)
	require.Equal(t, []advice.Step{loaded.Next}, stood.Load.Next)
	require.Equal(t, loaded.Tally, stood.Load.Tally)

	require.NoError(t, os.WriteFile("run/rejects.csv", []byte(mended), 0o600))
	retry, err := PrepareRetry(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.NoError(t, err)
	again, err := retry.Load.Run(t.Context())
	retry.Load.Close()
	require.NoError(t, err)
	require.Equal(t, run.Done, again.Outcome)
	require.Empty(t, again.Next)
	left, err := retry.LeftOver()
	require.NoError(t, err)
	require.Empty(t, left)

	scanned := s.runScan(t, "out.csv")
	require.Equal(t, run.Done, scanned.Outcome)
	require.True(t, scanned.Whole)
	require.EqualValues(t, 4, scanned.Rows)
	require.Equal(t, loaded.Sum.Add(again.Sum), scanned.Sum)
	require.Equal(t, "out.csv", scanned.Files[0].Name)
	require.FileExists(t, scanned.Manifest)
	require.Empty(t, scanned.RunDir)
	require.Positive(t, scanned.Duration)

	check, err := PrepareVerify(spec.Environment{}, spec.Verify{Paths: []string{"out.csv"}})
	require.NoError(t, err)
	verified, err := check.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, run.Done, verified.Outcome)
	require.Equal(t, scanned.Sum, verified.Sets[0].Sum)

	counting := spec.NewCount()
	counting.Connection, counting.TableName = s.connection, orders
	counting.By, counting.Top = spec.ByPartition, 1
	count, err := PrepareCount(t.Context(), s.env, *counting)
	require.NoError(t, err)
	defer count.Close()
	counted, err := count.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 4, counted.Rows)
	require.Equal(t, []PartitionRows{{Key: [][]byte{[]byte("ann")}, Rows: 2}}, counted.Partitions)
	require.Empty(t, s.told)
}

// A run that was begun and cannot resume is refused as such. A run that cannot begin is a usage
// error.
func TestRefusals(t *testing.T) {
	s := openShop(t)
	settings := s.load(t, threeGood)
	settings.MaxParseErrors = setting.RowLimit{}
	stopped, err := s.runLoad(t, settings)
	require.Error(t, err)
	require.Equal(t, run.Failed, stopped.Outcome)
	require.Equal(t, stopped.Limit, err)
	require.Equal(
		t,
		advice.Step{
			Command:  "resume",
			RunDir:   "run",
			Settings: []advice.Setting{{Name: "maxparseerrors", Texts: []string{"-1"}}},
		},
		stopped.Next,
	)

	var refused *run.RefusedError
	_, err = PrepareRetry(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.EqualError(
		t,
		err,
		"run run failed before its end: resume it first, as this says: cqlbulk status run",
	)
	require.NotErrorAs(t, err, &refused)
	_, err = PrepareLoad(t.Context(), s.env, *settings)
	require.EqualError(
		t,
		err,
		"--run-dir run: the folder is not empty: each run needs one of its own",
	)

	later := time.Now().Add(-time.Hour) // the same bytes with another time: a copy, or a touch
	require.NoError(t, os.Chtimes("in.csv", later, later))
	touched, err := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.NoError(t, err)
	touched.Load.Close()
	require.NoError(
		t,
		os.WriteFile("in.csv", []byte(strings.Replace(threeGood, "bob", "bot", 1)), 0o600),
	)
	_, err = PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.ErrorContains(
		t,
		err,
		"in.csv was changed since the run began: it does not begin and end with the same bytes",
	)
	require.NoError(t, os.WriteFile("in.csv", []byte(threeGood+"dan,1,1\n"), 0o600))
	_, err = PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.ErrorContains(
		t,
		err,
		"in.csv has 62 bytes instead of 54: it was changed since the run began",
	)
	require.ErrorAs(t, err, &refused)

	_, err = PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "nowhere"})
	require.Error(t, err)
	require.NotErrorAs(t, err, new(*run.RefusedError))

	s.runScan(t, "out.csv")
	other := spec.NewScan()
	other.Connection, other.TableName, other.Path = s.connection, orders, "out.csv"
	_, err = PrepareScan(t.Context(), s.env, *other)
	require.ErrorContains(t, err, "out.csv")
	require.NotErrorAs(t, err, new(*run.RefusedError))
}

// A stopped load resumes with a setting that was typed for it.
func TestResume(t *testing.T) {
	s := openShop(t)
	settings := s.load(t, threeGood)
	settings.MaxParseErrors = setting.RowLimit{}
	_, err := s.runLoad(t, settings)
	require.Error(t, err)
	of, err := PrepareResume(
		t.Context(),
		s.env,
		spec.Resume{RunDir: "run", Changes: setting.Changes{
			Values: setting.Values{
				"maxparseerrors": {"1"},
				"rate":           {"5"},
			},
			Typed: setting.Given{"maxparseerrors": true},
		}},
	)
	require.NoError(t, err)
	require.Nil(t, of.Scan)
	defer of.Load.Close()
	report, err := of.Load.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, run.Partly, report.Outcome)
	require.EqualValues(t, 4, report.Read)
	require.EqualValues(t, 3, report.Written)
}

// Before a resumed load sends its first request, its counters have the rows, the text and the work
// of earlier runs.
func TestResumeBeginsWithWhatWasDone(t *testing.T) {
	s := openShop(t)
	settings := s.load(t, "customer,number,pieces\nann,1,3\n")
	const more = "customer,number,pieces\nbob,1,5\n"
	require.NoError(t, os.WriteFile("more.csv", []byte(more), 0o600))
	settings.Inputs = append(settings.Inputs, "more.csv")
	settings.MaxBatchSize = 1
	settings.InFlight = 1
	met := make(chan struct{})
	writes := func(r simcluster.Request) bool { return len(r.Keys) > 0 }
	stall := s.cluster.Inject(
		simcluster.Rule{
			Match: writes,
			Skip:  1,
			Fault: simcluster.Silence,
			Do:    sync.OnceFunc(func() { close(met) }),
		},
	)
	l, err := PrepareLoad(t.Context(), s.env, *settings)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := l.Run(ctx)
		ended <- err
	}()
	<-met
	require.Eventually(t, func() bool {
		status, err := status.Read("run")
		return err == nil && status.Load.Tally.Written == 1
	}, time.Minute, time.Millisecond)
	stop()
	require.Error(t, <-ended)
	l.Close()
	stall.Remove()

	of, err := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.NoError(t, err)
	defer of.Load.Close()
	c := of.Load.Counters()
	begun := c.ReadNow(time.Now())
	require.EqualValues(t, 1, begun.Rows)
	require.EqualValues(t, 1, begun.Earlier)
	require.InDelta(t, 0.65, *begun.Share, 0.3, "one of two rows, and the headers")
	require.Positive(t, begun.Bytes)
	require.Equal(t, begun.Bytes, begun.EarlierBytes)
	report, err := of.Load.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, report.Written)
	require.EqualValues(t, 2, c.Rows.Load())
	require.Equal(t, c.Total.Load(), c.Done.Load())
}
