package cqltext

import (
	"bytes"
	"errors"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// booleanCodec writes 01 as true and 00 as false. Cassandra and ScyllaDB also store other bytes and
// read them as true; those are written raw to keep their bits.
var booleanCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Boolean),
	format: formatBoolean,
	parse:  parseBoolean,
}

var errNotBoolean = errors.New("not one of true, false, t, f, yes, no, y, n, 1, 0")

// booleanWords are the accepted words, in any case.
var booleanWords = []struct {
	word  []byte
	value byte
}{
	{
		[]byte("true"),
		1,
	}, {[]byte("false"), 0}, {[]byte("t"), 1}, {[]byte("f"), 0}, {[]byte("1"), 1}, {[]byte("0"), 0},
	{[]byte("yes"), 1}, {[]byte("no"), 0}, {[]byte("y"), 1}, {[]byte("n"), 0},
}

func formatBoolean(dst, wire []byte) ([]byte, bool) {
	switch wire[0] {
	case 0:
		return append(dst, "false"...), true
	case 1:
		return append(dst, "true"...), true
	default:
		return dst, false
	}
}

func parseBoolean(dst, text []byte) ([]byte, error) {
	for i := range booleanWords {
		if w := &booleanWords[i]; len(w.word) == len(text) && bytes.EqualFold(w.word, text) {
			return append(dst, w.value), nil
		}
	}
	return dst, errNotBoolean
}
