package stream

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// SSTables made as records are merged have the rows that those have which are made of a spool.
func TestSSTablesAreMadeWithoutASpool(t *testing.T) {
	for name, c := range map[string]struct {
		memory, file int64
	}{
		"of records in memory":                {16 << 20, 64 << 20},
		"of records on the disk":              {16 << 10, 64 << 20},
		"of records in memory, many SSTables": {16 << 20, 8 << 10},
		"of records on the disk, many":        {16 << 10, 8 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			var files atomic.Int64
			p := &pieces{}
			rows, last := many(p, 4000)
			tg, n := newTarget(t, func(o *Options) {
				wholeOnOne(t, o)
				o.Whole.Compression = component.Compression{}
				o.Memory, o.FileBytes = c.memory, c.file
			})
			n.rows["one"] = map[string]string{}
			tg.o.Sender = senderFunc(func(_ context.Context, node string, f File) error {
				data, err := os.ReadFile(f.Whole.Path(component.DataDB))
				require.NoError(t, err)
				require.Less(t, f.Bytes, c.file/4*5+1<<10)
				files.Add(1)
				return n.take(
					node,
					File{
						Bytes: f.Bytes,
						Keys:  f.Keys,
						Open:  func() io.Reader { return bytes.NewReader(data) },
					},
				)
			})
			require.NoError(t, load(t, tg, rows))
			require.Equal(t, last, n.rows["one"])
			require.Equal(t, 4000, p.written)
			stats, keys := tg.Stats(), make(map[int32]bool)
			for _, r := range rows {
				keys[int32(r.Token.Lo)] = true
			}
			require.EqualValues(t, len(keys), stats.Partitions)
			require.Equal(t, c.memory == 16<<10, stats.Spilled > 0)
			require.Equal(t, c.file == 8<<10, files.Load() > 4, "%d SSTables", files.Load())
		})
	}
}

func TestSSTablesThatNeedNoSpool(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for name, c := range map[string]struct {
		set  func(o *Options)
		want int
	}{
		"one node":            {func(*Options) {}, 1},
		"rows, not SSTables":  {func(o *Options) { o.Whole = nil }, 0},
		"more than a file":    {func(o *Options) { o.FileBytes = 1 << 10 }, 2},
		"records on the disk": {func(o *Options) { o.Memory = 16 << 10 }, 1},
		"other nodes' rows":   {func(o *Options) { o.Placement, o.Nodes = ring(t) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rows, _ := many(&pieces{}, 1000)
			tg, _ := newTarget(t, func(o *Options) {
				wholeOnOne(t, o)
				o.Memory, o.FileBytes = 16<<20, 64<<20
				c.set(o)
			})
			require.NoError(t, tg.Intake(readings.Columns).Put(t.Context(), rows))
			d := newDelivery(t.Context(), &tg.shipper, tg.codec, tg.batch.bytes.Load())
			defer d.cancel()
			require.Len(t, tg.direct(d, tg.batch.sorter.Merges()), c.want)
			require.NoError(t, tg.batch.sorter.Close())
		})
	}
}

// A filter has room for all partitions, also where records take many times the bytes that an
// SSTable has of them.
func TestFiltersHaveRoom(t *testing.T) {
	const partitions, of = 12_000, 16
	p := &pieces{}
	long := strings.Repeat("long", 25)
	var rows []*write.Row
	for i := range int32(partitions * of) { // those of a partition make one row
		rows = append(rows, reading(p, i%partitions, 1, long, 1_700_000_000_000_000+int64(i)))
	}
	tg, _ := newTarget(t, func(o *Options) {
		wholeOnOne(t, o)
		o.Memory, o.FileBytes = 64<<20, 1<<20
	})
	var files atomic.Int64
	tg.o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
		files.Add(1)
		db, err := os.ReadFile(f.Whole.Path(component.FilterDB))
		require.NoError(t, err)
		filter, err := component.ParseFilter(db, component.NB)
		require.NoError(t, err)
		wrong := 0
		for i := range int32(10_000) {
			if filter.Has(keyOf(partitions + i)) {
				wrong++
			}
		}
		require.Less(
			t,
			wrong,
			500,
			"of 10,000 keys that an SSTable of %d partitions does not have",
			f.Keys,
		)
		return nil
	})
	require.NoError(t, load(t, tg, rows))
	require.EqualValues(t, partitions, tg.Stats().Partitions)
	require.LessOrEqual(
		t,
		files.Load(),
		int64(2*stretches()+2),
		"where the first filter is full another SSTable is begun, and hardly more",
	)
}

// Stretches of tokens share two SSTables, and one without rows makes none.
func TestStretchesMakeSSTables(t *testing.T) {
	for name, c := range map[string]struct {
		processors int
		below      uint64 // tokens of rows
		want       int
	}{
		"three stretches": {3, math.MaxUint64, 2},
		"an empty one":    {2, 1 << 63, 1},
	} {
		t.Run(name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.processors))
			p := &pieces{}
			var mu sync.Mutex
			var sent int
			tg, _ := newTarget(t, func(o *Options) {
				wholeOnOne(t, o)
				o.Memory, o.FileBytes = 64<<20, 128<<20
				o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
					mu.Lock()
					defer mu.Unlock()
					sent++
					return nil
				})
			})
			long := strings.Repeat("long", 25_000)
			var rows []*write.Row
			for i := range int32(1000) {
				if r := reading(
					p,
					i,
					1,
					long,
					1_700_000_000_000_000,
				); r.Token.Lo < c.below &&
					len(rows) < 100 {
					rows = append(rows, r)
				}
			}
			require.NoError(t, load(t, tg, rows))
			require.Equal(t, c.want, sent)
			require.EqualValues(t, 100, tg.Stats().Partitions)
		})
	}
}
