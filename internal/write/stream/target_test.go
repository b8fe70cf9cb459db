package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// requireRows checks that each node has the rows of its ranges, as they were given last.
func (n *nodes) requireRows(t *testing.T, last map[string]string) {
	t.Helper()
	copies := 0
	for node, rows := range n.rows {
		for place, text := range rows {
			require.Equal(t, last[place], text, "%s has another %s", node, place)
			copies++
		}
	}
	require.Equal(t, 2*len(last), copies)
}

// All replicas have the last row of each key, in files that are in order, and only then the
// rows are written.
func TestEachReplicaHasItsRows(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 4000)
	tg, n := newTarget(t, nil)
	p.mayBeWritten = func() bool {
		got := 0
		for _, rows := range n.rows {
			got += len(rows)
		}
		return got == 2*len(last)
	}
	require.NoError(t, load(t, tg, rows))
	n.requireRows(t, last)
	require.Equal(t, 4000, p.written)
	require.Equal(t, 4000, p.freed)
	require.False(t, p.writtenTooEarly)
	stats := tg.Stats()
	require.Positive(t, stats.Spilled, "it was meant to")
	require.EqualValues(t, n.files, stats.Files)
	require.Greater(t, n.files, 6, "files were to be small")
	left, err := os.ReadDir(tg.o.Dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// If there are few sets of replicas, all ranges of a set make one file for each of them, in
// whatever order the replicas are.
func TestOneFileForAllReplicas(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 1000)
	tg, n := newTarget(t, func(o *Options) { o.FileBytes = 1 << 20 })
	require.NoError(t, load(t, tg, rows))
	n.requireRows(t, last)
	require.Equal(t, 2*3, n.files, "of three pairs of nodes")
}

// However often a row comes, it is one.
func TestManyRowsOfOneClustering(t *testing.T) {
	p := &pieces{}
	var rows []*write.Row
	for i := range 1000 {
		rows = append(
			rows,
			reading(p, 1, 1, fmt.Sprint("value ", i), int64(1_700_000_000_000_000+i*7919%1000)),
		)
	}
	tg, n := newTarget(t, nil)
	require.NoError(t, load(t, tg, rows))
	last := fmt.Sprintf("v=%x@1700000000000999 ", fmt.Sprint("value ", 321))
	require.Equal(t, 321*7919%1000, 999)
	n.requireRows(t, map[string]string{"1 1": last})
}

// If memory is low, and not because of this target's rows, the rows so far are sent and completed
// before the rest.
func TestRowsAreCompletedWhenMemoryIsLow(t *testing.T) {
	p := &pieces{}
	var rows []*write.Row
	for i := range 100 {
		rows = append(rows, reading(p, int32(i), 1, "value", 1_700_000_000_000_000))
	}
	tg, n := newTarget(t, nil)
	tg.memoryWait = time.Millisecond
	in := tg.Intake(readings.Columns)
	require.NoError(t, in.Put(t.Context(), rows[:60]))
	ended := make(chan error)
	go func() { ended <- tg.Run(t.Context()) }()
	tg.MemoryLow(true)
	require.Eventually(
		t,
		func() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.written == 60 },
		time.Minute,
		time.Millisecond,
	)
	tg.MemoryLow(false)
	require.NoError(t, in.Put(t.Context(), rows[60:]))
	tg.Finish()
	require.NoError(t, <-ended)
	require.Equal(t, 100, p.written)
	require.EqualValues(t, n.files, tg.Stats().Files)
}

// Files that fail are sent again, from their beginning.
func TestFailedFilesAreResent(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 2000)
	retries := 0
	tg, n := newTarget(
		t,
		func(o *Options) { o.Sessions = 1; o.OnRetry = func(string, error) { retries++ } },
	)
	n.fail = func(_ string, attempt int) error {
		if attempt%3 != 0 {
			return fault.New(fault.Transient, errors.New("lost"))
		}
		return nil
	}
	require.NoError(t, load(t, tg, rows))
	n.requireRows(t, last)
	require.Positive(t, retries)
	require.Equal(t, 2000, p.written)
}

// A node that takes nothing ends the load when the patience is over, and nothing counts as written.
// An error that a retry cannot help ends it at once.
func TestNodeThatTakesNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		class fault.Class
		want  string
	}{
		"for a while":  {fault.Transient, "node called node1: given up after "},
		"for all time": {fault.Fatal, "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pieces{}
			rows, _ := many(p, 2000)
			tg, n := newTarget(
				t,
				func(o *Options) { o.Patience = 1; o.NodeName = func(id string) string { return "node called " + id } },
			)
			n.fail = func(node string, _ int) error {
				if node == "node1" {
					return fault.New(tc.class, errors.New("gone"))
				}
				return nil
			}
			err := load(t, tg, rows)
			require.ErrorContains(t, err, tc.want)
			require.Equal(t, tc.class, fault.ClassOf(err))
			require.Zero(t, p.written)
			require.Equal(t, 2000, p.freed)
		})
	}
}

// Nodes that are to be left out are sent nothing.
func TestIgnoredNodes(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 500)
	tg, n := newTarget(t, func(o *Options) { o.Ignored = map[string]bool{"node2": true} })
	require.NoError(t, load(t, tg, rows))
	require.Empty(t, n.rows["node2"])
	all := map[string]bool{}
	for _, rows := range n.rows {
		for place := range rows {
			all[place] = true
		}
	}
	require.Len(t, all, len(last))
	require.Equal(t, 500, p.written)
}

