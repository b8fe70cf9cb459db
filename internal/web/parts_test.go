package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// What a browser is sent each second is bounded, for however many nodes and ranges there are.
func TestLargeClustersAreSentBriefly(t *testing.T) {
	w, b := newLargeRun(t)
	has := make(follower)
	size := func() int {
		lacks, err := has.changes(w.State())
		require.NoError(t, err)
		text, err := lacks.line()
		require.NoError(t, err)
		return len(text)
	}
	require.Less(t, size(), 150_000)
	b.Counters.Rows.Add(1)
	require.Less(t, size(), 20_000, "what is unchanged is not sent again")
}

func TestHeatMap(t *testing.T) {
	m := heatMapOf(board.State{Ring: []board.NodeRing{
		{
			Node:     "a",
			Share:    0.5,
			Done:     []float64{0, 0.001, 0.5, 0.9999, 1},
			Failed:   []float64{0, 0, 0.5, 0, 0},
			UnderWay: []int64{0, 1, 0, 0, 20},
			Rows:     []int64{0, 1, 50, 99, 100},
		},
		{
			Node:     "b",
			Share:    0.5,
			Done:     []float64{1},
			Failed:   []float64{0},
			UnderWay: []int64{0},
		}, // kept by an earlier version, without rows
	}})
	require.True(t, m.Progress)
	require.EqualValues(t, 100, m.Most)
	require.Equal(t, []string{"a"}, m.Bad)
	a := m.Strips[0]
	require.Equal(t, "01599", a.Done, "only nothing is 0")
	require.Equal(t, "01589", a.Rows)
	require.Equal(t, "00500", a.Failed)
	require.Equal(t, "01009", a.UnderWay)
	require.Equal(
		t,
		"a: 50.0 % read, 250 rows, 50.0 % of the ring, 21 requests under way, failures in 1 part of 5",
		a.Label,
	)
	require.Equal(
		t,
		"b: 99.9 % read",
		strings.Split(heatMapOf(board.State{Ring: []board.NodeRing{{Node: "b", Done: []float64{0.9999}, Failed: []float64{0}, UnderWay: []int64{0}}}}).Strips[0].Label, ",")[0],
	)
}

// Of a load the failures are numbers of requests, and there is no progress of ranges.
func TestHeatMapOfALoad(t *testing.T) {
	m := heatMapOf(
		board.State{
			RowsRing: true,
			Ring: []board.NodeRing{
				{
					Node:     "a",
					Done:     []float64{1, 0.5},
					Failed:   []float64{0, 30},
					UnderWay: []int64{0, 0},
					Rows:     []int64{10, 5},
				},
			},
		},
	)
	require.False(t, m.Progress)
	require.Equal(
		t,
		strip{
			Node:     "a",
			Label:    "a: 15 rows, 0.0 % of the ring, failures in 1 part of 2",
			Rows:     "95",
			Failed:   "09",
			UnderWay: "00",
			Failures: 1,
		},
		m.Strips[0],
	)
}

