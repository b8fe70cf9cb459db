package cqltext

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// uuidCodec is the codec of uuid: the 16 bytes in the order of the text.
var uuidCodec = scalar{wire: cqlwire.Scalar(cqltype.UUID), format: formatUUID, parse: parseUUID}

// timeuuidCodec is uuidCodec for version 1, the only version that servers accept. A value of
// another version is written raw.
var timeuuidCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.TimeUUID),
	format: formatTimeUUID,
	parse:  parseTimeUUID,
}

var errNotUUID = errors.New("not a UUID of the form 01234567-89ab-cdef-0123-456789abcdef")

func formatUUID(dst, wire []byte) ([]byte, bool) {
	dst = append(hex.AppendEncode(dst, wire[:4]), '-')
	dst = append(hex.AppendEncode(dst, wire[4:6]), '-')
	dst = append(hex.AppendEncode(dst, wire[6:8]), '-')
	dst = append(hex.AppendEncode(dst, wire[8:10]), '-')
	return hex.AppendEncode(dst, wire[10:]), true
}

func formatTimeUUID(dst, wire []byte) ([]byte, bool) {
	if wire[6]>>4 != 1 {
		return dst, false
	}
	return formatUUID(dst, wire)
}

// parseUUID reads 32 hex digits in either case, with all four dashes or none, and with or without
// braces.
func parseUUID(dst, text []byte) ([]byte, error) {
	if n := len(text); n > 2 && text[0] == '{' && text[n-1] == '}' {
		text = text[1 : n-1]
	}
	dashes := len(text) == 36
	if !dashes && len(text) != 32 {
		return dst, errNotUUID
	}
	i := 0
	for n := range 16 {
		if dashes && (n == 4 || n == 6 || n == 8 || n == 10) {
			if text[i] != '-' {
				return dst, errNotUUID
			}
			i++
		}
		hi, lo := hexValues[text[i]], hexValues[text[i+1]]
		if hi|lo == notHex {
			return dst, errNotUUID
		}
		dst = append(dst, hi<<4|lo)
		i += 2
	}
	return dst, nil
}

func parseTimeUUID(dst, text []byte) ([]byte, error) {
	mark := len(dst)
	dst, err := parseUUID(dst, text)
	if err == nil && dst[mark+6]>>4 != 1 {
		err = fmt.Errorf("UUID version %d, where a timeuuid is of version 1", dst[mark+6]>>4)
	}
	return dst, err
}
