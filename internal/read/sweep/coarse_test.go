package sweep

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ringOf places a ring of n random vnode ranges on nodes n0, n1 and so on. Each range has one
// replica. hosts is its Options.Hosts.
func ringOf(
	t *testing.T,
	r *rand.Rand,
	vnodes, nodes int,
) (ring *token.Placement, hosts func(int) []string) {
	t.Helper()
	var ends []token.Token
	for range vnodes - 1 {
		ends = append(ends, token.Token{Lo: 1 + r.Uint64N(^uint64(0)-1)})
	}
	slices.SortFunc(ends, token.Token.Compare)
	ends = append(slices.Compact(ends), token.Murmur3.Max())
	replicas := make([][]int, len(ends))
	for i := range replicas {
		replicas[i] = []int{r.IntN(nodes)}
	}
	ring, err := token.NewPlacement(token.Murmur3, ends, replicas)
	require.NoError(t, err)
	var all []string
	for i := range nodes {
		all = append(all, fmt.Sprintf("n%d", i))
	}
	return ring, func(vnode int) []string {
		if vnode == token.Several {
			return all
		}
		return []string{all[ring.Replicas(vnode)[0]]}
	}
}

// large makes a table of rows of the given size, evenly over the ring.
func large(rows, bytes int) *sweeptest.Table {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(rows)}
	for i := range table.Rows {
		table.Rows[i].Cells = append(table.Rows[i].Cells, make([]byte, bytes))
	}
	return table
}

// requireOwnHosts checks that requests within one vnode range went to its replicas.
func requireOwnHosts(
	t *testing.T,
	table *sweeptest.Table,
	ring *token.Placement,
	hosts func(int) []string,
) (several int) {
	t.Helper()
	for _, r := range table.Requests() {
		set := ring.SetOf(r.Within)
		require.Contains(t, hosts(set), r.Host)
		if set == token.Several {
			several++
		}
	}
	return several
}

// A small table takes one request for each coarse split, and few more. All nodes take turns.
func TestSmallTableOfManyVnodes(t *testing.T) {
	for _, rows := range []int{0, 1, 10, 200} {
		r := rand.New(rand.NewPCG(uint64(rows), 1))
		ring, hosts := ringOf(t, r, 20000, 100)
		table := &sweeptest.Table{Rows: sweeptest.Numbered(rows + 1)[1:]}
		splits := ring.PlanCoarse(64, 3)
		k := take(table)
		result, err := Run(
			bg(),
			splits,
			table,
			Options{Workers: 500, Borders: ring, MaxPieces: 50000, Hosts: hosts},
			k.consumer,
		)
		require.NoError(t, err)
		require.Empty(t, result.Failed)
		requireCover(t, splits, result)
		k.requireRows(t, table, result)
		require.LessOrEqual(t, len(table.Requests()), len(splits)+min(3*len(splits), 3*rows))
		require.LessOrEqual(t, len(result.Done), len(splits))
		asked := make(map[string]bool)
		for _, q := range table.Requests() {
			asked[q.Host] = true
		}
		require.GreaterOrEqual(t, len(asked), 50)
	}
}

// A large table is cut until its pieces are worth a request, at the borders of vnode ranges and
// within them, however few splits it begins with. All workers are busy, and replicas answer nearly
// all pages.
func TestLargeTableIsCut(t *testing.T) {
	const bytes = 16 << 10
	for _, vnodes := range []int{1, 4, 50, 500} {
		t.Run(fmt.Sprint(vnodes), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(vnodes), 2))
			ring, hosts := ringOf(t, r, vnodes, 5)
			table := large(5000, bytes) // 80 MiB
			splits := ring.PlanCoarse(3, 3)
			k := take(table)
			result, err := Run(
				bg(),
				splits,
				table,
				Options{Workers: 20, Borders: ring, MaxPieces: 3000, Hosts: hosts},
				k.consumer,
			)
			require.NoError(t, err)
			requireCover(t, splits, result)
			k.requireRows(t, table, result)
			require.Less(t, len(result.Done), 400)
			widest := 0.0
			for _, d := range result.Done {
				widest = max(widest, token.Fraction(d, token.Murmur3))
			}
			require.Less(t, widest, 0.2)
			require.Greater(t, table.MostUnderway(), 10, "workers share what was cut")
			several := requireOwnHosts(t, table, ring, hosts)
			if vnodes <= 50 {
				require.Less(t, several, 100)
			}
			require.Less(t, len(table.Requests()), 900)
		})
	}
}

// If there is one large partition among small ones, the rest of the ring is not cut into small
// pieces.
func TestOneLargePartition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	ring, hosts := ringOf(t, r, 5000, 5)
	table := &sweeptest.Table{}
	for i, row := range sweeptest.Numbered(50) {
		if i == 10 {
			for n := range 3000 {
				table.Rows = append(
					table.Rows,
					sweeptest.Row{
						Token: row.Token,
						Cells: [][]byte{fmt.Appendf(nil, "large %d", n), make([]byte, 10<<10)},
					},
				)
			}
			continue
		}
		table.Rows = append(table.Rows, row)
	}
	splits := ring.PlanCoarse(20, 3)
	k := take(table)
	result, err := Run(
		bg(),
		splits,
		table,
		Options{Workers: 3, Borders: ring, MaxPieces: 100000, Hosts: hosts},
		k.consumer,
	)
	require.NoError(t, err)
	requireCover(t, splits, result)
	k.requireRows(t, table, result)
	require.Less(t, len(table.Requests()), 1000)
}

