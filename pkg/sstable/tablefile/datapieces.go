package tablefile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// chunks makes the chunks of a compressor plain. It is for one goroutine.
type chunks struct {
	compression component.Compression
	undo        component.Decompressor // made with the first chunk
	buf         []byte
}

// limit returns the largest size in bytes of a stored chunk, with its checksum.
func (c *chunks) limit() uint64 { return uint64(c.compression.ChunkLength)*2 + 1<<16 }

// plain returns the plain bytes of a chunk, at most most of them. They are valid until the next
// call. stored ends with the checksum. If compression hardly made the chunk smaller, it is stored
// plain, and zeros may follow it.
func (c *chunks) plain(stored []byte, most int) ([]byte, error) {
	stored, sum := stored[:len(stored)-component.SumLen], stored[len(stored)-component.SumLen:]
	if crc32.ChecksumIEEE(stored) != binary.BigEndian.Uint32(sum) {
		return nil, component.ErrSum
	}
	if most == 0 {
		return nil, nil // an empty chunk at the end of a file
	}
	if len(stored) >= c.compression.MaxCompressedLength {
		return stored[:min(most, len(stored))], nil
	}
	if c.undo == nil {
		var err error
		if c.undo, err = component.NewDecompressor(c.compression.Compressor); err != nil {
			return nil, err
		}
	}
	c.buf, _ = fields.Grow(c.buf[:0], most)
	n, err := c.undo(c.buf, stored)
	if err != nil {
		return nil, err
	}
	return c.buf[:n], nil
}

// dataPieces locates the pieces of a Data.db and decompresses them. A piece is a chunk, or a block
// with a checksum. All pieces except the last have the same number of plain bytes.
type dataPieces struct {
	size   uint64                     // bytes of the file
	info   *component.CompressionInfo // nil: not compressed
	sums   *component.BlockSums       // of a file that is not compressed, or nil
	ragged bool                       // the last chunk may be shorter than DataLength says
	chunks chunks
}

// newDataPieces fails when there cannot be such a file of that many bytes.
func newDataPieces(
	size int64,
	info *component.CompressionInfo,
	sums *component.BlockSums,
) (dataPieces, error) {
	p := dataPieces{size: uint64(size), info: info, sums: sums}
	if info != nil {
		p.chunks.compression = info.Compression
		var err error
		if p.chunks.undo, err = component.NewDecompressor(info.Compressor); err != nil {
			return p, fmt.Errorf("%s: %w", component.DataDB, err)
		}
	}
	if info == nil && sums != nil {
		if err := sums.Fit(p.count()); err != nil {
			return p, err
		}
	}
	return p, nil
}

// another returns a copy for another goroutine.
func (p *dataPieces) another() dataPieces {
	return dataPieces{
		size:   p.size,
		info:   p.info,
		sums:   p.sums,
		ragged: p.ragged,
		chunks: chunks{compression: p.chunks.compression},
	}
}

// length is how many plain bytes there are.
func (p *dataPieces) length() uint64 {
	if p.info == nil {
		return p.size
	}
	return p.info.DataLength
}

// pieceLength is how many plain bytes a piece has, but for the last.
func (p *dataPieces) pieceLength() uint64 {
	switch {
	case p.info != nil:
		return uint64(p.info.ChunkLength)
	case p.sums != nil:
		return uint64(p.sums.BlockLength)
	default:
		return component.SumBlock
	}
}

// count is how many pieces there are. One of no bytes at the end may count.
func (p *dataPieces) count() int {
	if p.info != nil {
		return len(p.info.Offsets)
	}
	return int((p.size + p.pieceLength() - 1) / p.pieceLength())
}

// place is where a piece stands in the file.
func (p *dataPieces) place(i int) (from, to uint64, err error) {
	if p.info == nil {
		from = uint64(i) * p.pieceLength()
		return from, min(p.size, from+p.pieceLength()), nil
	}
	from, to = p.info.Offsets[i], p.size
	if i+1 < len(p.info.Offsets) {
		to = p.info.Offsets[i+1]
	}
	if to > p.size || to < from+component.SumLen {
		return from, to, fmt.Errorf("is from %d to %d of %d bytes", from, to, p.size)
	}
	if limit := p.chunks.limit(); to-from > limit {
		return from, to, fmt.Errorf(
			"is of %d bytes, and %d of it are no more than %d",
			to-from,
			p.info.ChunkLength,
			limit,
		)
	}
	return from, to, nil
}

// plain gives the plain bytes of a piece, which hold until the next call and as long as stored
// does.
func (p *dataPieces) plain(i int, stored []byte) ([]byte, error) {
	if p.info == nil {
		if p.sums != nil && crc32.ChecksumIEEE(stored) != p.sums.Sums[i] {
			return nil, component.ErrSum
		}
		return stored, nil
	}
	begin := uint64(i) * p.pieceLength()
	length := int(min(p.length()-min(begin, p.length()), p.pieceLength()))
	plain, err := p.chunks.plain(stored, length)
	if err == nil && len(plain) != length && !(p.ragged && i+1 == p.count()) {
		err = component.ErrChunkLength
	}
	return plain, err
}

// pieceError adds to an error the number of the piece and its place in the file.
func (p *dataPieces) pieceError(i int, at uint64, err error) error {
	what := "block"
	if p.info != nil {
		what = "chunk"
	}
	return fmt.Errorf("%s: %s %d at %d: %w", component.DataDB, what, i, at, err)
}
