package printer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345", 123456: "123,456", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		require.Equal(t, want, Count(n))
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 20: "1.0 MiB", 378 << 20: "378.0 MiB",
		5 << 30: "5.0 GiB", 1 << 40: "1.0 TiB", 3000 << 40: "3000.0 TiB",
	} {
		require.Equal(t, want, Size(n))
	}
}

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0s", 40 * time.Millisecond: "0.0s", 50 * time.Millisecond: "0.1s", 1234 * time.Millisecond: "1.2s",
		59940 * time.Millisecond: "59.9s", 59960 * time.Millisecond: "1m0s", time.Minute: "1m0s",
		61700 * time.Millisecond: "1m2s", 2*time.Hour + 3*time.Second: "2h0m3s",
	} {
		require.Equal(t, want, Elapsed(d))
	}
}

// A run that goes on with another has the rows and the share of both, and its own pace.
func TestStandingOfARunThatGoesOn(t *testing.T) {
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	var c progress.Counters
	c.Rows.Store(50_000)
	c.Earlier.Store(50_000)
	c.Total.Store(1000)
	c.Done.Store(500)
	c.Before.Store(500)
	o := newObserver(begin)
	require.Equal(t, standing{"50,000 rows (50,000 before)", "0 rows/s", "", ""}, o.observe(begin.Add(5*time.Second), &c))
	c.Rows.Store(60_000)
	c.Done.Store(600)
	require.Equal(t, standing{"60,000 rows (50,000 before)", "1,000 rows/s", "40s left", ""}, o.observe(begin.Add(10*time.Second), &c))
}

func TestRate(t *testing.T) {
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return begin.Add(time.Duration(seconds * float64(time.Second))) }
	r := newRate(begin)
	require.EqualValues(t, 0, r.observe(at(0), 0), "no time has gone by")
	require.EqualValues(t, 100, r.observe(at(1), 100))
	require.EqualValues(t, 200, r.observe(at(2), 400))
	require.EqualValues(t, 0, r.observe(at(13), 400), "nothing for longer than the window")
	require.EqualValues(t, 600, r.observe(at(14), 1000))
	for i := range 1000 {
		r.observe(at(14+float64(i)/10), int64(1000+10*i))
	}
	require.LessOrEqual(t, len(r.samples), 102, "no more is kept than the window holds")
	require.EqualValues(t, 100, r.observe(at(114), 11000))
}

// A load that writes all rows at its end shows those that are made, and that half is done with them.
func TestStandingOfALoadThatWritesAtItsEnd(t *testing.T) {
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	var c progress.Counters
	c.Total.Store(1000)
	c.Ready.Store(50_000)
	c.Half.Store(500)
	o := newObserver(begin)
	require.Equal(t, standing{"0 rows and 50,000 ready", "10,000 rows/s", "15s left", ""}, o.observe(begin.Add(5*time.Second), &c))
	share, known := c.Share()
	require.True(t, known)
	require.InDelta(t, 0.25, share, 1e-9)
	c.Part.Store(progress.Whole / 2)
	share, _ = c.Share()
	require.InDelta(t, 0.375, share, 1e-9)
	c.Rows.Store(50_000)
	require.Equal(t, "50,000 rows", o.observe(begin.Add(6*time.Second), &c).rows)
}

// What nodes were streamed is told as the least and the most of them.
func TestStandingOfWhatNodesWereSent(t *testing.T) {
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	var c progress.Counters
	o := newObserver(begin)
	require.Empty(t, o.observe(begin, &c).sent)
	c.Streams.To("b").Sessions.Store(1)
	require.Empty(t, o.observe(begin, &c).sent, "SSTables that are kept in a folder are sent nowhere")
	c.Streams.To("b").Bytes.Store(3 << 20)
	c.Streams.To("b").Sessions.Store(2)
	c.Streams.To("a").Bytes.Store(3 << 20)
	require.Equal(t, "3.0 MiB sent to each of 2 nodes, 2 sessions", o.observe(begin, &c).sent)
	c.Streams.To("a").Bytes.Store(1 << 20)
	require.Equal(t, "1.0 MiB to 3.0 MiB sent to each of 2 nodes, 2 sessions", o.observe(begin, &c).sent)
	require.Contains(t, fit("load", &c, o.observe(begin, &c), 200), " rows/s 1.0 MiB to 3.0 MiB sent to each of 2 nodes, 2 sessions")
	require.Equal(t, []progress.Streamed{{Node: "a", Bytes: 1 << 20}, {Node: "b", Bytes: 3 << 20, Sessions: 2}}, c.Streams.List())
}