// If a vnode range cannot be read, only that range is given up.
func TestOneVnodeRangeFails(t *testing.T) {
	for name, failure := range map[string]error{"unavailable": errTransient, "timed out": errUnknown} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 4))
			ring, hosts := ringOf(t, r, 1000, 5)
			bad := ring.Range(ring.FindFirst(sweeptest.Between(400, 401)))
			table := &sweeptest.Table{Rows: sweeptest.Numbered(300)}
			table.Fail = func(_ context.Context, r sweeptest.Request) error {
				if _, meets := token.Intersect(bad, r.Within); meets {
					return failure
				}
				return nil
			}
			splits := ring.PlanCoarse(10, 3)
			k := take(table)
			result, err := Run(
				bg(),
				splits,
				table,
				Options{Workers: 4, Borders: ring, MaxPieces: 1000, Hosts: hosts, Backoff: brief},
				k.consumer,
			)
			require.NoError(t, err)
			requireCover(t, splits, result)
			k.requireRows(t, table, result)
			require.NotEmpty(t, result.Failed)
			var failed []token.Range
			for _, f := range result.Failed {
				failed = append(failed, f.Range)
			}
			require.Equal(t, []token.Range{bad}, token.Merge(failed))
			require.Less(t, len(table.Requests()), 1000)
		})
	}
}

// The ranges of live nodes are read through live nodes. The ranges that only a dead node has are
// given up.
func TestCoarseSplitsOfDeadNode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	ring, hosts := ringOf(t, r, 200, 4)
	table := &sweeptest.Table{Rows: sweeptest.Numbered(300)}
	silent := fault.New(fault.Unknown, fmt.Errorf("no answer"))
	own := func(within token.Range) bool {
		for i := range ring.Len() {
			if _, meets := token.Intersect(
				ring.Range(i),
				within,
			); meets &&
				ring.Replicas(i)[0] == 2 {
				return true
			}
		}
		return false
	}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		switch {
		case r.Host == "n2":
			return silent
		case own(r.Within):
			return errTransient // the coordinator knows that the replica is down
		}
		return nil
	}
	splits := ring.PlanCoarse(10, 3)
	k := take(table)
	o := Options{
		Workers:   4,
		Borders:   ring,
		MaxPieces: 1000,
		Hosts:     hosts,
		Backoff:   brief,
		Patience:  1,
		Ping: func(_ context.Context, host string) error {
			if host == "n2" {
				return silent
			}
			return nil
		},
	}
	result, err := Run(bg(), splits, table, o, k.consumer)
	require.NoError(t, err)
	requireCover(t, splits, result)
	k.requireRows(t, table, result)
	var failed, dead []token.Range
	for _, f := range result.Failed {
		failed = append(failed, f.Range)
	}
	for i := range ring.Len() {
		if ring.Replicas(i)[0] == 2 {
			dead = append(dead, ring.Range(i))
		}
	}
	require.Equal(t, token.Merge(dead), token.Merge(failed))
}

// If pages do not show how much the servers read for them, the first range is as narrow as
// possible. The others become wider in a few steps.
func TestBlindSweepBeginsNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	ring, hosts := ringOf(t, r, 20000, 100)
	table := &sweeptest.Table{Rows: sweeptest.Numbered(5)[1:]}
	splits := ring.PlanCoarse(256, 3)
	k := take(table)
	result, err := Run(
		bg(),
		splits,
		table,
		Options{Workers: 10000, Borders: ring, MaxPieces: 1000000, Hosts: hosts, Blind: true},
		k.consumer,
	)
	require.NoError(t, err)
	requireCover(t, splits, result)
	k.requireRows(t, table, result)
	requests := table.Requests()
	require.Less(t, token.Fraction(requests[0].Within, token.Murmur3), 2e-6)
	require.Less(t, len(requests), 1000)
}

// If the requests for wide ranges take long, a blind sweep reads narrow ones.
func TestDensityOfTime(t *testing.T) {
	d := density{}
	require.InEpsilon(t, 5.0, d.probeTokens(5), 1e-9)
	d.addDuration(5, 10)
	require.InEpsilon(t, 40.0, d.probeTokens(5), 1e-9)
	d.addDuration(40, 20)
	require.InEpsilon(t, 360.0, d.probeTokens(5), 1e-9)
	d.addDuration(1000, 2*probeTime+probeTime/4)
	require.InEpsilon(t, 500.0, d.probeTokens(5), 1e-3)
	d.addTimeout(100, 10*probeTime)
	require.InEpsilon(t, 10.0, d.probeTokens(5), 1e-3)
	for range 50 {
		d.addDuration(10, 10)
	}
	require.Greater(t, d.probeTokens(5), 1000.0)
}

