package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// played is a streaming load that is played second by second.
type played struct {
	c   Counters
	m   *Meter
	now time.Time
}

func newPlayed(total int64) *played {
	p := &played{now: midnight}
	p.m = NewMeter("", &p.c, p.now)
	p.c.Total.Store(total)
	p.c.Stage.Begin(StageSorting, StageSending)
	return p
}

func (p *played) second() Reading {
	p.now = p.now.Add(time.Second)
	return p.m.Read(p.now)
}

// slice plays a slice. read, sort and send are the seconds that its stages take. It returns a
// reading for each second.
func (p *played) slice(units int64, read, sort, send int) (all []Reading) {
	for range read {
		p.c.Slice.Add(units / int64(read))
		p.c.Ready.Add(units / int64(read))
		all = append(all, p.second())
	}
	for i := 1; i < sort; i++ {
		p.c.Slice.Deliver(float64(i)/float64(sort), 0)
		p.c.Stage.Deliver(units*int64(i)/int64(sort), 0, units)
		all = append(all, p.second())
	}
	for i := 1; i <= send; i++ {
		p.c.Slice.Deliver(1, float64(i)/float64(send))
		p.c.Stage.Deliver(units, units*int64(i)/int64(send), units)
		all = append(all, p.second())
	}
	p.c.Slice.Complete(units, &p.c.Done, units)
	p.c.Slice.Restart()
	p.c.Rows.Add(units)
	p.c.Stage.Read()
	return all
}

// The time left of a load of one slice is known while it is sent. Before that, each stage has its
// own.
func TestLeftOfOneSlice(t *testing.T) {
	p := newPlayed(12_000)
	all := p.slice(12_000, 20, 10, 30)
	for i, r := range all[:29] {
		require.Zero(t, r.Left, "%d", i)
		require.Zero(t, *r.Share, "%d", i)
	}
	require.InDelta(t, 10, all[9].Stage.Left, 0.1)
	require.Equal(t, StageReading, all[9].Stage.Name)
	require.Equal(t, StageSorting, all[27].Stage.Name)
	require.InDelta(t, 2, all[27].Stage.Left, 0.2)
	require.Zero(t, all[len(all)-1].Left, "how long nodes take to have it is not known")
	require.True(t, all[len(all)-1].Stage.Waiting)
	sent := all[29:]
	for i, r := range sent {
		require.InDelta(t, float64(i+1)/30, *r.Share, 0.001)
		if i >= 6 && i < 29 {
			require.InDelta(t, 29-i, r.Left, 0.5, "%d", i)
		}
	}
}

// From the second slice on it is always known, from the slices before.
func TestLeftOfSeveralSlices(t *testing.T) {
	p := newPlayed(40_000)
	var all []Reading
	for range 4 {
		all = append(all, p.slice(10_000, 10, 5, 20)...) // 34 readings
	}
	for i, r := range all {
		require.LessOrEqual(t, *r.Share, float64(i+1)/float64(len(all)))
		if i > 0 {
			require.GreaterOrEqual(t, *r.Share, *all[i-1].Share)
		}
		if i > 36 {
			require.InDelta(t, len(all)-1-i, r.Left, 12, "%d %s", i, r.Stage.Name)
		}
	}
	require.InDelta(t, 1, *all[len(all)-1].Share, 1e-5)
	require.Less(t, *all[len(all)-1].Share, 1.0, "nodes have not said that they have all")
}

// receiving makes the counters of a run of 8,000 units to which nodes send 80,000 bytes, and their
// meter.
func receiving() (*Counters, *Meter, *Receipt) {
	c, r := new(Counters), new(Receipt)
	m := NewMeter("", c, midnight)
	c.Receipt.Store(r)
	c.Total.Store(8000)
	r.Announced.Store(80_000)
	return c, m, r
}

// A scan that waits for the nodes' data ends soon after they have sent all.
func TestLeftOfWhatIsReceived(t *testing.T) {
	c, m, r := receiving()
	for i := 1; i <= 80; i++ {
		r.Received.Add(1000)
		r.All.Store(i == 80)
		if i%10 == 0 { // a piece is complete
			c.Done.Add(1000)
		}
		now := m.Read(midnight.Add(time.Duration(i) * time.Second))
		require.InDelta(t, float64(i/10)/8, *now.Share, 1e-9)
		seconds, of := now.LeftOf()
		switch {
		case i < 5:
			require.Zero(t, seconds)
		case i < 10:
			require.Equal(t, "receive", of)
			require.InDelta(t, 80-i, seconds, 1)
		default:
			require.Empty(t, of)
			require.InDelta(t, 80-i, seconds, 2, "%d", i)
		}
	}
}

// If reading is slower than receiving, the rest of what was received has still to be read.
func TestLeftOfWhatIsReadSlowly(t *testing.T) {
	c, m, r := receiving()
	for i := 1; i <= 80; i++ {
		c.Done.Add(100)
		r.Received.Store(min(int64(i+10)*1000, 80_000))
		r.All.Store(i >= 70)
		now := m.Read(midnight.Add(time.Duration(i) * time.Second))
		if i > 15 {
			require.InDelta(t, 80-i, now.Left, 3, "%d", i)
		}
	}
}
