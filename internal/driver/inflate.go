package driver

import (
	"encoding/binary"
	"io"
	"sync"
)

// inflater decompresses the body of a frame. The body begins with its uncompressed size, 4 bytes,
// and is one block of LZ4 (native protocol specification, version 4, section 5; lz4_Block_format.md
// of LZ4).
//
// It inflates while bytes come from the connection, and keeps the 64 KiB that a match may refer to.
// So the frameChecker knows the size of a page before it needs memory for it, and can drop a page
// without inflating it. The last bytes are read only if the block ends with them.
type inflater struct {
	in   io.Reader
	left int // bytes of the block that have not come
	want int // bytes of the body that are not inflated
	err  error
	*inflateBuffers

	from, to int // out[from:to] was inflated and not read
	at, end  int // src[at:end] has come and was not used

	literals, matched int  // bytes of the current sequence that are not copied
	offset            int  // of the match
	begun             bool // the match of the current sequence is not read
	token             byte // of the current sequence
}

// inflateBuffers is the memory of an inflater.
type inflateBuffers struct {
	src [16 << 10]byte
	out [2 * window]byte
}

const (
	// window is more than the largest offset of a match.
	window = 1 << 16
	// sizeLength is the length of the size before a block.
	sizeLength = 4
	// mostRatio bounds the ratio of any block: a byte of it stands for at most 255 bytes.
	mostRatio = 255
	// leastMatch is the length of the shortest match.
	leastMatch = 4
)

// inflatePool is the memory of inflaters. A connection has some of it only within a frame.
var inflatePool = sync.Pool{New: func() any { return new(inflateBuffers) }}

var errBlock = protocolError("a compressed frame is damaged")

// newInflater returns an inflater for a body of length bytes.
func newInflater(in io.Reader, length int) (*inflater, error) {
	if length < sizeLength {
		return nil, protocolError("a compressed frame of %d bytes", length)
	}
	var size [sizeLength]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, interrupted(err)
	}
	n, block := int64(binary.BigEndian.Uint32(size[:])), length-sizeLength
	if n > largestFrame || n > mostRatio*int64(block) {
		return nil, protocolError("a compressed frame of %d bytes that shall become %d", length, n)
	}
	z := &inflater{
		in:             in,
		left:           block,
		want:           int(n),
		inflateBuffers: inflatePool.Get().(*inflateBuffers),
	}
	if n == 0 {
		z.finish()
	}
	if z.err != nil {
		z.release()
		return nil, z.err
	}
	return z, nil
}

// release frees the memory. The inflater cannot be used afterwards.
func (z *inflater) release() {
	inflatePool.Put(z.inflateBuffers)
	z.inflateBuffers = nil
}

// Read returns the next bytes of the body.
func (z *inflater) Read(p []byte) (int, error) {
	if z.from == z.to && z.err == nil {
		z.fill()
	}
	if z.err != nil {
		return 0, z.err
	}
	n := copy(p, z.out[z.from:z.to])
	z.from += n
	return n, nil
}

// skip drops the rest of the block.
func (z *inflater) skip() error {
	_, err := io.CopyN(io.Discard, z.in, int64(z.left))
	return err
}

// fill inflates more of the body.
func (z *inflater) fill() {
	if z.want == 0 {
		z.err = io.EOF
		return
	}
	if z.to == len(z.out) {
		z.to = copy(z.out[:], z.out[len(z.out)-window:])
		z.from = z.to
	}
	for z.err == nil && z.want > 0 && z.to < len(z.out) {
		switch {
		case z.literals > 0:
			z.copyLiterals()
		case z.begun:
			z.readMatch()
		case z.matched > 0:
			z.copyMatch()
		default:
			z.readLiterals()
		}
	}
	if z.err == nil && z.want == 0 {
		z.finish()
	}
}

// finish checks that the block ends where the body does. An empty sequence may be left: the block
// of an empty body consists of one.
func (z *inflater) finish() {
	rest := z.end - z.at + z.left
	if rest == 1 && !z.begun && z.byte() == 0 {
		rest = 0
	}
	if rest > 0 && z.err == nil {
		z.err = errBlock
	}
}

// readLiterals reads the beginning of a sequence: the number of its literals.
func (z *inflater) readLiterals() {
	z.token, z.begun = z.byte(), true
	z.literals = z.length(int(z.token >> 4))
}

// readMatch reads which bytes are repeated after the literals.
func (z *inflater) readMatch() {
	z.offset = int(z.byte()) | int(z.byte())<<8
	z.matched, z.begun = z.length(int(z.token&15))+leastMatch, false
	if z.err == nil && (z.offset == 0 || z.offset > z.to || z.matched > z.want) {
		z.err = errBlock
	}
}

// length reads the rest of a length that begins in the token.
func (z *inflater) length(n int) int {
	for more := byte(255); n >= 15 && more == 255 && z.err == nil; n += int(more) {
		more = z.byte()
	}
	if z.err == nil && n > z.want {
		z.err = errBlock
	}
	return n
}

func (z *inflater) copyLiterals() {
	if !z.more() {
		return
	}
	n := copy(z.out[z.to:], z.src[z.at:min(z.end, z.at+z.literals)])
	z.at, z.literals = z.at+n, z.literals-n
	z.made(n)
}

// copyMatch copies the match. If it overlaps the bytes that it writes, these repeat.
func (z *inflater) copyMatch() {
	from := z.to - z.offset
	n := copy(z.out[z.to:min(len(z.out), z.to+z.matched)], z.out[from:z.to])
	z.matched -= n
	z.made(n)
}

func (z *inflater) made(n int) { z.to, z.want = z.to+n, z.want-n }

func (z *inflater) byte() byte {
	if !z.more() {
		return 0
	}
	z.at++
	return z.src[z.at-1]
}

// more reads more of the block if all that has come was used. It reports whether there is any.
func (z *inflater) more() bool {
	if z.at < z.end {
		return true
	}
	if z.left == 0 && z.err == nil {
		z.err = errBlock
	}
	if z.err != nil {
		return false
	}
	n, err := io.ReadAtLeast(z.in, z.src[:min(z.left, len(z.src))], 1)
	z.at, z.end, z.left = 0, n, z.left-n
	if err != nil {
		z.err = interrupted(err)
	}
	return err == nil
}
