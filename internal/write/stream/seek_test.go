package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// picky takes files without a value that it does not take.
type picky struct {
	t       *testing.T
	poison  string
	refuses func(node string) bool // nil: all nodes do

	mu       sync.Mutex
	sessions int
	rows     map[string]map[string]string // by node: values, by key and clustering
	since    map[string]string            // what was taken since something was refused
}

var errPoison = errors.New("java.lang.AssertionError: cannot index")

// Send is a method of Sender.
func (n *picky) Send(_ context.Context, node string, f File) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sessions++
	came, bad := map[string]string{}, false
	each := func(d sstable.Source) {
		r := d.Row()
		place := fmt.Sprint(d.Key()[3])
		if len(d.Key()) > 4 {
			place = fmt.Sprintf("%q", d.Key())
		}
		if r.Static {
			place += " static"
		} else {
			place += fmt.Sprint(" ", r.Clustering[0][3])
		}
		for _, c := range r.Cells {
			bad = bad || bytes.Equal(c.Value, []byte(n.poison))
			came[place] += string(c.Value)
		}
	}
	itemsOf(n.t, component.NB, f, func(item sstable.Item, d sstable.Source) {
		if (item == sstable.RegularRow || item == sstable.StaticRow) && !d.Row().Empty() {
			each(d)
		}
	})
	if bad && (n.refuses == nil || n.refuses(node)) {
		n.since = map[string]string{}
		return fault.New(
			fault.Transient,
			&RowsError{Why: "cannot index", Advice: "drop it", Err: errPoison},
		)
	}
	if n.rows[node] == nil {
		n.rows[node] = map[string]string{}
	}
	maps.Copy(n.rows[node], came)
	if n.since != nil {
		maps.Copy(n.since, came)
	}
	return nil
}

// taken counts the rows on all nodes.
func (n *picky) taken() (rows int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, of := range n.rows {
		rows += len(of)
	}
	return rows
}

// seeking is a load to picky nodes, of rows whose values are given by key and clustering.
func seeking(
	t *testing.T,
	set func(*Options),
	values map[[2]int32]string,
	knows func(stamp int64) bool,
) (*picky, *pieces, error) {
	t.Helper()
	n := &picky{t: t, poison: "poison", rows: map[string]map[string]string{}}
	tg, _ := newTarget(t, func(o *Options) {
		o.Sender, o.FileBytes = n, 1<<20
		set(o)
	})
	p := &pieces{known: map[int64]*write.Row{}}
	var rows []*write.Row
	stamp := int64(1_700_000_000_000_000)
	for k := range int32(40) {
		for c := range int32(8) {
			for _, v := range strings.Split(values[[2]int32{k, c}], ",") {
				if v == "" {
					v = "good"
				}
				stamp++
				r := reading(p, k, c, v, stamp)
				if knows(stamp) {
					p.known[stamp] = r
				}
				rows = append(rows, r)
			}
		}
	}
	require.NoError(t, tg.Intake(readings.Columns).Put(t.Context(), rows))
	err := tg.flush(t.Context(), true)
	require.NoError(t, tg.batch.sorter.Close())
	if err == nil {
		require.EqualValues(t, 1, tg.Stats().Slices, "what is sent again is no other slice")
		require.EqualValues(t, 40, tg.Stats().Partitions)
	}
	return n, p, err
}

// forms of files: sorted partitions, SSTables made of them, and SSTables made without a spool.
var forms = map[string]func(t *testing.T, o *Options){
	"rows": func(*testing.T, *Options) {},
	"SSTables": func(_ *testing.T, o *Options) {
		o.Whole = &WholeOptions{FilterChance: 0.01, IndexInterval: 128}
	},
	"direct": func(t *testing.T, o *Options) {
		wholeOnOne(t, o)
		o.Memory = 16 << 20
	},
}

