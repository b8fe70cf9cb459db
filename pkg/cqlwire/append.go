package cqlwire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrTooLong is the error for a value longer than its length field can express.
var ErrTooLong = errors.New("more than 2147483647 bytes")

// AppendCount appends the count at the start of a collection: the number of elements of a list or
// set, or of entries of a map.
func AppendCount(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(int32(n)))
}

// PutCount replaces the count that AppendCount wrote at dst[mark:], when the number is known only
// later.
func PutCount(dst []byte, mark, n int) {
	binary.BigEndian.PutUint32(dst[mark:], uint32(int32(n)))
}

// AppendNull appends a null element of a tuple or a UDT.
func AppendNull(dst []byte) []byte { return append(dst, 0xff, 0xff, 0xff, 0xff) }

// AppendElem appends an element of a list, set, map, tuple or UDT after its length. If elem is nil,
// it appends a null. elem must have at most 2147483647 bytes.
func AppendElem(dst, elem []byte) []byte {
	if elem == nil {
		return AppendNull(dst)
	}
	return append(AppendCount(dst, len(elem)), elem...)
}

// OpenElem reserves room for the length of an element of a list, set, map, tuple or UDT. The caller
// appends the element's bytes to the result. Then it passes that to CloseElem, with the length of
// dst before OpenElem as mark.
func OpenElem(dst []byte) []byte { return append(dst, 0, 0, 0, 0) }

// CloseElem completes the element that OpenElem started at dst[mark:] by writing its length. It
// returns ErrTooLong if the element is longer than the length can express.
func CloseElem(dst []byte, mark int) error {
	n := len(dst) - mark - 4
	if n > maxLen {
		return ErrTooLong
	}
	binary.BigEndian.PutUint32(dst[mark:], uint32(n))
	return nil
}

// Open is OpenElem for an element of any type with elements, including vectors. Close completes the
// element.
func (l *Layout) Open(dst []byte) []byte {
	switch l.form {
	case side:
		return dst
	case vints:
		// Every element below 128 bytes has a length of one byte.
		return append(dst, 0)
	default:
		return OpenElem(dst)
	}
}

// Close completes the element that Open started at dst[mark:], as CloseElem does. It returns an
// error if the elements of the vector have a fixed length and the element does not have it.
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

// closeVint moves an element to make room for a length of more than one byte.
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
