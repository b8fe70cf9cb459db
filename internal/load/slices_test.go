package load_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// numbers is a table of two ints.
var numbers = schema.New("demo", "numbers", []schema.Column{
	tabletest.Column("id", schema.PartitionKey, 0, "int"), tabletest.Column("n", schema.Regular, 0, "int"),
})

// storage is one node, that takes files as long as it may.
type storage struct {
	codec *sstable.Codec
	takes func() error

	mu     sync.Mutex
	stamps map[int]map[int64]bool // by id: the timestamps that it came with, taken or not
	came   map[int]int            // by id: how often
	taken  map[int]int            // by id: how often it was taken
}

// Send is a method of stream.Sender.
func (s *storage) Send(_ context.Context, _ string, f stream.File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	result, take := s.takes(), 1
	if result != nil {
		take = 0
	}
	d := sstable.NewDecoder(s.codec, f.Open(), 1<<20)
	for {
		switch item, err := d.Next(); {
		case errors.Is(err, io.EOF):
			return result
		case err != nil:
			return err
		case item == sstable.RegularRow:
			id := int(binary.BigEndian.Uint32(d.Key()))
			if s.stamps[id] == nil {
				s.stamps[id] = make(map[int64]bool)
			}
			s.stamps[id][d.Row().Liveness.Timestamp] = true
			s.came[id]++
			s.taken[id] += take
		}
	}
}

// A load by streaming that fails after some slices resumes with the rest only: completed pieces are
// not sent again, and rows that are sent again keep their timestamps.
func TestStreamedSlicesAreResumed(t *testing.T) {
	const rows = 4000
	job, _, rejects := loadtest.NewJob(numbers, loadtest.Numbered("id,n", rows))
	job.Inputs[0].Plain = true
	journal := loadtest.NewPieceJournal(rejects)

	job.Journal, job.ChunkSize = journal, 1<<10
	ring, err := token.NewRing(
		token.Murmur3,
		[]token.Node{{ID: "one", DC: "dc1", Rack: "r1", Tokens: []token.Token{{}}}},
	)
	require.NoError(t, err)
	strategy, err := token.ParseStrategy(
		map[string]string{"class": "SimpleStrategy", "replication_factor": "1"},
	)
	require.NoError(t, err)
	now := time.Now()
	plan, err := sstable.Plan(&sstable.Table{
		Key: []sstable.Column{
			{Name: "id", Type: numbers.Columns[0].Type},
		},
		Regulars: []sstable.Column{{Name: "n", Type: numbers.Columns[1].Type}},
	})
	require.NoError(t, err)
	codec, err := sstable.NewCodec(
		plan,
		component.NB,
		sstable.Minima{Timestamp: now.UnixMicro() - 1, Time: now.Unix()},
	)
	require.NoError(t, err)
	node := &storage{
		codec:  codec,
		stamps: map[int]map[int64]bool{},
		came:   map[int]int{},
		taken:  map[int]int{},
	}
	target := func() *stream.Target {
		tg, err := stream.New(stream.Options{
			Table:     numbers,
			Placement: ring.Place(strategy),
			Nodes:     []string{"one"},
			Sender:    node,
			Clock:     func() time.Time { return now },
			Timestamp: now.UnixMicro(),
			Dir:       t.TempDir(),
			Slice:     10 << 10,
		})
		require.NoError(t, err)
		return tg
	}

	files := 0
	node.takes = func() error {
		if files++; files > 2 {
			return fault.New(fault.Fatal, errors.New("gone"))
		}
		return nil
	}
	job.Stream = target()
	first, err := job.Run(t.Context())
	require.ErrorContains(t, err, "gone")
	require.Positive(t, first.Written)
	require.Less(t, first.Written, int64(rows))
	require.Greater(t, len(node.came), int(first.Written), "a slice was under way")

	node.takes = func() error { return nil }
	job.Stream = target()
	_, err = job.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, node.taken, rows)
	twice := 0
	for id, times := range node.taken {
		require.Equal(t, 1, times, "row %d", id)
		require.Len(t, node.stamps[id], 1, "timestamps of row %d", id)
		if node.came[id] > 1 {
			twice++
		}
	}
	require.Positive(t, twice)
}
