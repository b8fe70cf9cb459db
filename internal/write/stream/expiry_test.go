package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// tagged is a table with two collections that are not frozen.
var tagged = schema.New("demo", "tagged", []schema.Column{
	tabletest.Column(
		"k",
		schema.PartitionKey,
		0,
		"int",
	),
	tabletest.Column("a", schema.Regular, 0, "set<text>"),
	tabletest.Column("b", schema.Regular, 0, "set<text>"),
})

// clock is a time that a test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// rowsOf reads the rows of a file as a node does: by its header.
func rowsOf(t *testing.T, v component.Version, f File, each func(*sstable.Row)) {
	t.Helper()
	keyedRowsOf(t, v, f, func(_ []byte, r *sstable.Row) { each(r) })
}

// keyedRowsOf reads the rows of a file with the keys of their partitions.
func keyedRowsOf(t *testing.T, v component.Version, f File, each func(key []byte, r *sstable.Row)) {
	t.Helper()
	itemsOf(t, v, f, func(item sstable.Item, d sstable.Source) {
		if item == sstable.RegularRow {
			each(d.Key(), d.Row())
		}
	})
}

// itemsOf reads a file as a node does: by its header, or as an SSTable.
func itemsOf(t *testing.T, v component.Version, f File, each func(sstable.Item, sstable.Source)) {
	t.Helper()
	var d sstable.Source
	if f.Whole == nil {
		codec, err := sstable.ReadCodec(f.Header, v)
		require.NoError(t, err)
		d = sstable.NewDecoder(codec, io.LimitReader(f.Open(), f.Bytes), 1<<20)
	} else {
		table, err := tablefile.Open(tablefile.Folder(f.Whole.folder, f.Whole.Descriptor))
		require.NoError(t, err)
		defer table.Close()
		d, err = table.Within([]token.Range{token.Whole(token.Murmur3)})
		require.NoError(t, err)
	}
	for {
		item, err := d.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		each(item, d)
	}
}

// A row lives from when its slice is sent, however long it waited there, and so do deletions.
func TestExpiryIsCountedFromTheSending(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	for name, version := range map[string]component.Version{"nb": component.NB, "oa": component.OA} {
		t.Run(name, func(t *testing.T) {
			now := &clock{at: start}
			expiries := map[int64]int{}
			tg, _ := newTarget(t, func(o *Options) {
				o.Clock, o.Slice, o.TTL, o.Version, o.Sessions = now.now, 1, 90, version, 1
				o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
					codec, err := sstable.ReadCodec(f.Header, version)
					require.NoError(t, err)
					require.Equal(t, now.now().Unix(), codec.Minima().Time)
					rowsOf(t, version, f, func(r *sstable.Row) {
						require.Equal(t, int32(90), r.Liveness.TTL)
						expiries[r.Liveness.Expiry]++
						for _, c := range r.Cells {
							require.Equal(t, r.Liveness.Expiry, c.Time)
						}
					})
					return nil
				})
			})
			in := tg.Intake(readings.Columns)
			p := &pieces{}
			require.NoError(
				t,
				in.Put(t.Context(), []*write.Row{reading(p, 1, 1, "a", 1_700_000_000_000_000)}),
			)
			now.pass(100 * time.Second)
			require.NoError(t, tg.flush(t.Context(), false))
			require.Equal(
				t,
				map[int64]int{start.Unix() + 190: 2},
				expiries,
				"two replicas have the same",
			)
			require.NoError(
				t,
				in.Put(t.Context(), []*write.Row{reading(p, 2, 1, "b", 1_700_000_000_000_001)}),
			)
			now.pass(100 * time.Second)
			require.NoError(t, tg.flush(t.Context(), true))
			require.Equal(t, map[int64]int{start.Unix() + 190: 2, start.Unix() + 290: 2}, expiries)
			require.NoError(t, tg.batch.sorter.Close())
		})
	}
}

