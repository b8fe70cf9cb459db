package tablefile

import (
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// dataReader reads a Data.db from its begin to its end and gives its plain bytes. Each chunk or
// block is held against its checksum before a byte of it is given.
type dataReader struct {
	dataPieces
	in     io.Reader
	read   uint64 // bytes of the file that were read
	pieces int    // that were read
	digest uint32 // of the bytes that were read
	stored []byte
	rest   []byte // of the piece, that was not given
}

// newDataReader makes a reader of a file of that many bytes. info is nil when it is not compressed;
// sums may be nil.
func newDataReader(
	in io.Reader,
	size int64,
	info *component.CompressionInfo,
	sums *component.BlockSums,
) (*dataReader, error) {
	pieces, err := newDataPieces(size, info, sums)
	if err != nil {
		return nil, err
	}
	return &dataReader{dataPieces: pieces, in: in}, nil
}

// Read gives plain bytes.
func (r *dataReader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// next reads the next chunk or block; after the last it is io.EOF.
func (r *dataReader) next() error {
	if r.pieces == r.count() {
		return io.EOF
	}
	from, to, err := r.place(r.pieces)
	if err == nil {
		err = r.load(to - from)
	}
	if err == nil {
		r.rest, err = r.plain(r.pieces, r.stored)
	}
	if err != nil {
		return r.pieceError(r.pieces, r.read, err)
	}
	r.pieces++
	return nil
}

// load reads n bytes of the file.
func (r *dataReader) load(n uint64) error {
	r.stored, _ = fields.Grow(r.stored[:0], int(n))
	got, err := io.ReadFull(r.in, r.stored)
	r.read += uint64(got)
	r.digest = crc32.Update(r.digest, crc32.IEEETable, r.stored[:got])
	return fields.CutOff(err)
}

// finish reads the rest of the file. It fails if there are bytes after the last chunk, or if the
// digest differs.
func (r *dataReader) finish(digest uint32) error {
	for {
		if err := r.next(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	if _, err := io.ReadFull(r.in, make([]byte, 1)); err == nil {
		return fmt.Errorf("%s: has more than %d bytes", component.DataDB, r.size)
	} else if err != io.EOF {
		return fmt.Errorf("%s: %w", component.DataDB, err)
	}
	if digest != r.digest {
		return fmt.Errorf(
			"%s: digest is %d, and %s says %d",
			component.DataDB,
			r.digest,
			component.DigestCRC32,
			digest,
		)
	}
	return nil
}
