package records

import (
	"encoding/binary"
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// mostPacked is the number of pieces that a record has at most.
const mostPacked = 1024

// errPacked reports a record of several pieces, or of several files, that is cut off.
var errPacked = errors.New("journal: a record of several pieces is cut off")

// begun is the record of several pieces that are begun. A load of 200,000 small files has 200,000
// pieces, too.
//
// Pieces is base64. Each piece has these fields (varints: encoding/binary):
//
//   - the input, minus the expected one, which is the one after the input before: varint
//   - the timestamp, minus the expected one, which follows those of the piece before: varint
//   - the offset, the numbers of bytes and of records, the line, the repeats: unsigned varints
//   - the hash: 8 bytes, little-endian
type begun struct {
	Pieces []byte `json:"pieces"`
}

// packBegun returns the record of these pieces.
func packBegun(pieces []ingest.Piece) begun {
	var b begun
	var before ingest.Piece
	for _, p := range pieces {
		b.Pieces = binary.AppendVarint(b.Pieces, int64(p.Input-before.Input-1))
		b.Pieces = binary.AppendVarint(b.Pieces, p.Stamp-before.Stamp-int64(before.Count))
		for _, n := range []int64{
			p.Offset,
			int64(p.Bytes),
			int64(p.Count),
			p.Line,
			int64(p.Repeats),
		} {
			b.Pieces = binary.AppendUvarint(b.Pieces, uint64(n))
		}
		b.Pieces = binary.LittleEndian.AppendUint64(b.Pieces, p.Hash)
		before = p
	}
	return b
}

// each calls do with each piece.
func (b begun) each(do func(ingest.Piece) error) error {
	var before ingest.Piece
	for rest := b.Pieces; len(rest) > 0; {
		var signed [2]int64
		for i := range signed {
			v, n := binary.Varint(rest)
			if n <= 0 {
				return errPacked
			}
			signed[i], rest = v, rest[n:]
		}
		var unsigned [5]uint64
		for i := range unsigned {
			v, n := binary.Uvarint(rest)
			if n <= 0 {
				return errPacked
			}
			unsigned[i], rest = v, rest[n:]
		}
		if len(rest) < 8 {
			return errPacked
		}
		p := ingest.Piece{
			Input: before.Input + 1 + int(
				signed[0],
			),
			Stamp: before.Stamp + int64(before.Count) + signed[1],
			Offset: int64(
				unsigned[0],
			),
			Bytes:   int(unsigned[1]),
			Count:   int(unsigned[2]),
			Line:    int64(unsigned[3]),
			Repeats: uint8(unsigned[4]),
			Hash:    binary.LittleEndian.Uint64(rest),
		}
		rest = rest[8:]
		if err := do(p); err != nil {
			return err
		}
		before = p
	}
	return nil
}

// completed is the record of several completed pieces without rejected rows.
//
// Pieces has two numbers for each piece: the input, minus the one after the input before, as a
// varint, and the offset as an unsigned varint.
type completed struct {
	Pieces []byte       `json:"pieces"`
	Tally  ingest.Tally `json:"tally"` // of all of them
}

// each calls do with the place of each piece.
func (c completed) each(do func(input int, offset int64) error) error {
	before := 0
	for rest := c.Pieces; len(rest) > 0; {
		d, n := binary.Varint(rest)
		if n <= 0 {
			return errPacked
		}
		rest = rest[n:]
		offset, n := binary.Uvarint(rest)
		if n <= 0 {
			return errPacked
		}
		rest = rest[n:]
		before += 1 + int(d)
		if err := do(before, int64(offset)); err != nil {
			return err
		}
	}
	return nil
}

// doneList has completed pieces and the tally of their rows.
type doneList struct {
	places []donePlace
	tally  ingest.Tally
}

type donePlace struct {
	input  int
	offset int64
}

func (d *doneList) add(input int, offset int64, t ingest.Tally) {
	d.places = append(d.places, donePlace{input, offset})
	d.tally.Add(t)
}

// pack returns the record of the pieces.
func (d *doneList) pack() completed {
	c := completed{Tally: d.tally}
	before := 0
	for _, p := range d.places {
		c.Pieces = binary.AppendVarint(c.Pieces, int64(p.input-before-1))
		c.Pieces = binary.AppendUvarint(c.Pieces, uint64(p.offset))
		before = p.input
	}
	return c
}
