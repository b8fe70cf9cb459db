package cqltext

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// rawCodec returns the codec of blob or a custom type. The raw form is its only text.
func rawCodec(wire cqlwire.Layout) *scalar {
	return &scalar{
		wire:   wire,
		format: func(dst, _ []byte) ([]byte, bool) { return dst, false },
		parse:  func(dst, _ []byte) ([]byte, error) { return dst, errNoPrefix },
	}
}

var errNoPrefix = errors.New("hex bytes must begin with 0x")

// emptyCodec is the codec of Cassandra's EmptyType, whose only value has no bytes.
var emptyCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Empty),
	format: func(dst, _ []byte) ([]byte, bool) { return dst, false },
	parse:  func(dst, _ []byte) ([]byte, error) { return dst, errors.New("the only value is 0x") },
}

// isRaw reports whether text starts as the raw form does.
func isRaw(text []byte) bool {
	return len(text) >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
}

// appendRaw appends the raw form of wire: 0x and lower-case hex.
func appendRaw(dst, wire []byte) []byte {
	return hex.AppendEncode(append(dst, '0', 'x'), wire)
}

// notHex marks the bytes in hexValues that are not hex digits.
const notHex = 0xff

// hexValues maps each byte to its value as a hex digit.
var hexValues = func() (t [256]byte) {
	for i := range t {
		t[i] = notHex
	}
	for i := range 10 {
		t['0'+i] = byte(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = byte(10+i), byte(10+i)
	}
	return t
}()

// parseRaw appends the bytes of a text for which isRaw is true. Offsets in errors count from the 0
// of 0x.
func parseRaw(dst, text []byte) ([]byte, error) {
	digits := text[2:]
	for i := 0; i+1 < len(digits); i += 2 {
		hi, lo := hexValues[digits[i]], hexValues[digits[i+1]]
		if hi|lo == notHex {
			return dst, badHex(text)
		}
		dst = append(dst, hi<<4|lo)
	}
	if len(digits)%2 != 0 {
		return dst, badHex(text)
	}
	return dst, nil
}

// badHex returns the fault of a raw form that parseRaw cannot read.
func badHex(text []byte) error {
	for i, c := range text[2:] {
		if hexValues[c] == notHex {
			return fmt.Errorf("%q at offset %d is not a hex digit", text[i+2:i+3], i+2)
		}
	}
	return fmt.Errorf(
		"odd number of hex digits (%d), the last at offset %d", len(text)-2, len(text)-1,
	)
}
