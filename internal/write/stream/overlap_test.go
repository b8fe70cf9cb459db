package stream

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// senderFunc is a Sender that is a function.
type senderFunc func(ctx context.Context, node string, f File) error

func (s senderFunc) Send(ctx context.Context, node string, f File) error { return s(ctx, node, f) }

// oneNode returns a target of entire SSTables for a single node, and rows that fill several of
// them.
func oneNode(t *testing.T, p *pieces, send func(tg *Target) senderFunc) (*Target, []*write.Row) {
	t.Helper()
	var tg *Target
	tg, _ = newTarget(t, func(o *Options) {
		wholeOnOne(t, o)
		o.Sender = senderFunc(
			func(ctx context.Context, node string, f File) error { return send(tg)(ctx, node, f) },
		)
	})
	var rows []*write.Row
	for i := range 500 {
		rows = append(
			rows,
			reading(p, int32(i), 1, fmt.Sprintf("%0100d", i), 1_700_000_000_000_000),
		)
	}
	return tg, rows
}

// wholeOnOne sets the options to make entire SSTables for a single node.
func wholeOnOne(t *testing.T, o *Options) {
	t.Helper()
	one := token.Node{ID: "one", DC: "dc1", Rack: "r1"}
	for v := range 16 { // a file ends with a token range
		one.Tokens = append(one.Tokens, token.Murmur3.Hash(fmt.Append(nil, v)))
	}
	ring, err := token.NewRing(token.Murmur3, []token.Node{one})
	require.NoError(t, err)
	strategy, err := token.ParseStrategy(
		map[string]string{"class": "SimpleStrategy", "replication_factor": "1"},
	)
	require.NoError(t, err)
	o.Placement, o.Nodes = ring.Place(strategy), []string{"one"}
	o.Whole = &WholeOptions{
		FilterChance:  0.01,
		IndexInterval: 128,
		Compression: component.Compression{
			Compressor:  component.LZ4Compressor,
			ChunkLength: 16 << 10,
		},
	}
}

// What fills no file makes one SSTable, or two that do not overlap where that has two processors
// busy.
func TestARestMakesTwoSSTables(t *testing.T) {
	for _, c := range []struct {
		processors, rows int
		fileBytes        int64
		want             int
	}{
		{processors: 1, rows: 100, fileBytes: 64 << 20, want: 1},
		{processors: 2, rows: 100, fileBytes: 64 << 20, want: 2},
		{processors: 2, rows: 60, fileBytes: 64 << 20, want: 1},
		{processors: 2, rows: 200, fileBytes: 10 << 20, want: 2}, // one that is full, and the rest
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.processors))
			p := &pieces{}
			var sent []*Whole
			var mu sync.Mutex
			tg, _ := newTarget(t, func(o *Options) {
				wholeOnOne(t, o)
				o.Memory, o.FileBytes = 8<<20, c.fileBytes
				o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
					mu.Lock()
					defer mu.Unlock()
					sent = append(sent, f.Whole)
					return nil
				})
			})
			long := strings.Repeat("long", 25_000)
			var rows []*write.Row
			for i := range c.rows {
				rows = append(rows, reading(p, int32(i), 1, long, 1_700_000_000_000_000))
			}
			require.NoError(t, load(t, tg, rows))
			require.Equal(t, c.rows, p.written)
			require.Len(t, sent, c.want)
			slices.SortFunc(
				sent,
				func(a, b *Whole) int {
					return token.Murmur3.Hash(a.First).Compare(token.Murmur3.Hash(b.First))
				},
			)
			for i := 1; i < len(sent); i++ {
				require.True(
					t,
					token.Murmur3.Hash(sent[i-1].Last).Less(token.Murmur3.Hash(sent[i].First)),
				)
			}
		})
	}
}

