package internode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"net/netip"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

const (
	// maxMessage is the largest message in bytes, without the payload after a file head. It has
	// room for the types of thousands of columns.
	maxMessage = 16 << 20
	// readStep is how much memory is allocated before its bytes have come: a length is only a
	// claim.
	readStep = 16 << 10
)

// errMalformed is in every error about bytes that are no message. The errors of a connection that
// ended or broke do not have it.
var errMalformed = errors.New("not what the storage port speaks")

// decoder reads the fields of one message. After the first error it reads nothing more, and returns
// zeros.
type decoder struct {
	r    io.Reader
	left int // bytes that the message may still have
	err  error
	buf  [18]byte
	// gets every byte that is read, unless it is nil
	raw *[]byte
}

func newDecoder(r io.Reader) *decoder { return &decoder{r: r, left: maxMessage} }

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", errMalformed, fmt.Sprintf(format, args...))
	}
}

// read fills b. If the message ends in its middle, the error is io.ErrUnexpectedEOF.
func (d *decoder) read(b []byte) bool {
	if d.err == nil && len(b) > d.left {
		d.fail("a message of more than %d bytes", maxMessage)
	}
	if d.err != nil {
		clear(b)
		return false
	}
	d.left -= len(b)
	if _, err := io.ReadFull(d.r, b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		d.err = err
		clear(b)
		return false
	}
	if d.raw != nil {
		*d.raw = append(*d.raw, b...)
	}
	return true
}

// fixed reads n bytes, at most 18, into the decoder's own buffer.
func (d *decoder) fixed(n int) []byte {
	d.read(d.buf[:n])
	return d.buf[:n]
}

func (d *decoder) u8() byte    { return d.fixed(1)[0] }
func (d *decoder) u16() uint16 { return binary.BigEndian.Uint16(d.fixed(2)) }
func (d *decoder) u32() uint32 { return binary.BigEndian.Uint32(d.fixed(4)) }
func (d *decoder) i32() int32  { return int32(d.u32()) }
func (d *decoder) i64() int64  { return int64(binary.BigEndian.Uint64(d.fixed(8))) }

// length reads an i64 that must not be negative.
func (d *decoder) length(what string) int64 {
	n := d.i64()
	if n < 0 {
		d.fail("%s %d", what, n)
		return 0
	}
	return n
}

// number reads an i32 that must not be negative, such as a count.
func (d *decoder) number(what string) int {
	n := d.i32()
	if n < 0 {
		d.fail("%s %d", what, n)
		return 0
	}
	return int(n)
}

func (d *decoder) boolean() bool {
	b := d.u8()
	if b > 1 {
		d.fail("0x%02x for true or false", b)
	}
	return b == 1
}

// want reads an i32 that must have a certain value.
func (d *decoder) want(what string, value int32) {
	if got := d.i32(); got != value && d.err == nil {
		d.fail("%s %d, not %d", what, got, value)
	}
}

// wantFalse reads a boolean that must be false.
func (d *decoder) wantFalse(what string) {
	if d.boolean() {
		d.fail("%s, which is not served", what)
	}
}

func (d *decoder) uuid() (u UUID) {
	copy(u[:], d.fixed(len(u)))
	return u
}

// bytes reads n bytes into a slice of its own.
func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(d.left) {
		d.fail("a field of %d bytes", n)
	}
	if d.err != nil {
		return nil
	}
	var out []byte
	for len(out) < int(n) {
		at := len(out)
		out = append(out, make([]byte, min(int(n)-at, readStep))...)
		if !d.read(out[at:]) {
			return nil
		}
	}
	return out
}

// text reads a text with a length of two bytes. It is Java's modified UTF-8, which is ASCII for all
// texts of this protocol.
func (d *decoder) text() string {
	b := d.bytes(uint64(d.u16()))
	for _, c := range b {
		if c < ' ' || c > '~' {
			d.fail("byte 0x%02x in a name", c)
			return ""
		}
	}
	return string(b)
}

// uvint reads an unsigned vint in its shortest form.
func (d *decoder) uvint() uint64 {
	var wire [9]byte
	wire[0] = d.u8()
	n := bits.LeadingZeros8(^wire[0])
	if n > 0 && !d.read(wire[1:1+n]) {
		return 0
	}
	u, used := cqlwire.Uvint(wire[:1+n])
	if used == 0 {
		d.fail("a vint that is longer than its number")
	}
	return u
}

// address reads the length, the bytes and the port of an address.
func (d *decoder) address() netip.AddrPort {
	n := d.u8()
	if d.err == nil && n != 6 && n != 18 {
		d.fail("an address of %d bytes", n)
	}
	if d.err != nil {
		return netip.AddrPort{}
	}
	b := d.fixed(int(n))
	ip, _ := netip.AddrFromSlice(b[:n-2])
	return netip.AddrPortFrom(ip, binary.BigEndian.Uint16(b[n-2:]))
}

// header reads a serialization header (the component HEADER of Statistics.db), which has no length
// of its own, and returns its bytes. It does not check names and types.
func (d *decoder) header() []byte {
	var raw []byte
	d.raw = &raw
	defer func() { d.raw = nil }()
	for range 3 { // minima: timestamp, local deletion time, time to live
		d.uvint()
	}
	d.skipVB() // key type
	d.each(d.skipVB)
	for range 2 { // static columns, then regular ones
		d.each(func() {
			d.skipVB()
			d.skipVB()
		})
	}
	if d.err != nil {
		return nil
	}
	return raw
}

// each reads a vint, and calls read that many times.
func (d *decoder) each(read func()) {
	n := d.uvint()
	if n > math.MaxUint16 {
		d.fail("%d columns", n)
	}
	for ; n > 0 && d.err == nil; n-- {
		read()
	}
}

// skipVB skips bytes with a vint length.
func (d *decoder) skipVB() { d.bytes(d.uvint()) }
