// Package fields reads and appends the fields of an SSTable's files: big-endian numbers, vints, and
// bytes after their length.
package fields

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Reader reads the fields of a component one after the other, big-endian. The first that is cut off
// or wrong is the error; those after it are zero. Bytes that it gives are parts of the component,
// with no room after them.
type Reader struct {
	Rest []byte // what was not read yet
	Err  error
}

// Fail keeps an error, unless there is one.
func (r *Reader) Fail(format string, args ...any) {
	if r.Err == nil {
		r.Err = fmt.Errorf(format, args...)
	}
	r.Rest = nil
}

// Take gives the next n bytes.
func (r *Reader) Take(n uint64) []byte {
	if n > uint64(len(r.Rest)) {
		r.Fail("cut off: %d bytes wanted, %d left", n, len(r.Rest))
		return nil
	}
	b := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return b
}

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if b := r.Take(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint16 reads a number of 16 bits.
func (r *Reader) Uint16() uint16 {
	if b := r.Take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

// Uint32 reads a number of 32 bits.
func (r *Reader) Uint32() uint32 {
	if b := r.Take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads a number of 64 bits.
func (r *Reader) Uint64() uint64 {
	if b := r.Take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// Int32 reads a signed number of 32 bits.
func (r *Reader) Int32() int32 { return int32(r.Uint32()) }

// Int64 reads a signed number of 64 bits.
func (r *Reader) Int64() int64 { return int64(r.Uint64()) }

// Float64 reads a floating-point number of 64 bits.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }

// Bool reads a byte that is 0 or 1.
func (r *Reader) Bool() bool {
	b := r.Byte()
	if b > 1 {
		r.Fail("0x%02x is no boolean", b)
	}
	return b == 1
}

// Uvint reads an unsigned vint.
func (r *Reader) Uvint() uint64 {
	u, n := cqlwire.Uvint(r.Rest)
	if n == 0 {
		r.Fail("vint is cut off or longer than it need be")
		return 0
	}
	r.Rest = r.Rest[n:]
	return u
}

// Vint reads a signed vint.
func (r *Reader) Vint() int64 {
	v, n := cqlwire.Vint(r.Rest)
	if n == 0 {
		r.Fail("vint is cut off or longer than it need be")
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

// ShortBytes reads bytes after their length in 16 bits.
func (r *Reader) ShortBytes() []byte { return r.Take(uint64(r.Uint16())) }

// IntBytes reads bytes after their length in 32 bits.
func (r *Reader) IntBytes() []byte { return r.Take(uint64(r.Count(1))) }

// VintBytes reads bytes after their length as a vint.
func (r *Reader) VintBytes() []byte { return r.Take(r.Uvint()) }

// Count reads how many things follow, each of at least size bytes.
func (r *Reader) Count(size int) int {
	n := r.Int32()
	if n < 0 || int(n) > len(r.Rest)/size {
		r.Fail("count %d, but %d bytes left", n, len(r.Rest))
		return 0
	}
	return int(n)
}

// End returns the error. Bytes that are left over are one.
func (r *Reader) End() error {
	if len(r.Rest) > 0 {
		r.Fail("%d bytes too many", len(r.Rest))
	}
	return r.Err
}

// AppendShortBytes appends b after its length in 16 bits.
func AppendShortBytes[B ~[]byte | ~string](dst []byte, b B) []byte {
	return append(binary.BigEndian.AppendUint16(dst, uint16(len(b))), b...)
}

// AppendIntBytes appends b after its length in 32 bits.
func AppendIntBytes(dst, b []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(b))), b...)
}

// AppendBool appends a byte of 0 or 1.
func AppendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// ReadGrowing reads n bytes into buf, which grows as they come, whatever n says. Where there are
// fewer the error is io.EOF or io.ErrUnexpectedEOF.
func ReadGrowing(in io.Reader, buf []byte, n uint64) ([]byte, error) {
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

// AppendBytes appends b after its length as an unsigned vint.
func AppendBytes[B ~[]byte | ~string](dst []byte, b B) []byte {
	return append(cqlwire.AppendUvint(dst, uint64(len(b))), b...)
}

// Grow makes dst n bytes longer, and returns those bytes as well.
func Grow(dst []byte, n int) (longer, room []byte) {
	have := len(dst)
	if cap(dst)-have < n {
		dst = append(make([]byte, 0, have+n), dst...)
	}
	dst = dst[:have+n]
	return dst, dst[have:]
}

// ClusteringBlock is how many values of a clustering stand after one header
// (ClusteringPrefix.Serializer).
const ClusteringBlock = 32
