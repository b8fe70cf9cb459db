package tablefile

import (
	"errors"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// placedReader gives the plain bytes of a Data.db from any place on. Each chunk or block is held
// against its checksum before a byte of it is given, and only those are read that are asked for.
// Any number of them may read one file.
type placedReader struct {
	dataPieces
	file   io.ReaderAt
	at     uint64 // in the plain bytes
	stored []byte
	rest   []byte // of the piece, that was not given
}

// newPlacedReader returns a reader of the file that pieces describes.
func newPlacedReader(file io.ReaderAt, pieces *dataPieces) *placedReader {
	return &placedReader{dataPieces: pieces.another(), file: file}
}

// errWhence is the error of Seek for places that do not count from the first byte.
var errWhence = errors.New("a place counts from the first byte")

// Seek sets the place of the next Read. whence must be io.SeekStart.
func (r *placedReader) Seek(at int64, whence int) (int64, error) {
	if at < 0 || whence != io.SeekStart {
		return 0, errWhence
	}
	r.seek(uint64(at))
	return at, nil
}

func (r *placedReader) seek(at uint64) { r.at, r.rest = at, nil }

// Read reads plain bytes of at most one piece.
func (r *placedReader) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.at >= r.length() {
			return 0, io.EOF
		}
		if err := r.load(int(r.at / r.pieceLength())); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	r.at += uint64(n)
	return n, nil
}

// load reads a piece.
func (r *placedReader) load(i int) error {
	from, to, err := r.place(i)
	if err == nil {
		r.stored, _ = fields.Grow(r.stored[:0], int(to-from))
		var n int
		switch n, err = r.file.ReadAt(r.stored, int64(from)); {
		case n == len(r.stored):
			err = nil
		case err == io.EOF:
			err = fields.CutOffError{}
		}
	}
	var plain []byte
	if err == nil {
		plain, err = r.plain(i, r.stored)
	}
	skip := r.at - uint64(i)*r.pieceLength()
	if err == nil && skip >= uint64(len(plain)) {
		err = component.ErrChunkLength
	}
	if err != nil {
		return r.pieceError(i, from, err)
	}
	r.rest = plain[skip:]
	return nil
}
