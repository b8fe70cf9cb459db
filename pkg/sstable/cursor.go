package sstable

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// cursor reads the fields of a component one after the other, big-endian. The first that is cut off
// or wrong is the error; those after it are zero. Bytes that it gives are parts of the component,
// with no room after them.
type cursor struct {
	rest []byte
	err  error
}

// fail keeps an error, unless there is one.
func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
	c.rest = nil
}

// take gives the next n bytes.
func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.rest)) {
		c.fail("cut off: %d bytes wanted, %d left", n, len(c.rest))
		return nil
	}
	b := c.rest[:n:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) uint16() uint16 {
	if b := c.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) uint32() uint32 {
	if b := c.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) uint64() uint64 {
	if b := c.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (c *cursor) int32() int32     { return int32(c.uint32()) }
func (c *cursor) int64() int64     { return int64(c.uint64()) }
func (c *cursor) float64() float64 { return math.Float64frombits(c.uint64()) }

// bool reads a byte that is 0 or 1.
func (c *cursor) bool() bool {
	b := c.byte()
	if b > 1 {
		c.fail("0x%02x is no boolean", b)
	}
	return b == 1
}

func (c *cursor) uvint() uint64 {
	u, n := cqlwire.Uvint(c.rest)
	if n == 0 {
		c.fail("vint is cut off or longer than it need be")
		return 0
	}
	c.rest = c.rest[n:]
	return u
}

func (c *cursor) vint() int64 {
	v, n := cqlwire.Vint(c.rest)
	if n == 0 {
		c.fail("vint is cut off or longer than it need be")
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

// shortBytes reads bytes after their length in 16 bits.
func (c *cursor) shortBytes() []byte { return c.take(uint64(c.uint16())) }

// intBytes reads bytes after their length in 32 bits.
func (c *cursor) intBytes() []byte { return c.take(uint64(c.count(1))) }

// vintBytes reads bytes after their length as a vint.
func (c *cursor) vintBytes() []byte { return c.take(c.uvint()) }

// count reads how many things follow, each of at least size bytes.
func (c *cursor) count(size int) int {
	n := c.int32()
	if n < 0 || int(n) > len(c.rest)/size {
		c.fail("count %d, but %d bytes left", n, len(c.rest))
		return 0
	}
	return int(n)
}

// end gives the error, which may be that bytes are left over.
func (c *cursor) end() error {
	if len(c.rest) > 0 {
		c.fail("%d bytes too many", len(c.rest))
	}
	return c.err
}

// appendShortBytes appends b after its length in 16 bits.
func appendShortBytes[B ~[]byte | ~string](dst []byte, b B) []byte {
	return append(binary.BigEndian.AppendUint16(dst, uint16(len(b))), b...)
}

// appendIntBytes appends b after its length in 32 bits.
func appendIntBytes(dst, b []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(b))), b...)
}

// appendBool appends a byte of 0 or 1.
func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// readGrowing reads n bytes into buf, which grows as they come, whatever n says. Where there are
// fewer the error is io.EOF or io.ErrUnexpectedEOF.
func readGrowing(in io.Reader, buf []byte, n uint64) ([]byte, error) {
	const step = 1 << 20
	buf = buf[:0]
	for uint64(len(buf)) < n {
		have, some := len(buf), int(min(n-uint64(len(buf)), step))
		if cap(buf)-have < some {
			buf = append(make([]byte, 0, have+some+have/2), buf...)
		}
		buf = buf[:have+some]
		if _, err := io.ReadFull(in, buf[have:]); err != nil {
			return buf[:0], err
		}
	}
	return buf, nil
}