// If a table is much smaller than its estimate, neighbouring splits are read together. If it is as
// large, each is read alone.
func TestSplitsAreJoined(t *testing.T) {
	for _, c := range []struct{ rows, least, most int }{
		{0, 64, 400}, {5000, 80, 400}, {40000, 600, 700},
	} {
		t.Run(fmt.Sprint(c.rows), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 8))
			ring, hosts := ringOf(t, r, 50, 5)
			table := large(c.rows, 16<<10) // none, 80 MiB, 640 MiB
			splits := ring.Plan(600, 3)
			k := take(table)
			o := Options{Workers: 10, Borders: ring, MaxPieces: len(splits), Hosts: hosts}
			result, err := Run(bg(), splits, table, o, k.consumer)
			require.NoError(t, err)
			requireCover(t, splits, result)
			k.requireRows(t, table, result)
			require.GreaterOrEqual(t, len(result.Done), c.least)
			require.LessOrEqual(t, len(result.Done), c.most)
			requireOwnHosts(t, table, ring, hosts)
		})
	}
}

// Splits that take long are not joined, even if they return few rows. With a condition, the servers
// may read many rows for each row returned.
func TestSlowSplitsAreNotJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 9))
		ring, hosts := ringOf(t, r, 50, 5)
		table := &sweeptest.Table{Rows: sweeptest.Numbered(20)}
		splits := ring.Plan(600, 3)
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			time.Sleep(
				time.Duration(600 * token.Fraction(r.Within, token.Murmur3) * float64(time.Second)),
			)
			return nil
		}
		k := take(table)
		o := Options{Workers: 10, Borders: ring, MaxPieces: len(splits), Hosts: hosts}
		result, err := Run(t.Context(), splits, table, o, k.consumer)
		require.NoError(t, err)
		requireCover(t, splits, result)
		require.Greater(t, len(result.Done), len(splits)*9/10)
	})
}

// Done and failed ranges together are the ring, and each row comes once, for random rings, tables,
// splits, pages and faults.
func TestRandomCuts(t *testing.T) {
	cuts, joins, failures := 0, 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 199))
		ring, hosts := ringOf(t, r, 1+r.IntN(60), 1+r.IntN(5))
		table := mixed(r)
		for i := range table.Rows {
			table.Rows[i].Cells = append(table.Rows[i].Cells, make([]byte, 1<<r.IntN(16)))
		}
		course := &schedule{
			Rand:   rand.New(rand.NewPCG(seed, 200)),
			faults: 0.6 * r.Float64() * float64(r.IntN(2)),
			empty:  0.5 * r.Float64(),
		}
		table.Fail, table.Short, table.Trailing = course.fail, course.short, r.IntN(2) == 0
		splits := ring.PlanCoarse(1+r.IntN(8), seed)
		if r.IntN(3) == 0 {
			splits = ring.Plan(1+r.IntN(300), seed)
		}
		if r.IntN(3) == 0 { // those that an earlier run has left
			splits = splits[:1+r.IntN(len(splits))]
		}
		var gate logGate
		o := Options{
			Workers: 1 + r.IntN(
				6,
			),
			MaxAttempts: 1 + r.IntN(8),
			Backoff:     brief,
			Gate:        &gate,
			PageRows:    r.IntN(2) * r.IntN(30),
			Hosts:       hosts,
			Borders:     ring,
			MaxPieces:   1 + r.IntN(200),
			Blind:       r.IntN(4) == 0,
			PageBytes:   1 << (6 + r.IntN(12)),
		}
		k := take(table)
		if r.IntN(5) == 0 {
			k = blind()
		}
		result, err := Run(bg(), splits, table, o, k.consumer)
		require.NoError(t, err, seed)
		require.NoError(t, table.Check())
		requireCover(t, splits, result)
		k.requireRows(t, table, result)
		require.LessOrEqual(t, table.MostUnderway(), o.Workers)
		require.Equal(t, len(table.Requests()), gate.acquired)
		requireOwnHosts(t, table, ring, hosts)
		cuts += max(len(result.Done)+len(result.Failed)-len(splits), 0)
		joins += max(len(splits)-len(result.Done)-len(result.Failed), 0)
		failures += len(result.Failed)
	}
	require.Greater(t, cuts, 300, "the tables are large enough")
	require.Greater(t, joins, 300)
	require.Greater(t, failures, 50)
}

// A canceled sweep ends even if workers wait for pieces.
func TestCancelWhileWorkersWait(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	ring, hosts := ringOf(t, r, 10, 2)
	ctx, cancel := context.WithCancel(bg())
	table := large(2000, 8<<10)
	var once sync.Once
	table.Fail = func(ctx context.Context, r sweeptest.Request) error {
		if r.Number > 5 {
			once.Do(cancel)
			<-ctx.Done()
			return fault.New(fault.Canceled, ctx.Err())
		}
		return nil
	}
	_, err := Run(
		ctx,
		ring.PlanCoarse(1, 3),
		table,
		Options{Workers: 50, Borders: ring, MaxPieces: 1000, Hosts: hosts, Blind: true},
		take(table).consumer,
	)
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
}
