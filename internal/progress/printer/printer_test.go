package printer

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A reading is reported at every interval, and none after the printer has been stopped.
func TestReadingsAreTold(t *testing.T) {
	counters := &progress.Counters{}
	counters.Rows.Store(7)
	told := make(chan progress.Reading)
	stop := Start(
		t.Context(),
		"scan ks.t",
		counters,
		Options{Interval: time.Millisecond, Report: func(r progress.Reading) {
			select {
			case told <- r:
			default:
			}
		}},
	)
	r := <-told
	stop()
	require.Equal(t, "scan ks.t", r.Run)
	require.EqualValues(t, 7, r.Rows)
	select {
	case <-told:
		t.Fatal("reported after the end")
	default:
	}
}

// Without a terminal there is no live line, and with an interval of 0 there are no readings.
func TestNothingIsShown(t *testing.T) {
	var out bytes.Buffer
	Start(
		t.Context(),
		"scan ks.t",
		&progress.Counters{},
		Options{Screen: &out, Report: func(progress.Reading) { t.Error("told") }},
	)()
	Start(t.Context(), "scan ks.t", &progress.Counters{}, Options{Interval: DefaultInterval})()
	require.Empty(t, out.String())
}

// The printer ends with the run's context, and stop may be called after that.
func TestStopAfterCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stop := Start(
		ctx,
		"scan ks.t",
		&progress.Counters{},
		Options{Interval: DefaultInterval, Report: func(progress.Reading) {}},
	)
	cancel()
	stop()
	stop()
}