// A column that is appended to beside one that is deleted has no deletion, by its time too, which
// is a fixed one.
func TestColumnWithoutDeletionBesideOneThatHasOne(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	now := &clock{at: start}
	var kept []sstable.ColumnDeletion
	tg, _ := newTarget(t, func(o *Options) {
		o.Clock, o.Append, o.Table, o.Sessions = now.now, true, tagged, 1
		o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
			rowsOf(t, component.NB, f, func(r *sstable.Row) {
				kept = append(kept[:0], r.Deletions...)
				require.Len(t, r.Cells, 1)
			})
			return nil
		})
	})
	key := []byte{0, 0, 0, 1}
	require.NoError(t, tg.Intake(tagged.Columns).Put(t.Context(), []*write.Row{{
		Row: row.Row{
			Cells: []row.Cell{
				{Bytes: key, State: row.Set},
				{State: row.Null},
				{Bytes: []byte{0, 0, 0, 1, 0, 0, 0, 1, 'x'}, State: row.Set},
			},
			Timestamp: 1_700_000_000_000_000,
			Token:     token.Murmur3.Hash(key),
		}, Tracker: &pieces{},
	}}))
	now.pass(100 * time.Second)
	require.NoError(t, tg.flush(t.Context(), true))
	require.NoError(t, tg.batch.sorter.Close())
	require.Equal(t, []sstable.ColumnDeletion{
		{
			Column: 0,
			Deletion: sstable.Deletion{
				Set:       true,
				Timestamp: 1_700_000_000_000_000 - 1,
				Time:      start.Unix() + 100,
			},
		},
		{Column: 1, Deletion: sstable.Deletion{Time: 1<<31 - 1}},
	}, kept)
}

// A cell that would expire later than its version can store, only because it waited, expires at the
// last second that it can.
func TestExpiryIsCutOff(t *testing.T) {
	last := component.NB.MaxExpiry()
	now := &clock{at: time.Unix(last-100, 0)}
	var expiries []int64
	tg, _ := newTarget(t, func(o *Options) {
		o.Clock, o.TTL, o.Sessions = now.now, 90, 1
		o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
			rowsOf(
				t,
				component.NB,
				f,
				func(r *sstable.Row) { expiries = append(expiries, r.Liveness.Expiry) },
			)
			return nil
		})
	})
	require.NoError(
		t,
		tg.Intake(readings.Columns).
			Put(t.Context(), []*write.Row{reading(&pieces{}, 1, 1, "a", 1)}),
	)
	now.pass(50 * time.Second)
	require.NoError(t, tg.flush(t.Context(), true))
	require.NoError(t, tg.batch.sorter.Close())
	require.Equal(t, []int64{last, last}, expiries)
}

