package internode

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/pierrec/lz4/v4"
)

// A block is the compressed length, the plain length (both i32), and an LZ4 block
// (StreamCompressionSerializer). Nothing marks the last block: the length of the file does.
const (
	// plain bytes of a block, except for the last one
	blockLen  = 64 << 10
	blockHead = 8
	// maxBlockPlain is the largest block that is accepted from a node, in plain bytes.
	maxBlockPlain = 1 << 20
)

// compressor makes blocks in a buffer of its own.
type compressor struct {
	lz4 lz4.Compressor
	out []byte
}

func newCompressor() *compressor {
	return &compressor{out: make([]byte, blockHead+lz4.CompressBlockBound(blockLen))}
}

// block makes a block of up to blockLen bytes. It is valid until the next call.
func (c *compressor) block(plain []byte) ([]byte, error) {
	// With this much room, any bytes fit into a block.
	n, err := c.lz4.CompressBlock(
		plain,
		c.out[blockHead:blockHead+lz4.CompressBlockBound(len(plain))],
	)
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(c.out, uint32(n))
	binary.BigEndian.PutUint32(c.out[4:], uint32(len(plain)))
	return c.out[:blockHead+n], nil
}

// AppendBlocks appends the blocks of plain bytes.
func AppendBlocks(dst, plain []byte) ([]byte, error) {
	c := newCompressor()
	for len(plain) > 0 {
		n := min(len(plain), blockLen)
		b, err := c.block(plain[:n])
		if err != nil {
			return nil, err
		}
		dst, plain = append(dst, b...), plain[n:]
	}
	return dst, nil
}

// Blocks reads the plain bytes of a file's blocks. Its errors are those of the reader below it
// (io.ErrUnexpectedEOF if that ends before the file does), or say what is wrong with a block.
type Blocks struct {
	r      io.Reader
	left   int64 // plain bytes of the file after the current block
	packed []byte
	room   []byte
	plain  []byte // what is left of the current block
}

// NewBlocks reads the next length plain bytes of r in blocks, and not a byte more.
func NewBlocks(r io.Reader, length int64) *Blocks { return &Blocks{r: r, left: length} }

// Read reads plain bytes.
func (b *Blocks) Read(p []byte) (int, error) {
	if len(b.plain) == 0 {
		if b.left == 0 {
			return 0, io.EOF
		}
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.plain)
	b.plain = b.plain[n:]
	return n, nil
}

func (b *Blocks) next() error {
	d := newDecoder(b.r)
	packed, plain := d.number("a block's compressed bytes"), d.number("a block's bytes")
	if d.err != nil {
		return d.err
	}
	if plain == 0 || plain > maxBlockPlain || int64(plain) > b.left ||
		packed > lz4.CompressBlockBound(plain) {
		return fmt.Errorf(
			"%w: a block of %d bytes, %d compressed, with %d left of the file",
			errMalformed,
			plain,
			packed,
			b.left,
		)
	}
	b.packed = append(b.packed[:0], make([]byte, packed)...)
	if !d.read(b.packed) {
		return d.err
	}
	b.room = append(b.room[:0], make([]byte, plain)...)
	n, err := lz4.UncompressBlock(b.packed, b.room)
	if err != nil || n != plain {
		return fmt.Errorf("%w: a block that is not %d bytes compressed by LZ4", errMalformed, plain)
	}
	b.plain = b.room
	b.left -= int64(plain)
	return nil
}
