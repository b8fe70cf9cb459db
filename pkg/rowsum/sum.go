package rowsum

import (
	"encoding/hex"
	"fmt"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// Version is the name of the definition. Sums of different definitions cannot be compared.
const Version = "cqlbulk-rowsum-1"

// Sum is the checksum of any number of rows, a number below 2^128. The zero Sum is the checksum of
// no rows.
type Sum struct{ Hi, Lo uint64 }

// Add returns s + t modulo 2^128: the checksum of the rows of both.
func (s Sum) Add(t Sum) Sum {
	lo, carry := bits.Add64(s.Lo, t.Lo, 0)
	hi, _ := bits.Add64(s.Hi, t.Hi, carry)
	return Sum{Hi: hi, Lo: lo}
}

// Sub returns s - t modulo 2^128: the checksum without the rows of t.
func (s Sum) Sub(t Sum) Sum {
	lo, borrow := bits.Sub64(s.Lo, t.Lo, 0)
	hi, _ := bits.Sub64(s.Hi, t.Hi, borrow)
	return Sum{Hi: hi, Lo: lo}
}

// String returns the checksum as 32 lower-case hexadecimal digits.
func (s Sum) String() string { return fmt.Sprintf("%016x%016x", s.Hi, s.Lo) }

// MarshalText returns String, which is also the form in JSON.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a checksum as Parse does.
func (s *Sum) UnmarshalText(text []byte) (err error) {
	*s, err = Parse(string(text))
	return err
}

// Parse reads a checksum in the form of String. The digits may be in either case.
func Parse(s string) (Sum, error) {
	var b [16]byte
	if len(s) != 2*len(b) {
		return Sum{}, fmt.Errorf("checksum %.40q: %d characters, not %d", s, len(s), 2*len(b))
	}
	if _, err := hex.Decode(b[:], []byte(s)); err != nil {
		return Sum{}, fmt.Errorf("checksum %q: %w", s, err)
	}
	return Sum{Hi: order.Uint64(b[:8]), Lo: order.Uint64(b[8:])}, nil
}

// hash is H of the definition.
func hash(b []byte) Sum { return Sum(xxh3.Hash128(b)) }
