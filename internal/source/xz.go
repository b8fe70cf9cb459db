package source

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

func openXZ(in *bufio.Reader) (io.Reader, func(), error) {
	parts := &xzParts{in: in}
	// The dictionary grows from the least to what the file asks for.
	r, err := xz.ReaderConfig{DictCap: lzma.MinDictCap}.NewReader(parts)
	return &xzText{r, parts}, nothing, err
}

// xzText is what a reader makes of the parts. To that reader, an end of the file
// in or before a block looks like the end of a stream.
type xzText struct {
	text  io.Reader
	parts *xzParts
}

func (x *xzText) Read(p []byte) (int, error) {
	n, err := x.text.Read(p)
	if isEnd(err) && !x.parts.ended {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// xzParts passes the stored bytes on part by part, as the .xz file format 1.2 defines them. It
// therefore knows where the file may end: before or after a stream, and nowhere else. The reader
// checks what is in the parts.
type xzParts struct {
	in      *bufio.Reader
	next    func(*xzParts) error // finds the length of the part that follows
	left    int                  // bytes of the present part
	check   int                  // bytes of the check after each block
	block   int                  // bytes of the present block after its header, modulo 4
	index   int                  // bytes of the present index, modulo 4
	numbers uint64               // of the present index, still to come
	ended   bool                 // well
}

func (x *xzParts) Read(p []byte) (int, error) {
	for x.left == 0 {
		if x.next == nil {
			x.next = (*xzParts).stream
		}
		if err := x.next(x); err != nil {
			return 0, err
		}
	}
	n, err := x.in.Read(p[:min(len(p), x.left)])
	x.left -= n
	return n, notTheEnd(err)
}

func (x *xzParts) peek(n int) ([]byte, error) {
	b, err := x.in.Peek(n)
	return b, notTheEnd(err)
}

// xzCheckSizes are those of the kinds of check that the format defines.
var xzCheckSizes = [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

// stream finds a stream's header, or padding, or the end.
func (x *xzParts) stream() error {
	if _, err := x.in.Peek(1); err != nil {
		x.ended = isEnd(err)
		return err
	}
	b, err := x.peek(4)
	if err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(b) == 0 {
		x.left = 4
		return nil
	}
	if b, err = x.peek(xz.HeaderLen); err != nil {
		return err
	}
	x.check = xzCheckSizes[b[7]&15]
	x.left, x.next = xz.HeaderLen, (*xzParts).blockHeader
	return nil
}

// blockHeader finds a block's header, or the index after the last block.
func (x *xzParts) blockHeader() error {
	b, err := x.peek(1)
	if err != nil {
		return err
	}
	if b[0] == 0 {
		x.left, x.index, x.numbers, x.next = 1, 1, 0, (*xzParts).indexSize
		return nil
	}
	x.left, x.block, x.next = (int(b[0])+1)*4, 0, (*xzParts).chunk
	return nil
}

// chunk finds an LZMA2 chunk, or the end of the last one with padding and check.
func (x *xzParts) chunk() error {
	b, err := x.peek(1)
	if err != nil {
		return err
	}
	switch control := b[0]; {
	case control == 0:
		x.left, x.next = 1+(3-x.block)+x.check, (*xzParts).blockHeader
		return nil
	case control >= 0x80: // compressed, from 0xc0 with properties
		if b, err = x.peek(5); err != nil {
			return err
		}
		x.left = 5 + int(binary.BigEndian.Uint16(b[3:])) + 1
		if control >= 0xc0 {
			x.left++
		}
	default:
		if b, err = x.peek(3); err != nil {
			return err
		}
		x.left = 3 + int(binary.BigEndian.Uint16(b[1:])) + 1
	}
	x.block = (x.block + x.left) % 4
	return nil
}

// indexSize finds how many blocks the index is about.
func (x *xzParts) indexSize() error {
	b, err := x.in.Peek(binary.MaxVarintLen64)
	count, size := binary.Uvarint(b)
	if size <= 0 {
		return badNumber(err)
	}
	x.numbers = 2 * count
	x.left, x.index, x.next = size, x.index+size, (*xzParts).indexNumber
	return nil
}

// indexNumber finds one number of the index, or what follows the last: padding,
// check, and the stream's footer.
func (x *xzParts) indexNumber() error {
	if x.numbers == 0 {
		x.left, x.next = (4-x.index%4)%4+4+xzFooterSize, (*xzParts).stream
		return nil
	}
	b, err := x.in.Peek(binary.MaxVarintLen64)
	_, size := binary.Uvarint(b)
	if size <= 0 {
		return badNumber(err)
	}
	x.numbers--
	x.left, x.index = size, (x.index+size)%4
	return nil
}

const xzFooterSize = 12

var errXZIndex = errors.New("xz: number of the index is too large")

// badNumber returns why there is no number in the next bytes; err is why there were not more of
// them.
func badNumber(err error) error {
	if err != nil {
		return notTheEnd(err)
	}
	return errXZIndex
}
