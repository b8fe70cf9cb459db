package records

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// pieces are those that a load has begun, by input and in order of their places. A
// terabyte has a million of them.
type pieces [][]piece

// piece is a ingest.Piece and how it stands, without its input.
type piece struct {
	offset   int64
	stamp    int64
	hash     uint64
	line     int64
	bytes    int
	standing ingest.PieceState
	repeats  uint8
	reading  uint16 // see ingest.Piece
}

func (p piece) of(input int) ingest.Piece {
	return ingest.Piece{
		Input:   input,
		Offset:  p.offset,
		Bytes:   p.bytes,
		Hash:    p.hash,
		Stamp:   p.stamp,
		Line:    p.line,
		Repeats: p.repeats,
		Reading: int(p.reading),
	}
}

// mostInputs is far above the number of files that a load is given.
const mostInputs = 1 << 22

// place says whether there can be a piece.
func place(input int, offset int64) error {
	if input < 0 || input >= mostInputs || offset < 0 {
		return fmt.Errorf("journal: there is no byte %d of input %d", offset, input)
	}
	return nil
}

// find looks a piece up; the zero piece, which is New, when it is not there.
func (s pieces) find(input int, offset int64) piece {
	if input >= len(s) {
		return piece{}
	}
	i, ok := search(s[input], offset)
	if !ok {
		return piece{}
	}
	return s[input][i]
}

// at gives the place of a piece, made when it is not there. It holds until the next
// call. A journal has the pieces of an input in their order, so that one is added at
// the end.
func (s *pieces) at(input int, offset int64) *piece {
	for input >= len(*s) {
		*s = append(*s, nil)
	}
	all := &(*s)[input]
	i, ok := search(*all, offset)
	if !ok {
		*all = slices.Insert(*all, i, piece{offset: offset})
	}
	return &(*all)[i]
}

func search(all []piece, offset int64) (int, bool) {
	if n := len(all); n == 0 || all[n-1].offset < offset {
		return n, false
	}
	return slices.BinarySearchFunc(
		all,
		offset,
		func(p piece, offset int64) int { return cmp.Compare(p.offset, offset) },
	)
}

// left is where an input is to be taken up: at the first piece that is not settled, or
// else at the last. It is the zero piece when reading can be taken up nowhere.
func left(all []piece) (from piece, open bool) {
	at := slices.IndexFunc(all, func(p piece) bool { return p.standing == ingest.PieceBegun })
	open = at >= 0
	if !open {
		at = len(all) - 1
	}
	for ; at >= 0; at-- {
		if all[at].line > 0 {
			return all[at], open
		}
	}
	return piece{}, open
}
