package load

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// remembering is a journal that knows what an earlier run did of its one input.
type remembering struct {
	forgetful
	mu       sync.Mutex
	pieces   map[int64]ingest.Piece
	standing map[int64]ingest.PieceState
}

func (j *remembering) EarlierPiece(_ int, offset int64) (ingest.Piece, ingest.PieceState) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.pieces[offset], j.standing[offset]
}

func (j *remembering) Seen(int) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	var end int64
	for offset, p := range j.pieces {
		end = max(end, offset+max(int64(p.Bytes), 1))
	}
	return end
}

func (j *remembering) Begin(pieces ...ingest.Piece) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range pieces {
		j.pieces[p.Offset], j.standing[p.Offset] = p, ingest.PieceBegun
	}
	return nil
}

func (j *remembering) Complete(p ingest.Piece, t ingest.Tally, rejects []ingest.Reject) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pieces[p.Offset], j.standing[p.Offset] = p, ingest.PieceCompleted
	return j.forgetful.Complete(p, t, rejects)
}

// An input that was changed is not gone on with, however it is cut now.
func TestChangedInput(t *testing.T) {
	const header = "id,n\n"
	for name, changed := range map[string]string{
		"a value":                      "1,1\n2,1\n3,1\n4,2\n5,1\n6,1\n7,1\n8,1\n9,1\n",
		"the first of a piece is bad":  "1,1\n2,1\n3,1\n4,\"\n5,1\n6,1\n7,1\n8,1\n9,1\n",
		"a line more":                  "0,1\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n9,1\n",
		"a line longer than the piece": "1,1\n2,1\n3,1\n4,1111111111111\n5,1\n6,1\n7,1\n8,1\n9,1\n",
	} {
		t.Run(name, func(t *testing.T) {
			job, c, rejects := newJob(
				t,
				hits,
				header+"1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n9,1\n",
			)
			j := &remembering{
				forgetful: forgetful{rejects},
				pieces:    map[int64]ingest.Piece{},
				standing:  map[int64]ingest.PieceState{},
			}
			job.Journal, job.ChunkSize = j, 12
			mustRun(t, job, c)
			job.Inputs = []ingest.Input{text("f", header+changed)}
			_, err := job.Run(t.Context())
			require.ErrorContains(t, err, "the input was changed")
			for id := range 10 {
				require.LessOrEqual(t, c.applied[id], 1, "row %d", id)
			}
		})
	}
}

// A piece has no more records than it may.
func TestChunkRecords(t *testing.T) {
	job, c, rejects := newJob(t, hits, numbered("id,n", 100))
	j := &remembering{
		forgetful: forgetful{rejects},
		pieces:    map[int64]ingest.Piece{},
		standing:  map[int64]ingest.PieceState{},
	}
	job.Journal, job.ChunkRecords = j, 7
	mustRun(t, job, c)
	require.Len(t, j.pieces, 15)
	for _, p := range j.pieces {
		require.LessOrEqual(t, p.Count, 7)
	}
}