// An SSTable counts as sorted when it is made, and as sent by the bytes that were sent.
func TestMakingIsNotSending(t *testing.T) {
	p := &pieces{}
	var c progress.Counters
	c.Stage.Begin(progress.StageSorting, progress.StageSending)
	tg, _ := newTarget(t, func(o *Options) {
		wholeOnOne(t, o)
		o.Progress, o.Memory, o.FileBytes = &c, 1<<20, 64<<20
		o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
			require.Zero(t, c.Slice.Sent())
			require.Equal(t, progress.StageSending, c.ReadNow(time.Now()).Stage.Name)
			f.Transfer.Sent(int(f.Size()/2), int(f.Size()/2))
			require.InDelta(t, 0.5, c.Slice.Sent(), 0.01)
			f.Transfer.Sent(int(f.Size()-f.Size()/2), int(f.Size()-f.Size()/2))
			require.InDelta(t, 1, c.Slice.Sent(), 1e-9)
			return nil
		})
	})
	rows, _ := many(p, 2000)
	require.NoError(t, load(t, tg, rows))
}

// made lists the SSTables that are on the disk.
func made(t *testing.T, tg *Target) int {
	t.Helper()
	entries, err := os.ReadDir(tg.folder)
	require.NoError(t, err)
	return len(entries)
}

// While SSTables are sent, the next ones of their queue are made, one for each processor, and no
// others.
func TestNextIsMadeWhileOneIsSent(t *testing.T) {
	p := &pieces{}
	most := nodeSessions + runtime.GOMAXPROCS(0)
	var sent atomic.Int64
	var full atomic.Bool // one of the first files saw enough SSTables made
	tg, rows := oneNode(t, p, func(tg *Target) senderFunc {
		return func(context.Context, string, File) error {
			if sent.Add(1) <= nodeSessions {
				require.Eventually(t, func() bool {
					if made(t, tg) >= min(most, 4) {
						full.Store(true)
					}
					return full.Load()
				}, time.Minute, time.Millisecond)
			}
			require.LessOrEqual(t, made(t, tg), most)
			return nil
		}
	})
	require.NoError(t, load(t, tg, rows))
	require.Greater(t, sent.Load(), int64(3))
	require.Equal(t, 500, p.written)
	require.NoDirExists(t, tg.folder)
}

// A node is sent at most two files at the same time, be they SSTables or rows.
func TestANodeIsSentTwoFilesAtATime(t *testing.T) {
	t.Run("rows", func(t *testing.T) { sentAtATime(t, func(o *Options) { o.Whole = nil }) })
	t.Run("whole", func(t *testing.T) { sentAtATime(t, func(*Options) {}) })
}

func sentAtATime(t *testing.T, set func(*Options)) {
	p := &pieces{}
	var under, most atomic.Int64
	tg, rows := oneNode(t, p, func(*Target) senderFunc {
		return func(context.Context, string, File) error {
			most.Store(max(most.Load(), under.Add(1))) // one that is overtaken is seen by the next
			defer under.Add(-1)
			if most.Load() == 1 {
				require.Eventually(
					t,
					func() bool { return under.Load() > 1 },
					time.Minute,
					time.Millisecond,
				)
			}
			time.Sleep(time.Millisecond)
			return nil
		}
	})
	set(&tg.o)
	require.NoError(t, load(t, tg, rows))
	require.EqualValues(t, nodeSessions, most.Load())
	require.Equal(t, 500, p.written)
}

// An SSTable that waits for one that fails is not sent, and none is left on the disk.
func TestMadeButNotSent(t *testing.T) {
	p := &pieces{}
	var sent atomic.Int64
	tg, rows := oneNode(t, p, func(tg *Target) senderFunc {
		return func(ctx context.Context, _ string, _ File) error {
			sent.Add(1)
			require.Eventually(
				t,
				func() bool { return made(t, tg) >= 2 || ctx.Err() != nil },
				time.Minute,
				time.Millisecond,
			)
			return fault.New(fault.Fatal, fmt.Errorf("gone"))
		}
	})
	require.ErrorContains(t, load(t, tg, rows), "gone")
	require.LessOrEqual(t, sent.Load(), int64(nodeSessions))
	require.Zero(t, p.written)
	require.NoDirExists(t, tg.folder)
}