// A row that would expire later than a version can store expires at the last second that it can.
// Other rows of its slice, and its deletions, are counted from when they are sent.
func TestExpiryCutOffMovesNoOtherExpiry(t *testing.T) {
	const years, wait = 630_720_000, 3600
	for name, version := range map[string]component.Version{"nb": component.NB, "oa": component.OA} {
		for form, spooled := range map[string]bool{"spooled": true, "direct": false} {
			t.Run(name+", "+form, func(t *testing.T) {
				last := version.MaxExpiry()
				begun := last - years
				now := &clock{at: time.Unix(begun, 0)}
				expiries := map[string][]int64{}
				var deleted []int64
				tg, _ := newTarget(t, func(o *Options) {
					o.Clock, o.Single, o.Sessions = now.now, true, 1
					o.Version, o.Table, o.Append = version, tagged, true
					if !spooled {
						wholeOnOne(t, o)
						o.Memory = 16 << 20
					}
					o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
						require.Equal(t, spooled, f.Whole == nil)
						keyedRowsOf(t, version, f, func(key []byte, r *sstable.Row) {
							at := fmt.Sprint(key[3])
							expiries[at] = append(expiries[at], r.Liveness.Expiry)
							for _, c := range r.Cells {
								require.Equal(t, r.Liveness.Expiry, c.Time)
								require.Equal(t, r.Liveness.TTL, c.TTL)
							}
							for _, d := range r.Deletions {
								if d.Set {
									deleted = append(deleted, d.Time)
								}
							}
						})
						return nil
					})
				})
				p := &pieces{}
				var rows []*write.Row
				for k, ttl := range []int32{years, years - wait, years - wait + 1, 90, 0} {
					key := keyOf(int32(k))
					rows = append(rows, &write.Row{Row: row.Row{
						Cells: []row.Cell{
							{Bytes: key, State: row.Set},
							{State: row.Null},
							{Bytes: []byte{0, 0, 0, 1, 0, 0, 0, 1, 'x'}, State: row.Set},
						},
						Timestamp: 1,
						TTL:       ttl,
						Token:     token.Murmur3.Hash(key),
					}, Tracker: p})
				}
				require.NoError(t, tg.Intake(tagged.Columns).Put(t.Context(), rows))
				now.pass(wait * time.Second)
				require.NoError(t, tg.flush(t.Context(), true))
				require.NoError(t, tg.batch.sorter.Close())
				sent := begun + wait
				require.Equal(
					t,
					map[string][]int64{
						"0": {last},
						"1": {last},
						"2": {last},
						"3": {sent + 90},
						"4": {0},
					},
					expiries,
				)
				require.Equal(t, []int64{sent, sent, sent, sent, sent}, deleted)
			})
		}
	}
}

// The time to live of a row that is rejected for it says nothing of the rows that it came with.
func TestRejectedTTLMovesNoOtherExpiry(t *testing.T) {
	now := &clock{at: time.Unix(1_800_000_000, 0)}
	var expiries []int64
	tg, _ := newTarget(t, func(o *Options) {
		o.Clock, o.Single, o.Sessions = now.now, true, 1
		o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
			rowsOf(
				t,
				component.NB,
				f,
				func(r *sstable.Row) { expiries = append(expiries, r.Liveness.Expiry) },
			)
			return nil
		})
	})
	p := &pieces{}
	kept, refused := reading(p, 1, 1, "a", 1), reading(p, 2, 1, "a", 1)
	kept.TTL, refused.TTL = 90, 630_720_000
	require.NoError(t, tg.Intake(readings.Columns).Put(t.Context(), []*write.Row{refused, kept}))
	require.NoError(t, tg.flush(t.Context(), true))
	require.NoError(t, tg.batch.sorter.Close())
	require.Equal(t, []int64{1_800_000_090}, expiries)
}

// A slice that is longer under way than its rows live is reported, once.
func TestOverdueSlice(t *testing.T) {
	for name, c := range map[string]struct {
		took time.Duration
		want int
	}{"in time": {19 * time.Second, 0}, "late": {20 * time.Second, 1}} {
		t.Run(name, func(t *testing.T) {
			now, told := &clock{at: time.Unix(1_700_000_000, 0)}, 0
			tg, _ := newTarget(t, func(o *Options) {
				o.Clock, o.Slice, o.Single, o.Sessions = now.now, 1, true, 1
				o.Sender = senderFunc(
					func(context.Context, string, File) error { now.pass(c.took); return nil },
				)
				o.OnOverdue = func(ttl, took time.Duration) {
					require.Equal(t, 20*time.Second, ttl)
					require.Equal(t, c.took, took)
					told++
				}
			})
			in, p := tg.Intake(readings.Columns), &pieces{}
			for slice, ttl := range []int32{0, 20, 20} {
				one := reading(p, 1, 1, "a", int64(slice))
				other := reading(p, 1, 1, "a", int64(slice))
				one.TTL, other.TTL = ttl, ttl*2
				require.NoError(t, in.Put(t.Context(), []*write.Row{one, other}))
				require.NoError(t, tg.flush(t.Context(), false))
			}
			require.Equal(t, c.want, told)
			require.NoError(t, tg.batch.sorter.Close())
		})
	}
}