// Rows that nodes do not take are found and rejected. All others are there, on all of their nodes.
func TestRowsThatNodesDoNotTakeAreRejected(t *testing.T) {
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			var o *Options
			n, p, err := seeking(
				t,
				func(options *Options) { form(t, options); o = options },
				map[[2]int32]string{
					{3, 2}:  "poison",
					{3, 7}:  "poison",
					{17, 0}: "before,poison",
					{39, 7}: "poison,after",
				},
				func(int64) bool { return true },
			)
			require.NoError(t, err)
			require.Len(t, p.rejected, 3)
			for _, reason := range p.rejected {
				require.Contains(
					t,
					reason,
					"does not take it, or another row of its partition: cannot index; the table may have it or a part of it, on another replica",
				)
			}
			require.Equal(t, 40*8+2-3, p.written)
			want := map[string]map[string]string{}
			for k := range int32(40) {
				at := token.Murmur3.Hash(keyOf(k))
				for _, node := range o.replicas(o.Placement.Find(at)) {
					if want[node] == nil {
						want[node] = map[string]string{}
					}
					for c := range int32(8) {
						want[node][fmt.Sprint(k, c)] = "good"
					}
					switch k {
					case 3:
						delete(want[node], "3 2")
						delete(want[node], "3 7")
					case 17:
						want[node]["17 0"] = "before"
					case 39:
						want[node]["39 7"] = "after"
					}
				}
			}
			require.Equal(t, want, n.rows)
		})
	}
}

// Where the row of the input is not known, the error names the row, and the load stops.
func TestRowThatNodesDoNotTakeIsNamed(t *testing.T) {
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			n, p, err := seeking(
				t,
				func(o *Options) { form(t, o) },
				map[[2]int32]string{{17, 5}: "poison"},
				func(int64) bool { return false },
			)
			require.Equal(t, fault.Permanent, fault.ClassOf(err))
			require.ErrorIs(t, err, errPoison)
			require.ErrorContains(
				t,
				err,
				`does not take the row {"k": 17, "c": 5} of demo.readings, or another row of its partition, and would not the next time (drop it): java.lang.AssertionError`,
			)
			require.Empty(t, p.rejected)
			require.Zero(t, p.written)
			require.Less(t, n.sessions, 40)
		})
	}
}

// The search ends when it has found many rows, and earlier if the node takes no row at all.
func TestSearchForRowsIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		every    int32 // clustering with the value
		want     string
		sessions int
	}{
		"every row":       {1, "nor 10 rows before it, and would not the next time (drop it): java.lang.AssertionError", 60},
		"every other row": {2, "nor 100 rows before it, and would not the next time (drop it): java.lang.AssertionError", 1000},
	} {
		t.Run(name, func(t *testing.T) {
			values := map[[2]int32]string{}
			for k := range int32(40) {
				for at := range int32(8) {
					if at%c.every == 0 {
						values[[2]int32{k, at}] = "poison"
					}
				}
			}
			n, p, err := seeking(
				t,
				func(o *Options) { wholeOnOne(t, o); o.Whole = nil },
				values,
				func(int64) bool { return true },
			)
			require.ErrorContains(t, err, c.want)
			require.Equal(t, fault.Permanent, fault.ClassOf(err))
			require.Zero(t, p.written)
			require.Less(t, n.sessions, c.sessions)
		})
	}
}

// One node of two fails: the other one has the row, and it is rejected all the same.
func TestOneNodeDoesNotTakeARow(t *testing.T) {
	var o *Options
	n := &picky{t: t, poison: "poison", rows: map[string]map[string]string{}}
	n.refuses = func(node string) bool {
		return node == o.replicas(o.Placement.Find(token.Murmur3.Hash(keyOf(17))))[1]
	}
	_, p, err := seeking(
		t,
		func(options *Options) { o = options; options.Sender = n },
		map[[2]int32]string{{17, 5}: "poison"},
		func(int64) bool { return true },
	)
	require.NoError(t, err)
	require.Len(t, p.rejected, 1)
	require.Equal(t, 40*8-1, p.written)
}

// When a row was rejected, what is sent again is its partition alone.
func TestPartitionOfARejectedRowIsResent(t *testing.T) {
	keys := make([]int32, 40)
	for k := range keys {
		keys[k] = int32(k)
	}
	last := slices.MaxFunc(keys, func(a, b int32) int {
		return token.Murmur3.Hash(keyOf(a)).Compare(token.Murmur3.Hash(keyOf(b)))
	})
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			n, p, err := seeking(t, func(o *Options) {
				wholeOnOne(t, o)
				o.Whole, o.Sessions = nil, 1
				form(t, o)
			}, map[[2]int32]string{{last, 7}: "before,poison"}, func(int64) bool { return true })
			require.NoError(t, err)
			require.Len(t, p.rejected, 1)
			require.Equal(t, 40*8, p.written)
			require.Equal(t, "before", n.since[fmt.Sprint(last, 7)])
			require.Len(t, n.since, 8, "%v", n.since)
		})
	}
}

