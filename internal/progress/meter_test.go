package progress

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var midnight = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// A resumed run has the rows and the share of both runs, and its own speed.
func TestReadingOfARunThatGoesOn(t *testing.T) {
	var c Counters
	m := NewMeter("load ks.t", &c, midnight)
	c.Rows.Store(50_000)
	c.Earlier.Store(50_000)
	c.Bytes.Store(1 << 20)
	c.EarlierBytes.Store(1 << 20)
	c.Total.Store(1000)
	c.Done.Store(500)
	c.Before.Store(500)
	r := m.Read(midnight.Add(5 * time.Second))
	require.Equal(t, "load ks.t", r.Run)
	require.InDelta(t, 0.5, *r.Share, 1e-9)
	require.Zero(t, r.RowsPerSecond+r.BytesPerSecond+r.Left)
	c.Rows.Store(60_000)
	c.Bytes.Store(2 << 20)
	c.Done.Store(600)
	r = m.Read(midnight.Add(10 * time.Second))
	require.EqualValues(t, 60_000, r.Rows)
	require.EqualValues(t, 50_000, r.Earlier)
	require.InDelta(t, 1000, r.RowsPerSecond, 1e-9)
	require.InDelta(t, 104857.6, r.BytesPerSecond, 1e-6)
	require.InDelta(t, 40, r.Left, 1e-9, "by the ten seconds in which 100 were done")
}

// A load that writes all rows at its end has done nothing until then. Its stages have shares of
// their own.
func TestReadingOfALoadThatWritesAtItsEnd(t *testing.T) {
	var c Counters
	m := NewMeter("load ks.t", &c, midnight)
	c.Stage.Begin(StageSorting, StageSending)
	c.Total.Store(1000)
	m.Read(midnight)
	c.Ready.Store(50_000)
	c.Slice.Add(500)
	r := m.Read(midnight.Add(5 * time.Second))
	require.Zero(t, r.Rows)
	require.EqualValues(t, 50_000, r.Ready)
	require.InDelta(t, 10_000, r.RowsPerSecond, 1e-9)
	require.Zero(t, *r.Share)
	require.Zero(t, r.Left, "how long it takes to send is not known")
	require.InDelta(t, 0.5, *r.Stage.Share, 1e-9)
	require.InDelta(t, 5, r.Stage.Left, 1e-9)
	seconds, of := r.LeftOf()
	require.InDelta(t, 5, seconds, 1e-9)
	require.Equal(t, "read", of)

	c.Slice.Add(500)
	c.Slice.Deliver(0.5, 0)
	c.Stage.Deliver(500, 0, 1000)
	r = m.Read(midnight.Add(6 * time.Second))
	require.Zero(t, *r.Share)
	require.Zero(t, r.RowsPerSecond, "no row is read")
	require.InDelta(t, 0.5, *r.Stage.Share, 1e-9)

	c.Slice.Deliver(1, 0.25)
	c.Stage.Deliver(1000, 250, 1000)
	r = m.Read(midnight.Add(7 * time.Second))
	require.InDelta(t, 0.25, *r.Share, 1e-9)
	require.InDelta(t, 0.25, *r.Stage.Share, 1e-9)
	c.Slice.Complete(1000, &c.Done, 1000)
	c.Rows.Store(50_000)
	c.End(8 * time.Second)
	r = m.Read(midnight.Add(8 * time.Second))
	require.Zero(t, r.Ready)
	require.Nil(t, r.Stage)
	require.InDelta(t, 1, *r.Share, 1e-9)
}

// A resumed load has read what the earlier run had loaded, and that does not count for its speed.
func TestReadingOfAResumedLoadByStreaming(t *testing.T) {
	var c Counters
	m := NewMeter("load ks.t", &c, midnight)
	c.Stage.Begin(StageSorting, StageSending)
	c.Total.Store(1000)
	m.Read(midnight)
	c.Rows.Store(400)
	c.Earlier.Store(400)
	c.Before.Store(400)
	c.Done.Store(400)
	r := m.Read(midnight.Add(time.Second))
	require.EqualValues(t, 400, r.Stage.Done)
	require.InDelta(t, 0.4, *r.Stage.Share, 1e-9)
	require.Zero(t, r.Stage.PerSecond)
	c.Ready.Store(100)
	c.Slice.Add(100)
	r = m.Read(midnight.Add(2 * time.Second))
	require.EqualValues(t, 500, r.Stage.Done)
	require.InDelta(t, 0.5, *r.Stage.Share, 1e-9)
	require.InDelta(t, 100, r.Stage.PerSecond, 1e-9)
}

