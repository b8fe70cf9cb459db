package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var midnight = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// A run that goes on with another has the rows and the share of both, and its own pace.
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
	require.InDelta(t, 40, r.Left, 1e-9)
}

// A load that writes all rows at its end shows those that are made, and that half is done with them.
func TestReadingOfALoadThatWritesAtItsEnd(t *testing.T) {
	var c Counters
	m := NewMeter("load ks.t", &c, midnight)
	c.Total.Store(1000)
	c.Ready.Store(50_000)
	c.Half.Store(500)
	r := m.Read(midnight.Add(5 * time.Second))
	require.Zero(t, r.Rows)
	require.EqualValues(t, 50_000, r.Ready)
	require.InDelta(t, 10_000, r.RowsPerSecond, 1e-9)
	require.InDelta(t, 15, r.Left, 1e-9)
	require.InDelta(t, 0.25, *r.Share, 1e-9)
	c.Part.Store(Whole / 2)
	require.InDelta(t, 0.375, *m.Read(midnight.Add(6 * time.Second)).Share, 1e-9)
	c.Rows.Store(50_000)
	require.Zero(t, m.Read(midnight.Add(7*time.Second)).Ready)
}

func TestReadingOfRequests(t *testing.T) {
	var c Counters
	m := NewMeter("load ks.t", &c, midnight)
	c.Requests.SetGate("a", fixed(8))
	c.Requests.Begin("a")
	c.Requests.end("a", midnight, midnight.Add(20*time.Millisecond), true)
	c.Requests.Begin("a")
	c.Held.Hold(10 * time.Millisecond)
	c.Held.Note(Kept{P99: 7 * time.Millisecond, Seconds: 4, Above: 1, Worst: 30 * time.Millisecond, Idle: time.Millisecond})
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
	at := func(seconds float64) time.Time { return midnight.Add(time.Duration(seconds * float64(time.Second))) }
	var s speed
	s.begin(midnight)
	require.Zero(t, s.observe(at(0), 0), "no time has gone by")
	require.EqualValues(t, 100, s.observe(at(1), 100))
	require.EqualValues(t, 200, s.observe(at(2), 400))
	require.Zero(t, s.observe(at(13), 400), "nothing for longer than the window")
	require.EqualValues(t, 600, s.observe(at(14), 1000))
	for i := range 1000 {
		s.observe(at(14+float64(i)/10), int64(1000+10*i))
	}
	require.LessOrEqual(t, len(s.samples), 102, "no more is kept than the window holds")
	require.InDelta(t, 100, s.observe(at(114), 11000), 1)
}
