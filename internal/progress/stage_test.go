package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStagesHaveSpeedsOfTheirOwn(t *testing.T) {
	var c Counters
	now := time.Unix(1000, 0)
	m := NewMeter("load", &c, now)
	require.Nil(t, m.Read(now).Stage, "a run without stages")

	c.Stage.Begin(StageSorting, StageSending)
	second := func() *Staged {
		now = now.Add(time.Second)
		return m.Read(now).Stage
	}
	c.Ready.Store(1000)
	require.Equal(t, "reading", second().Name)
	c.Ready.Store(3000)
	require.InDelta(t, 2000, second().PerSecond, 1)
	c.Stage.Deliver(50, 0, 200)
	require.Equal(t, &Staged{Name: "sorting", Done: 50, Total: 200}, second())
	c.Stage.Deliver(100, 0, 200)
	require.InDelta(t, 50, second().PerSecond, 1)
	c.Stage.Deliver(200, 0, 200)
	require.Equal(t, "sending", second().Name, "all is sorted")
	c.Stage.Deliver(200, 10, 200)
	require.Equal(
		t,
		&Staged{Name: "sending", Done: 10, Total: 200, PerSecond: 10},
		second(),
		"the speed of sorting is not that of sending",
	)
	c.Stage.Deliver(200, 200, 200)
	require.Zero(t, second().PerSecond, "nothing is sent any more")
	c.Stage.Read()
	require.Equal(t, "reading", second().Name)
	require.EqualValues(t, 200, c.Stage.Moved())
	for range 5 { // it waits for the nodes
		require.Zero(t, second().PerSecond)
	}
	c.Ready.Add(1000)
	require.InDelta(t, 1000, second().PerSecond, 1)
}

func TestReceipt(t *testing.T) {
	var c Counters
	now := time.Unix(1000, 0)
	m := NewMeter("scan", &c, now)
	require.Nil(t, m.Read(now).Receiving, "nothing is received by CQL")

	r := new(Receipt)
	c.Receipt.Store(r)
	c.Total.Store(1000)
	r.Announced.Store(4000)
	r.Nodes.Store(2)
	r.Limit.Store(500)
	r.Received.Store(1000)
	share, _ := c.Share()
	require.Zero(t, share, "received, and not yet read")
	now = now.Add(time.Second)
	require.Equal(
		t,
		&Receiving{
			Received:  1000,
			Announced: 4000,
			Share:     part(0.25),
			PerSecond: 1000,
			NodeLimit: 500,
		},
		m.Read(now).Receiving,
	)
	r.Limit.Store(100)
	require.Zero(t, m.Read(now).Receiving.NodeLimit, "a burst")
	r.Limit.Store(5000)
	require.Zero(t, m.Read(now).Receiving.NodeLimit, "the nodes could send more")

	r.Limit.Store(500)
	r.Received.Store(3900) // the nodes had announced a little more
	r.All.Store(true)
	now = now.Add(time.Second)
	require.Equal(
		t,
		&Receiving{Received: 3900, Announced: 3900, Share: part(1), All: true},
		m.Read(now).Receiving,
		"an ended stage has no speed",
	)
	c.Done.Store(1000)
	share, _ = c.Share()
	require.InDelta(t, 1, share, 1e-9)
}

func part(share float64) *float64 { return &share }

// A resumed run receives the rest of the work.
func TestReceiptOfAResumedRun(t *testing.T) {
	var c Counters
	c.Total.Store(1000)
	c.Done.Store(400)
	c.Before.Store(400)
	r := new(Receipt)
	r.Announced.Store(600)
	r.Received.Store(300)
	c.Receipt.Store(r)
	now := c.Read(midnight)
	require.InDelta(t, 0.7, *now.Receiving.Share, 1e-9)
	require.InDelta(t, 0.4, *now.Share, 1e-9)
}