func TestVerdicts(t *testing.T) {
	share, left := 0.25, 200.0
	for want, s := range map[string]board.State{
		"Connecting to the cluster.": {Phase: board.Connecting, Command: "scan"},
		"Running.":                   {Phase: board.Running, Table: "t"},
		"Running: 25.0 % done, about 3 minutes left.":                                                {Phase: board.Running, Table: "t", Share: &share, Left: &left},
		"Running: 25.0 % done. The cluster is slower than the target.":                               {Phase: board.Running, Share: &share, TargetP99: 0.02, HeldP99: 0.05},
		"Done: 1 row read in 2.0s.":                                                                  {Phase: board.Done, Command: "scan", Table: "t", Rows: 1, Elapsed: 2},
		"Done: 5 rows loaded in 1m5s.":                                                               {Phase: board.Done, Command: "resume", About: board.About{Work: "load"}, Table: "t", Rows: 5, Elapsed: 65},
		"Done: 5 rows loaded in 1m15s.":                                                              {Phase: board.Done, Command: "resume", About: board.About{Work: "load"}, Table: "t", Rows: 5, EarlierRows: 4, Elapsed: 65, EarlierSeconds: 10},
		"Done: 5 rows loaded (4 of them by an earlier run, whose time is not known) in 1m5s.":        {Phase: board.Done, Command: "load", Table: "t", Rows: 5, EarlierRows: 4, Elapsed: 65},
		"Dry run done: 5 rows checked in 2.0s, nothing was written.":                                 {Phase: board.Done, Command: "load", About: board.About{DryRun: true}, Table: "t", Rows: 5, Elapsed: 2},
		"Done, but not for all: 5 rows counted in 2.0s; 3 token ranges failed.":                      {Phase: board.Partly, Command: "count", Table: "t", Rows: 5, Elapsed: 2, FailedRanges: 3},
		"Interrupted after 2.0s at 25.0 %: 5 rows loaded. The command below resumes it.":             {Phase: board.Interrupted, Command: "load", Table: "t", Rows: 5, Elapsed: 2, Share: &share, Next: "cqlbulk resume x"},
		"Interrupted after 2.0s: 7 rows read, none loaded. The command below resumes it.":            {Phase: board.Interrupted, Command: "load", Table: "t", Ready: 7, Elapsed: 2, Share: &share, Next: "cqlbulk resume x"},
		"Failed before any row was cloned.":                                                          {Phase: board.Failed, Command: "clone"},
		"Failed after 2.0s: 0 rows read.":                                                            {Phase: board.Failed, Command: "scan", Table: "t", Elapsed: 2},
		"Done, but not for all: 5 rows loaded in 2.0s; 1 row was rejected and 1 token range failed.": {Phase: board.Partly, Command: "load", Table: "t", Rows: 5, Elapsed: 2, FailedRanges: 1, RejectedRows: 1},
		"Dry run, nothing is written: 25.0 % done.":                                                  {Phase: board.Running, Command: "load", About: board.About{DryRun: true}, Share: &share},
		"Done, but not for all: 5 rows cloned in 2.0s; some of the work failed, as the log says.":    {Phase: board.Partly, Command: "clone", Table: "t", Rows: 5, Elapsed: 2},
	} {
		require.Equal(t, want, verdict(s))
	}
}

// What a stage has done is not what is done: a load by streaming has loaded nothing before it
// sends.
func TestVerdictOfStages(t *testing.T) {
	part := func(share float64) *float64 { return &share }
	running := func(share float64, left *float64, stages ...board.Stage) board.State {
		return board.State{
			Phase:   board.Running,
			Command: "load",
			Share:   &share,
			Left:    left,
			Stages:  stages,
		}
	}
	for want, s := range map[string]board.State{
		"Running: 45.0 % read, 0.0 % loaded, about 12 seconds until all is read.": running(0, nil, board.Stage{Name: "reading", Share: part(0.45), Left: part(12)}),
		"Running: 68.9 % sorted, 0.0 % loaded.":                                   running(0, nil, board.Stage{Name: "sorting", Share: part(0.689)}),
		"Running: 16.0 % done, about 9 seconds left.":                             running(0.16, part(9), board.Stage{Name: "sending", Share: part(0.16), Left: part(9)}),
		"Running: 43.0 % received, 31.2 % loaded, about 30 seconds left.":         running(0.312, part(30), board.Stage{Name: "receiving", Share: part(0.43), Left: part(28)}),
		"Running: 31.2 % done.":                                                   running(0.312, nil),
	} {
		require.Equal(t, want, verdict(s))
	}
	require.Equal(
		t,
		"45.0 % read, load",
		title(running(0, nil, board.Stage{Name: "reading", Share: part(0.45)})),
	)
}

func TestTarget(t *testing.T) {
	s := board.State{TargetP99: 0.02}
	require.Equal(t, "not measured yet, target 20.0ms", held(s))
	s.HeldP99 = 0.048
	require.Equal(t, "p99 48.0ms ABOVE target 20.0ms", held(s))
	s.HeldP99 = 0.012
	require.Equal(t, "p99 12.0ms within target 20.0ms", held(s))
	require.True(t, above(board.State{TargetP99: 0.02, HeldP99: 0.03}))
	require.Empty(t, held(board.State{}))

	// Of a run that is over its last second says little.
	s.Phase, s.HeldSeconds = board.Done, 36
	require.Equal(t, "within target 20.0ms in all of 36 seconds", held(s))
	s.HeldAbove = 30
	require.Equal(t, "ABOVE target 20.0ms in 30 of 36 seconds", held(s))
	require.True(t, above(s))
	require.Contains(
		t,
		verdict(s),
		"Small reads of others were above the target in 30 of 36 seconds.",
	)
}

