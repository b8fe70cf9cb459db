package records

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// pieces has the pieces that a load has begun, by input and sorted by offset. A load of a terabyte
// has a million of them.
type pieces [][]piece

// piece is an ingest.Piece without its input, and its state.
type piece struct {
	offset  int64
	stamp   int64
	hash    uint64
	line    int64
	bytes   int
	state   ingest.PieceState
	repeats uint8
	reading uint16 // see ingest.Piece
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

// mostInputs is far above any realistic number of input files.
const mostInputs = 1 << 22

// place returns an error if no piece can begin there.
func place(input int, offset int64) error {
	if input < 0 || input >= mostInputs || offset < 0 {
		return fmt.Errorf("journal: there is no byte %d of input %d", offset, input)
	}
	return nil
}

// find returns a piece, or the zero piece, which is PieceNew, if there is none.
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

// at returns a pointer to a piece, and adds the piece if there is none. The pointer is valid until
// the next call. A journal has the pieces of an input in order, so that new ones come at the end.
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

// left returns where reading an input resumes: at the first piece that is not completed, or else at
// the last. The zero piece means that reading can resume nowhere but at the beginning.
func left(all []piece) (from piece, open bool) {
	at := slices.IndexFunc(all, func(p piece) bool { return p.state == ingest.PieceBegun })
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
