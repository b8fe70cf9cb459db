package cqlwire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrTooLong says that a value is longer than its length can say.
var ErrTooLong = errors.New("more than 2147483647 bytes")

// AppendCount appends the number of elements that a list or a set begins with, or the number of entries of a map.
func AppendCount(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(int32(n)))
}

// PutCount replaces the count at dst[mark:], where AppendCount put it before the number was known.
func PutCount(dst []byte, mark, n int) {
	binary.BigEndian.PutUint32(dst[mark:], uint32(int32(n)))
}

// AppendNull appends a null element of a tuple or a UDT.
func AppendNull(dst []byte) []byte { return append(dst, 0xff, 0xff, 0xff, 0xff) }

// AppendElem appends an element of any type but vector after its length, which is that of null when elem is nil. elem
// must not be longer than a length can say.
func AppendElem(dst, elem []byte) []byte {
	if elem == nil {
		return AppendNull(dst)
	}
	return append(AppendCount(dst, len(elem)), elem...)
}

// OpenElem makes room for the length of an element of a list, set, map, tuple or UDT. Append the element's bytes to
// what it returns, and give that to CloseElem, with the length that dst had before as mark.
func OpenElem(dst []byte) []byte { return append(dst, 0, 0, 0, 0) }

// CloseElem ends the element that OpenElem began at dst[mark:]: it writes its length. It fails, with ErrTooLong, when
// the element is longer than a length can say.
func CloseElem(dst []byte, mark int) error {
	n := len(dst) - mark - 4
	if n > maxLen {
		return ErrTooLong
	}
	binary.BigEndian.PutUint32(dst[mark:], uint32(n))
	return nil
}

// Open is OpenElem for an element of any type made of others, vectors too. Close ends it.
func (l *Layout) Open(dst []byte) []byte {
	switch l.form {
	case side:
		return dst
	case vints:
		// One byte is the length of the length of every element below 128 bytes.
		return append(dst, 0)
	default:
		return OpenElem(dst)
	}
}

// Close ends the element that Open began at dst[mark:], as CloseElem does. It also fails when an element has another
// length than each one of the vector must have.
func (l *Layout) Close(dst []byte, mark int) ([]byte, error) {
	n := len(dst) - mark
	switch {
	case l.form == vints && n <= 0x80:
		dst[mark] = byte(n - 1)
		return dst, nil
	case l.form == vints:
		return closeVint(dst, mark)
	case l.form != side:
		return dst, CloseElem(dst, mark)
	case n != l.elems[0].fixed:
		return dst, l.wrongLen(n)
	default:
		return dst, nil
	}
}

func (l *Layout) wrongLen(n int) error {
	return fmt.Errorf("%d bytes, where each element of %s has %d", n, l.name, l.elems[0].fixed)
}

// closeVint moves the element away from its length, which needs more than a byte.
func closeVint(dst []byte, mark int) ([]byte, error) {
	n := len(dst) - mark - 1
	if n > maxLen {
		return dst, ErrTooLong
	}
	var room [maxVintLen]byte
	length := AppendUvint(room[:0], uint64(n))
	dst = append(dst, length[1:]...)
	copy(dst[mark+len(length):], dst[mark+1:mark+1+n])
	copy(dst[mark:], length)
	return dst, nil
}