// Of many nodes the table has those with trouble.
func TestNodesWithTroubleStandFirst(t *testing.T) {
	s := board.State{Phase: board.Running}
	for range 200 {
		s.Nodes = append(
			s.Nodes,
			board.NodeState{Member: board.Member{Address: "calm"}, Requests: 5, P99: 0.01},
		)
	}
	s.Nodes[150].Address, s.Nodes[150].Failures = "failing", 3
	s.Nodes[160].Address, s.Nodes[160].P99 = "slow", 1
	s.Gates = []board.GateState{{Node: "slow", Limit: 9}}
	table := nodesOf(s)
	require.Len(t, table.Rows, nodesShown)
	require.Equal(t, 200-nodesShown, table.Less)
	require.Equal(t, "failing", table.Rows[0].Address)
	require.Equal(t, "slow", table.Rows[1].Address)
	require.Equal(t, 9, table.Rows[1].Limit)
	require.False(t, table.Bytes)
	require.True(t, table.UnderWay)
	s.Phase = board.Done
	require.False(t, nodesOf(s).UnderWay, "nothing is under way when the run is over")
}

// A run by streaming shows its stages, and no speed of rows while it sends.
func TestStages(t *testing.T) {
	text, err := renderPage(newStreamedRun(t).State())
	require.NoError(t, err)
	for _, part := range []string{"<b>sending</b> 40.0 %, 156.0 MiB of 973.0 MiB", `<progress max="1000" value="400" aria-label="sending">`, "<b>receiving</b> 43.0 %, 412.0 MiB of 958.0 MiB", "43.0\u00a0% received, 40.0\u00a0% loaded", "streaming", "<dt>rows read</dt><dd data-figure=\"ready\">1,300,000</dd>", "none is in the table yet"} {
		require.Contains(t, string(text), part)
	}
	for _, part := range []string{"rows per second", "latency of requests", "consistency"} {
		require.NotContains(t, string(text), part)
	}
}

// The rate is that of what moves now.
func TestRates(t *testing.T) {
	running := func(rows float64, stages ...board.Stage) board.State {
		return board.State{Phase: board.Running, RowsPerSecond: rows, Stages: stages}
	}
	for want, s := range map[string]board.State{
		"rows read per second 5":        running(5, board.Stage{Name: "reading", Rows: true, PerSecond: 5}),
		"sorted per second 2.0 MiB/s":   running(0, board.Stage{Name: "sorting", PerSecond: 2 << 20}),
		"sent per second 2.0 MiB/s":     running(5, board.Stage{Name: "sending", PerSecond: 2 << 20}),
		"rows per second ":              running(5, board.Stage{Name: "sending"}),
		"received per second 2.0 MiB/s": running(0, board.Stage{Name: "receiving", PerSecond: 2 << 20}),
		"rows per second 5":             running(5, board.Stage{Name: "receiving", PerSecond: 2 << 20}),
		"rows per second 0":             running(0),
	} {
		tile := rateTile(s)
		require.Equal(t, want, tile.Name+" "+tile.Value)
	}
	require.Empty(t, rateTile(board.State{Phase: board.Failed}).Value, "nothing moved")
}

func TestRowsTile(t *testing.T) {
	s := board.State{
		Command:     "load",
		Phase:       board.Running,
		Rows:        5,
		EarlierRows: 2,
		Ready:       7,
		Bytes:       1 << 20,
	}
	require.Equal(
		t,
		tile{
			"rows loaded",
			"rows",
			"5",
			[]string{"2 by an earlier run", "7 more are read", "1.0 MiB of text"},
		},
		rowsTile(s),
	)
	s.Phase, s.EarlierRows = board.Interrupted, 0
	require.Equal(t, []string{"1.0 MiB of text"}, rowsTile(s).Notes)
}

// A run that failed before its first row shows no empty ring and no table of idle nodes.
func TestWhatIsEmptyIsHidden(t *testing.T) {
	s := board.State{
		Phase: board.Failed,
		Table: "t",
		Ring: []board.NodeRing{
			{
				Node:     "a",
				Done:     []float64{0},
				Failed:   []float64{0},
				UnderWay: []int64{0},
				Rows:     []int64{0},
			},
		},
		Nodes: []board.NodeState{{Member: board.Member{Address: "a"}}},
	}
	parts, err := partsOf(s)
	require.NoError(t, err)
	for _, p := range parts {
		if p.Name == "ring" || p.Name == "ringhead" || p.Name == "nodes" {
			require.Empty(t, p.HTML, p.Name)
		}
	}
}