// A row that was found and rejected is not sent when the ring changes and the slice is sent again.
// The ring changes, and nodes take everything, once each replica has all other rows: until then a
// session that began before may carry the row.
func TestRejectedRowIsNotResent(t *testing.T) {
	const key, keys, replicas = 17, 40, 2
	before, after := ringOf(t, 0, 1, 2, 3), ringOf(t, 1, 2, 3)
	p := &pieces{known: map[int64]*write.Row{}}
	n := &picky{t: t, poison: "poison", rows: map[string]map[string]string{}}
	var changed atomic.Bool
	n.refuses = func(string) bool { return !changed.Load() }
	tg, _ := newTarget(t, func(o *Options) {
		o.Sender, o.FileBytes = n, 1<<20
		o.Ring = func(context.Context) (Ring, error) {
			if p.rejects() > 0 && n.taken() == replicas*(keys-1) {
				changed.Store(true)
				return after, nil
			}
			return before, nil
		}
	})
	var rows []*write.Row
	for k := range int32(keys) {
		r := reading(p, k, 1, "good", 1_700_000_000_000_000+int64(k))
		if k == key {
			r = reading(p, k, 1, "poison", r.Timestamp)
			p.known[r.Timestamp] = r
		}
		rows = append(rows, r)
	}
	require.NoError(t, tg.Intake(readings.Columns).Put(t.Context(), rows))
	require.NoError(t, tg.flush(t.Context(), true))
	require.NoError(t, tg.batch.sorter.Close())
	require.Len(t, p.rejected, 1)
	require.Equal(t, keys-1, p.written)
	require.True(t, changed.Load())
	for node, rows := range n.rows {
		require.NotContains(t, rows, fmt.Sprint(key, 1), node)
	}
}

// The search ends after ten rows of a node that takes no part of any file, whatever others take.
// More may be rejected: a row is one of the input, and the input may have several for a row of the
// table.
func TestSearchOfANodeThatTakesNoRow(t *testing.T) {
	var o *Options
	n := &picky{t: t, poison: "good", rows: map[string]map[string]string{}}
	n.refuses = func(node string) bool { return node == "node1" }
	_, p, err := seeking(
		t,
		func(options *Options) { o = options; o.Sender = n },
		nil,
		func(int64) bool { return true },
	)
	require.ErrorContains(t, err, "nor 10 rows before it")
	require.GreaterOrEqual(t, len(p.rejected), mostUntaken)
}

// A row of the table that very many rows of the input have made is named: these are not read again.
func TestRowOfManyRowsOfTheInput(t *testing.T) {
	n := &picky{t: t, poison: "poison", rows: map[string]map[string]string{}}
	tg, _ := newTarget(t, func(o *Options) { o.Sender, o.Append = n, true })
	p := &pieces{known: map[int64]*write.Row{}}
	var rows []*write.Row
	for i := range mostStamps + 1 {
		r := reading(p, 17, 5, "poison", 1_700_000_000_000_000+int64(i))
		r.Cells[3] = row.Cell{
			Bytes: cqlwire.AppendElem(cqlwire.AppendCount(nil, 1), keyOf(int32(i))),
			State: row.Set,
		}
		p.known[r.Timestamp] = r
		rows = append(rows, r)
	}
	require.NoError(t, tg.Intake(readings.Columns).Put(t.Context(), rows))
	err := tg.flush(t.Context(), true)
	require.NoError(t, tg.batch.sorter.Close())
	require.ErrorContains(
		t,
		err,
		`does not take the row {"k": 17, "c": 5} of demo.readings (made by 101 rows of the input), and would not`,
	)
	require.Equal(t, fault.Permanent, fault.ClassOf(err))
	require.Empty(t, p.rejected)
}
