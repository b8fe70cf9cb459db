package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// chunkRun is a run with chunks and a budget, and no more.
func chunkRun(memory int64) *run {
	j := &Job{ChunkSize: 1 << 10, Memory: memory, Target: new(yielding)}
	return &run{job: j, empty: make(chan *chunk, 4), memory: pace.NewBudget(memory)}
}

// yielding is a target that only counts how often it is asked to send what it holds back.
type yielding struct {
	write.Target
	asked int
}

func (y *yielding) MemoryLow(on bool) {
	if on {
		y.asked++
	}
}

func sized(r *run, bytes int) *chunk {
	return &chunk{
		Chunk: format.Chunk{Data: make([]byte, bytes)},
		size:  r.job.ChunkSize,
		views: []*view{{mapping: &Mapping{}}},
	}
}

// The cells of a chunk that is used again do not keep the values of a large record.
func TestRecycledChunkForgetsLargeValues(t *testing.T) {
	r := chunkRun(1 << 20)
	c := sized(r, 8<<10)
	c.values.Arena = make([]byte, 8<<10)
	c.values.Cells = append(c.values.Cells, row.Cell{Bytes: c.values.Arena, State: row.Set})
	c.buffer = c.Data
	r.recycle(c)
	require.Nil(t, c.values.Arena)
	require.Nil(t, c.buffer)
	for _, cell := range c.values.Cells[:cap(c.values.Cells)] {
		require.Nil(t, cell.Bytes)
	}
}

// Behind a large record, a chunk has its memory before it is cut. If it turns out to be small, it
// gives back what it does not need.
func TestChunkBehindALargeOne(t *testing.T) {
	r := chunkRun(100 << 10)
	first := sized(r, 10<<10)
	require.NoError(t, r.reserveForLarge(t.Context(), first))
	require.Zero(t, r.memory.Used(), "nothing is known before the first")
	require.NoError(t, r.admit(t.Context(), first))
	require.Equal(t, first.weigh(), r.memory.Used())
	require.EqualValues(t, 4, r.memory.Used()/int64(len(first.Data)))

	second := sized(r, 500)
	require.NoError(t, r.reserveForLarge(t.Context(), second))
	require.Equal(t, 2*first.weigh(), r.memory.Used())
	require.NoError(t, r.admit(t.Context(), second))
	require.Equal(t, first.weigh()+second.weigh(), r.memory.Used())

	third := sized(r, 500)
	require.NoError(t, r.reserveForLarge(t.Context(), third))
	require.Equal(t, first.weigh()+second.weigh(), r.memory.Used(), "the one before is small")
}

// Before a chunk that takes more than half of the memory, unused chunks give up theirs.
func TestLargeChunkHasTheMemoryOfIdleOnes(t *testing.T) {
	r := chunkRun(64 << 10)
	idle := &chunk{size: r.job.ChunkSize, buffer: make([]byte, 1<<10)}
	idle.values.Arena = make([]byte, 1<<10)
	r.empty <- idle
	require.NoError(t, r.admit(t.Context(), sized(r, 3<<10)))
	require.NotNil(t, idle.buffer)
	require.NoError(t, r.admit(t.Context(), sized(r, 11<<10)))
	require.Nil(t, idle.buffer)
	require.Nil(t, idle.values.Arena)
	require.Len(t, r.empty, 1)
	require.Zero(t, r.job.Target.(*yielding).asked)
}
