package records

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

func TestPieces(t *testing.T) {
	var s pieces
	for _, offset := range []int64{0, 10, 30, 20, 5} {
		s.at(2, offset).bytes = int(offset) + 1
	}
	s.at(2, 20).state = ingest.PieceCompleted
	require.Len(t, s, 3)
	for i, offset := range []int64{0, 5, 10, 20, 30} {
		require.Equal(t, offset, s[2][i].offset)
		require.Equal(
			t,
			ingest.Piece{Input: 2, Offset: offset, Bytes: int(offset) + 1},
			s.find(2, offset).of(2),
		)
	}
	require.Equal(t, ingest.PieceCompleted, s.find(2, 20).state)
	for _, absent := range []struct {
		input  int
		offset int64
	}{{0, 0}, {1, 0}, {2, 7}, {2, 31}, {3, 0}} {
		require.Zero(t, s.find(absent.input, absent.offset))
	}
	for _, wrong := range []struct {
		input  int
		offset int64
	}{{-1, 0}, {0, -1}, {mostInputs, 0}} {
		require.ErrorContains(t, place(wrong.input, wrong.offset), "journal: there is no byte ")
	}
}