// What an interrupted load had read and sent of a slice is not done.
func TestEndOfALoadThatWasSending(t *testing.T) {
	var c Counters
	c.Stage.Begin(StageSorting, StageSending)
	c.Total.Store(1000)
	c.Done.Store(400)
	c.Slice.Add(400)
	c.Slice.Deliver(1, 0.5)
	share, _ := c.Share()
	require.InDelta(t, 0.6, share, 1e-9)
	c.End(time.Second)
	share, _ = c.Share()
	require.InDelta(t, 0.4, share, 1e-9)
}

func TestReadingOfRequests(t *testing.T) {
	var c Counters
	m := NewMeter("load ks.t", &c, midnight)
	c.Requests.SetGate("a", fixed(8))
	c.Requests.Begin("a")
	c.Requests.end("a", midnight, midnight.Add(20*time.Millisecond), Answered)
	c.Requests.Begin("a")
	c.Latency.Set(10 * time.Millisecond)
	c.Latency.Record(
		LatencyRecord{
			P99:     7 * time.Millisecond,
			Seconds: 4,
			Above:   1,
			Worst:   30 * time.Millisecond,
			Idle:    time.Millisecond,
		},
	)
	r := m.Read(midnight.Add(time.Second))
	require.EqualValues(t, 1, r.UnderWay)
	require.Equal(t, 8, r.Limit)
	require.InEpsilon(t, 0.02, r.P99, 0.07)
	require.InDelta(t, 0.01, r.Target, 1e-9)
	require.InDelta(t, 0.007, r.Held, 1e-9)
	require.Nil(t, r.Share)
	require.Zero(t, m.Read(midnight.Add(time.Minute)).P99, "what is long past is not now")
}

func TestSpeed(t *testing.T) {
	at := func(seconds float64) time.Time {
		return midnight.Add(time.Duration(seconds * float64(time.Second)))
	}
	var s speed
	s.begin(midnight, 0)
	require.Zero(t, s.observe(at(0), 0, Window), "no time has gone by")
	require.EqualValues(t, 100, s.observe(at(1), 100, Window))
	require.EqualValues(t, 200, s.observe(at(2), 400, Window))
	require.Zero(t, s.observe(at(13), 400, Window), "nothing for longer than the window")
	require.EqualValues(t, 600, s.observe(at(14), 1000, Window))
	for i := range 1000 {
		s.observe(at(14+float64(i)/10), float64(1000+10*i), Window)
	}
	require.LessOrEqual(t, len(s.samples), 102, "no more is kept than the window holds")
	require.InDelta(t, 100, s.observe(at(114), 11000, Window), 1)
}

// If the clock goes backward or far ahead, no figure becomes negative or infinite. After a window
// the speed is correct again.
func TestSpeedOfAClockThatJumps(t *testing.T) {
	var s speed
	s.begin(midnight, 0)
	now, n := midnight, 0.0
	for _, jump := range []time.Duration{0, -time.Hour, 24 * time.Hour} {
		now = now.Add(jump)
		for range 15 {
			now, n = now.Add(time.Second), n+100
			got := s.observe(now, n, Window)
			require.GreaterOrEqual(t, got, 0.0)
			require.False(t, math.IsInf(got, 0) || math.IsNaN(got))
		}
		require.LessOrEqual(t, len(s.samples), 50)
		if jump >= 0 {
			require.InDelta(t, 100, s.since(Window), 1e-9)
		}
	}
}

// leftOf plays a run that does a share of the work each second. It returns its time left, second by
// second.
func leftOf(shares ...float64) (all []float64) {
	var c Counters
	m := NewMeter("", &c, midnight)
	const total = 1 << 40
	c.Total.Store(total)
	done := 0.0
	for i, share := range shares {
		done += share
		c.Done.Store(int64(done * total))
		all = append(all, m.Read(midnight.Add(time.Duration(i+1)*time.Second)).Left)
	}
	return all
}

