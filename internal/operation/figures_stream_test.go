package operation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// impossibleStage names a figure of a run by streaming that cannot be; empty: none.
func impossibleStage(before, now progress.Reading) string {
	for name, figure := range map[string]float64{"left": now.Left, "streamed": float64(len(now.Streams))} {
		if figure < 0 {
			return fmt.Sprintf("%s %v", name, figure)
		}
	}
	if in := now.Receiving; in != nil {
		switch {
		case in.Received < 0 || in.PerSecond < 0 || in.Left < 0:
			return fmt.Sprintf("receiving %+v", *in)
		case in.All && (in.PerSecond > 0 || in.Received != in.Announced):
			return fmt.Sprintf("all received, and %+v", *in)
		}
	}
	s := now.Stage
	switch {
	case s == nil:
		return ""
	case s.Done < 0 || s.PerSecond < 0 || s.Left < 0 || s.Total > 0 && s.Done > s.Total:
		return fmt.Sprintf("stage %+v", *s)
	case s.Share == nil || now.Share == nil:
		return "a stage without a share"
	case *s.Share < 0 || *s.Share > 1 || *s.Share < *now.Share-1e-9:
		return fmt.Sprintf("%s %v, but %v is done", s.Name, *s.Share, *now.Share)
	case s.Name != progress.StageReading && now.RowsPerSecond > 0:
		return fmt.Sprintf("%v rows/s while %s", now.RowsPerSecond, s.Name)
	case before.Stage != nil && before.Stage.Name == s.Name && *s.Share < *before.Stage.Share-1e-9:
		return fmt.Sprintf("%s %v after %v", s.Name, *s.Share, *before.Stage.Share)
	}
	return ""
}

// longOrders are rows whose keys are so long, and so hard to compress, that some thousands of them
// are several slices.
func longOrders(rows int) string {
	text := strings.Builder{}
	text.WriteString("customer,number,pieces\n")
	random := rand.NewChaCha8([32]byte{})
	key := make([]byte, 512)
	for i := range rows {
		_, _ = random.Read(key) // it cannot fail
		fmt.Fprintf(&text, "%x,%d,%d\n", key, i, i)
	}
	return text.String()
}

// Loads, scans, counts and clones by streaming show no figure that cannot be, and at the end all is
// done.
func TestFiguresOfStreamedRunsAreTrue(t *testing.T) {
	for _, slices := range []bool{false, true} {
		t.Run(fmt.Sprint("slices ", slices), func(t *testing.T) {
			const rows = 4000
			s := openShopOn(
				t,
				simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}},
			)
			ends := func(last progress.Reading, err error) {
				t.Helper()
				require.NoError(t, err)
				require.EqualValues(t, rows, last.Rows)
				require.NotNil(t, last.Share)
				require.InDelta(t, 1, *last.Share, 1e-9)
				require.Nil(t, last.Stage)
				if in := last.Receiving; in != nil {
					require.True(t, in.All)
					require.Positive(t, in.Received)
					require.InDelta(t, 1, *in.Share, 1e-9)
				}
			}
			settings := s.load(t, longOrders(rows))
			settings.Via = spec.ViaStream
			if slices {
				settings.Slice = spec.MinSlice
			}
			l, err := PrepareLoad(t.Context(), s.env, *settings)
			require.NoError(t, err)
			ends(watching(t, l.Counters(), rows, func() {
				var r LoadReport
				r, err = l.Run(t.Context())
				l.Close()
				require.Equal(t, slices, r.Stream.Slices > 1)
			}), err)

			reading := spec.Reading{Via: spec.ViaStream, Listen: "127.0.0.1:0"}
			if slices {
				reading.Slice = spec.MinSlice
			}
			scanned := spec.NewScan()
			scanned.Connection, scanned.TableName, scanned.Path = s.connection, orders, "out.csv"
			scanned.Via, scanned.Listen, scanned.Slice = reading.Via, reading.Listen, reading.Slice
			scan, err := PrepareScan(t.Context(), s.env, *scanned)
			require.NoError(t, err)
			ends(watching(t, scan.Counters(), rows, func() {
				_, err = scan.Run(t.Context())
				scan.Close()
			}), err)

			counted := spec.NewCount()
			counted.Connection, counted.TableName = s.connection, orders
			counted.Via, counted.Listen, counted.Slice = reading.Via, reading.Listen, reading.Slice
			count, err := PrepareCount(t.Context(), s.env, *counted)
			require.NoError(t, err)
			ends(watching(t, count.Counters(), rows, func() {
				_, err = count.Run(t.Context())
				count.Close()
			}), err)

			cloned := s.clone()
			cloned.From.Slice = reading.Slice
			clone, err := PrepareClone(t.Context(), s.env, *cloned)
			require.NoError(t, err)
			ends(watching(t, clone.Counters(), rows, func() {
				_, err = clone.Run(t.Context())
				clone.Close()
			}), err)
		})
	}
}

