package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// totals count over all schedules.
var totals struct {
	loads, scans, clones, failed          atomic.Int64
	views, changes, aborts, within, early atomic.Int64 // of rings; rows that expire early
	// loads and scans by streaming; sessions of loads that were complete, and what was done to
	// sessions
	streamed, brought, streams, harms         atomic.Int64
	processes, kills, terms, resumes, retries atomic.Int64
	// by a limit on errors, or for the cluster
	stops atomic.Int64
	// runs whose state was checked, and those of them with rows
	shown, midway                               atomic.Int64
	requests, downs, moves, delays              atomic.Int64
	rows, rejected, doubtful, lost, twice, hung atomic.Int64

	mu     sync.Mutex
	faults map[simcluster.Fault]int
}

// schedules is the number of schedules so far.
func schedules() int64 { return totals.loads.Load() + totals.scans.Load() + totals.clones.Load() }

// count adds what was done to a cluster.
func count(c *simcluster.Cluster) {
	tally := c.Tally()
	totals.requests.Add(int64(tally.Requests))
	totals.downs.Add(int64(tally.Downs))
	totals.moves.Add(int64(tally.Moves))
	totals.delays.Add(int64(tally.Delays))
	totals.mu.Lock()
	defer totals.mu.Unlock()
	if totals.faults == nil {
		totals.faults = make(map[simcluster.Fault]int)
	}
	for f, n := range tally.Faults {
		totals.faults[f] += n
	}
}

// report is the account of a campaign.
func report() string {
	var s strings.Builder
	t := &totals
	fmt.Fprintf(
		&s,
		"schedules   %d of load, %d of them by streaming, %d of scan, %d of them by streaming, %d of clone; %d failed\n",
		t.loads.Load(),
		t.streamed.Load(),
		t.scans.Load(),
		t.brought.Load(),
		t.clones.Load(),
		t.failed.Load(),
	)
	fmt.Fprintf(
		&s,
		"processes   %d: %d killed, %d interrupted, %d stopped by a limit or the cluster; %d resumed, %d retried\n",
		t.processes.Load(),
		t.kills.Load(),
		t.terms.Load(),
		t.stops.Load(),
		t.resumes.Load(),
		t.retries.Load(),
	)
	fmt.Fprintf(
		&s,
		"midway      %d of %d runs that were checked before they resumed\n",
		t.midway.Load(),
		t.shown.Load(),
	)
	fmt.Fprintf(
		&s,
		"rows        %d; %d rejected, %d in doubt\n",
		t.rows.Load(),
		t.rejected.Load(),
		t.doubtful.Load(),
	)
	fmt.Fprintf(
		&s,
		"cluster     %d requests; %d delays, %d nodes down, %d moved\n",
		t.requests.Load(),
		t.delays.Load(),
		t.downs.Load(),
		t.moves.Load(),
	)
	fmt.Fprintf(
		&s,
		"streams     %d of loads complete; %d harmed: failed, cut off, hung or broken, or their node stopped or moved\n",
		t.streams.Load(),
		t.harms.Load(),
	)
	fmt.Fprintf(
		&s,
		"rings       %d changes, %d of them given up, %d with rows handed over when the program ended; %d scans of views\n",
		t.changes.Load(),
		t.aborts.Load(),
		t.within.Load(),
		t.views.Load(),
	)
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := 0
	for _, n := range t.faults {
		sum += n
	}
	fmt.Fprintf(&s, "faults      %d\n", sum)
	for _, f := range slices.Sorted(maps.Keys(t.faults)) {
		fmt.Fprintf(&s, "  %-32s %d\n", f, t.faults[f])
	}
	fmt.Fprintf(
		&s,
		"rows lost %d, rows expired early %d, rows twice %d, hung %d\n",
		t.lost.Load(),
		t.early.Load(),
		t.twice.Load(),
		t.hung.Load(),
	)
	return s.String()
}