func times(n int, share float64) (all []float64) {
	for range n {
		all = append(all, share)
	}
	return all
}

// Nothing is estimated in the first seconds.
func TestLeftBegins(t *testing.T) {
	left := leftOf(times(10, 0.01)...)
	require.Equal(t, times(4, 0), left[:4])
	require.InDelta(t, 95, left[4], 0.1)
	require.InDelta(t, 90, left[9], 0.1)
	require.Zero(t, leftOf(times(10, 0.00001)...)[9], "too little was done to go by")
}

// The time left follows the recent speed, and not that of the whole run.
func TestLeftOfARunThatSlows(t *testing.T) {
	left := leftOf(append(times(10, 0.09), times(20, 0.001)...)...)
	require.InDelta(t, 1.1, left[9], 0.1)
	require.Greater(t, left[15], 70.0, "six seconds after the pace fell to a ninetieth")
	require.InDelta(t, 80, left[29], 1)
}

// While nothing is done, there is no estimate.
func TestLeftOfARunThatStands(t *testing.T) {
	left := leftOf(append(append(times(10, 0.05), times(10, 0)...), times(5, 0.05)...)...)
	require.Zero(t, left[19])
	require.Positive(t, left[24])
	require.Less(t, left[24], 20.0, "five seconds after it began again")
}

// If the speed varies, the estimate varies little.
func TestLeftIsSmooth(t *testing.T) {
	var shares []float64
	for i := range 40 {
		shares = append(shares, 0.005+0.01*float64(i%2))
	}
	left := leftOf(shares...)
	for i := 6; i < len(left); i++ {
		require.InDelta(t, left[i-1]-1, left[i], 12, "%d", i)
	}
}

// The earlier part of a resumed run does not count for its speed.
func TestLeftOfAResumedRun(t *testing.T) {
	var c Counters
	m := NewMeter("", &c, midnight)
	m.Read(midnight)
	c.Total.Store(1000)
	c.Before.Store(800)
	c.Done.Store(800)
	for second := 1; second <= 10; second++ {
		c.Done.Add(10)
		r := m.Read(midnight.Add(time.Duration(second) * time.Second))
		if second >= 5 {
			require.InDelta(t, 20-second, r.Left, 1e-6)
		}
	}
}

// All callers within a tick get the same reading.
func TestOneReadingForAll(t *testing.T) {
	var c Counters
	c.Total.Store(10)
	first := c.Read(midnight)
	c.Rows.Store(7)
	c.Done.Store(5)
	require.Equal(t, first, c.Read(midnight.Add(Tick-1)))
	second := c.Read(midnight.Add(Tick))
	require.EqualValues(t, 7, second.Rows)
	require.InDelta(t, 0.5, *second.Share, 1e-9)
	c.Rows.Store(8)
	require.EqualValues(t, 8, c.ReadNow(midnight.Add(Tick+1)).Rows)
	require.EqualValues(t, 8, c.Read(midnight.Add(Tick+2)).Rows)
	c.Rows.Store(9)
	require.EqualValues(t, 9, c.Read(midnight.Add(-time.Hour)).Rows, "the clock went backward")
	require.EqualValues(t, 9, c.Read(midnight.Add(-time.Hour)).Rows)
}

// Rows of unfinished partitions are shown, with their speed, and do not count as rows of the run.
func TestUnfinishedPartitions(t *testing.T) {
	c, begin := new(Counters), time.Unix(1, 0)
	m := NewMeter("", c, begin)
	c.Unfinished.Store(300)
	r := m.Read(begin.Add(time.Second))
	require.EqualValues(t, 300, r.Ready)
	require.InDelta(t, 300, r.RowsPerSecond, 1e-9)
	require.Zero(t, r.Rows)
	c.Unfinished.Store(0)
	c.Rows.Store(400)
	r = m.Read(begin.Add(2 * time.Second))
	require.Zero(t, r.Ready)
	require.EqualValues(t, 400, r.Rows)
	require.InDelta(t, 200, r.RowsPerSecond, 1e-9)
}
