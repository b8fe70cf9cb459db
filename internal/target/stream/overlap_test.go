package stream

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/target"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// senderFunc is a Sender that is a function.
type senderFunc func(ctx context.Context, node string, f File) error

func (s senderFunc) Send(ctx context.Context, node string, f File) error { return s(ctx, node, f) }

// oneNode makes a target of whole SSTables for a single node, and rows that fill several of them.
func oneNode(t *testing.T, p *pieces, send func(tg *Target) senderFunc) (*Target, []*target.Row) {
	t.Helper()
	var tg *Target
	tg, _ = newTarget(t, func(o *Options) {
		one := token.Node{ID: "one", DC: "dc1", Rack: "r1"}
		for v := range 16 { // a file ends with a token range
			one.Tokens = append(one.Tokens, token.Murmur3.Hash(fmt.Append(nil, v)))
		}
		ring, err := token.NewRing(token.Murmur3, []token.Node{one})
		require.NoError(t, err)
		strategy, err := token.ParseStrategy(map[string]string{"class": "SimpleStrategy", "replication_factor": "1"})
		require.NoError(t, err)
		o.Placement, o.Nodes = ring.Place(strategy), []string{"one"}
		o.Whole = &WholeOptions{FilterChance: 0.01, IndexInterval: 128, Compression: sstable.Compression{Compressor: sstable.LZ4Compressor, ChunkLength: 16 << 10}}
		o.Sender = senderFunc(func(ctx context.Context, node string, f File) error { return send(tg)(ctx, node, f) })
	})
	var rows []*target.Row
	for i := range 500 {
		rows = append(rows, reading(p, int32(i), 1, fmt.Sprintf("%0100d", i), 1_700_000_000_000_000))
	}
	return tg, rows
}

// made lists the SSTables that are on the disk.
func made(t *testing.T, tg *Target) int {
	t.Helper()
	entries, err := os.ReadDir(tg.folder)
	require.NoError(t, err)
	return len(entries)
}

// While an SSTable is sent, the next one of its queue is made, and no others.
func TestNextIsMadeWhileOneIsSent(t *testing.T) {
	p := &pieces{}
	sent := 0
	tg, rows := oneNode(t, p, func(tg *Target) senderFunc {
		return func(context.Context, string, File) error {
			if sent++; sent == 1 {
				require.Eventually(t, func() bool { return made(t, tg) == 2 }, time.Minute, time.Millisecond)
			}
			require.LessOrEqual(t, made(t, tg), 2)
			return nil
		}
	})
	require.NoError(t, load(t, tg, rows))
	require.Greater(t, sent, 3)
	require.Equal(t, 500, p.written)
	require.NoDirExists(t, tg.folder)
}

// An SSTable that waits for one that fails is not sent, and none is left on the disk.
func TestMadeButNotSent(t *testing.T) {
	p := &pieces{}
	var sent atomic.Int64
	tg, rows := oneNode(t, p, func(tg *Target) senderFunc {
		return func(context.Context, string, File) error {
			sent.Add(1)
			require.Eventually(t, func() bool { return made(t, tg) == 2 }, time.Minute, time.Millisecond)
			return fault.New(fault.Fatal, fmt.Errorf("gone"))
		}
	})
	require.ErrorContains(t, load(t, tg, rows), "gone")
	require.EqualValues(t, 1, sent.Load())
	require.Zero(t, p.written)
	require.NoDirExists(t, tg.folder)
}