// Rows that no SSTable can hold are rejected, and the others written.
func TestRowsThatCannotBeWritten(t *testing.T) {
	p := &pieces{}
	rows, _ := many(p, 10)
	rows[3].TTL = 630_720_001
	tg, n := newTarget(t, nil)
	require.NoError(t, load(t, tg, rows))
	require.Equal(
		t,
		[]string{"TTL of 630720001 seconds, where 0 to 630720000 are allowed"},
		p.rejected,
	)
	require.Equal(t, 9, p.written)
	require.Equal(t, 10, p.freed)
	require.NotEmpty(t, n.rows)
}

// When rows may be in the wrong places, none of them is written.
func TestPlacesAreCheckedBeforeRowsCount(t *testing.T) {
	p := &pieces{}
	rows, _ := many(p, 100)
	tg, n := newTarget(t, func(o *Options) { failRing(o, errors.New("nodes moved")) })
	require.ErrorContains(t, load(t, tg, rows), "nodes moved")
	require.Positive(t, n.files)
	require.Zero(t, p.written)
}

// failRing has it fail to ask where rows belong when they are there.
func failRing(o *Options, err error) {
	now, asked := Ring{Placement: o.Placement, Nodes: o.Nodes}, 0
	o.Ring = func(context.Context) (Ring, error) {
		if asked++; asked > 1 {
			return Ring{}, err
		}
		return now, nil
	}
}

// Nodes that do not say at once whether rows are in the right places are asked again, with what
// patience there is.
func TestPlacesAreRequestedRepeatedly(t *testing.T) {
	for name, tc := range map[string]struct {
		patience time.Duration
		silent   int // first questions that are not answered
		written  int
	}{"until they answer": {time.Hour, 3, 100}, "until there is no patience": {1, 1000, 0}} {
		t.Run(name, func(t *testing.T) {
			p := &pieces{}
			rows, _ := many(p, 100)
			asked := 0
			tg, _ := newTarget(t, func(o *Options) {
				o.Patience = tc.patience
				now := Ring{Placement: o.Placement, Nodes: o.Nodes}
				o.Ring = func(context.Context) (Ring, error) {
					if asked++; asked <= tc.silent {
						return Ring{}, fault.New(fault.Unknown, errors.New("no answer"))
					}
					return now, nil
				}
			})
			if err := load(t, tg, rows); tc.written == 0 {
				require.ErrorContains(t, err, "no answer")
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, tc.written, p.written)
		})
	}
}

// A load that is stopped ends while files are in flight, and before all rows are there.
func TestStops(t *testing.T) {
	p := &pieces{}
	rows, _ := many(p, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	tg, n := newTarget(t, nil)
	n.fail = func(string, int) error { cancel(); return nil }
	require.NoError(t, tg.Intake(readings.Columns).Put(ctx, rows))
	tg.Finish()
	require.ErrorIs(t, tg.Run(ctx), context.Canceled)
	require.Zero(t, p.written)

	tg, _ = newTarget(t, nil)
	require.ErrorIs(t, tg.Run(ctx), context.Canceled, "while it waits for rows")
}

// A key that is stored in other bytes than it is sent in, as a set that is sorted, has another
// token than the row's.
func TestPartitionsAreInTheOrderOfTheirStoredKeys(t *testing.T) {
	p := &pieces{}
	rows, last := many(p, 100)
	for i, r := range rows {
		r.Token = token.Token{Lo: uint64(i)}
	}
	tg, n := newTarget(t, nil)
	require.NoError(t, load(t, tg, rows))
	n.requireRows(t, last)
}

// Columns with times of their own, in several statements, and static columns make one row and
// one static row.
func TestStatementsOfOneRow(t *testing.T) {
	p := &pieces{}
	r := reading(p, 7, 1, "late", 1_700_000_000_000_005)
	first := reading(p, 7, 1, "", 1_700_000_000_000_001)
	first.Cells[4] = row.Cell{}
	first.Cells[3] = row.Cell{Bytes: []byte{0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 9}, State: row.Set}
	static := reading(p, 7, 0, "", 1_700_000_000_000_009)
	static.Cells[1], static.Cells[4] = row.Cell{}, row.Cell{}
	static.Cells[2] = row.Cell{Bytes: []byte("shared"), State: row.Set}
	r.More = []row.Row{first.Row, static.Row}
	tg, n := newTarget(t, nil)
	require.NoError(t, load(t, tg, []*write.Row{r}))
	owners := n.o.replicas(n.o.Placement.Find(r.Token))
	require.Len(t, owners, 2)
	for _, node := range owners {
		require.Equal(t, map[string]string{
			"7 1":      "v=6c617465@1700000000000005 l=00000009@1700000000000001 ",
			"7 static": "s=736861726564@1700000000000009 ",
		}, n.rows[node])
	}
}

func TestEmptyLoad(t *testing.T) {
	tg, n := newTarget(t, nil)
	require.NoError(t, load(t, tg, nil))
	require.Zero(t, n.files)
}