// A scan by streaming that is interrupted shows the share that status has: what was received and
// not read is received again.
func TestShareOfAnInterruptedStreamedScan(t *testing.T) {
	s := openStore(t)
	more, err := s.runLoad(t, func() *spec.Load {
		settings := s.load(t, longOrders(9000))
		settings.RunDir = "more"
		return settings
	}())
	require.NoError(t, err)
	require.Equal(t, run.Done, more.Outcome)
	ctx, interrupt := context.WithCancel(t.Context())
	settings := s.spec()
	settings.Slice = spec.MinSlice
	scan, err := PrepareScan(ctx, s.env, *settings)
	require.NoError(t, err)
	defer scan.Close()
	s.let(func() {
		s.meet = func(node int) {
			// the first time is for the size, and the second one for the first piece
			if s.askedOf(node) > 2 {
				for scan.Counters().Done.Load() == 0 && ctx.Err() == nil {
					runtime.Gosched()
				}
				interrupt()
			}
		}
	})
	r, err := scan.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, run.Interrupted, r.Outcome)
	last := scan.Counters().ReadNow(time.Now())
	status, err := status.Read("run")
	require.NoError(t, err)
	require.NotNil(t, status.Share())
	require.Positive(t, *last.Share)
	require.Less(t, *last.Share, 1.0)
	require.InDelta(t, *status.Share(), *last.Share, 1e-9)
	require.Equal(t, status.Scan.Rows, last.Rows)

	resumed, err := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.NoError(t, err)
	defer resumed.Scan.Close()
	require.InDelta(
		t,
		*last.Share,
		*resumed.Scan.Counters().Read(time.Now()).Share,
		1e-9,
		"it continues from there",
	)
}

// So does one by CQL, which may have read a part of a range.
func TestShareOfAnInterruptedScan(t *testing.T) {
	s := openShop(t)
	text := strings.Builder{}
	text.WriteString("customer,number,pieces\n")
	for i := range 300 {
		fmt.Fprintf(&text, "c%d,1,1\n", i)
	}
	_, err := s.runLoad(t, s.load(t, text.String()))
	require.NoError(t, err)
	ctx, interrupt := context.WithCancel(t.Context())
	settings := spec.NewScan()
	settings.Connection, settings.TableName, settings.Path, settings.RunDir = s.connection, orders, "out.csv", "scan"
	settings.PageSize, settings.Parallel, settings.Splits = 1, 1, 3
	scan, err := PrepareScan(ctx, s.env, *settings)
	require.NoError(t, err)
	defer scan.Close()
	s.cluster.Inject(simcluster.Rule{
		Match: func(r simcluster.Request) bool { return r.Table == "shop.orders" && scan.Counters().Rows.Load() > 20 },
		Fault: simcluster.Silence,
		Do:    interrupt,
	})
	r, err := scan.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, run.Interrupted, r.Outcome)
	last := scan.Counters().ReadNow(time.Now())
	status, err := status.Read("scan")
	require.NoError(t, err)
	require.Positive(t, *last.Share)
	require.InDelta(t, *status.Share(), *last.Share, 1e-9)
}
