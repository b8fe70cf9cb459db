package token

import (
	"crypto/md5" // RandomPartitioner is defined by MD5; nothing here relies on its strength
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// random is Cassandra's RandomPartitioner: the absolute value of the key's MD5, read as a signed
// big-endian number, from 0 to 2^127. No row has its minimum, -1. A token t is stored as t+1.
type random struct{}

var (
	one       = Token{Lo: 1}
	randomMax = Token{Hi: signBit, Lo: 1} // 2^127
)

func (random) Name() string { return "RandomPartitioner" }
func (random) Min() Token   { return Token{} }
func (random) Max() Token   { return randomMax }

func (random) Parse(s string) (Token, error) {
	digits, negative := strings.CutPrefix(s, "-")
	if !negative {
		digits = strings.TrimPrefix(s, "+")
	}
	v, fits, ok := parseDecimal(digits)
	switch {
	case !ok:
		return Token{}, numberError("random", s, false)
	case !fits, negative && one.Less(v), !negative && randomMax.sub(one).Less(v):
		return Token{}, numberError("random", s, true)
	case negative && v == one:
		return Token{}, nil
	}
	return v.add(one), nil
}

// parseDecimal reads decimal digits. It reports whether the number fits in 128 bits and whether the
// text consists of digits.
func parseDecimal(s string) (v Token, fits, ok bool) {
	fits = true
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return Token{}, false, false
		}
		if fits {
			v, fits = v.mulAdd(10, uint64(d))
		}
	}
	return v, fits, len(s) > 0
}

func (random) Append(dst []byte, t Token) []byte {
	if t == (Token{}) {
		return append(dst, "-1"...)
	}
	return appendDecimal(dst, t.sub(one))
}

// appendDecimal appends v in decimal, 19 digits at a time.
func appendDecimal(dst []byte, v Token) []byte {
	if v.Hi == 0 {
		return strconv.AppendUint(dst, v.Lo, 10)
	}
	const chunk, digits = 1e19, 19
	quotient, rest := v.div(chunk)
	dst = appendDecimal(dst, quotient)
	end := len(dst) + digits
	dst = append(dst, "0000000000000000000"...)
	for ; rest > 0; rest /= 10 {
		end--
		dst[end] += byte(rest % 10)
	}
	return dst
}

func (random) AppendWire(dst []byte, t Token) []byte {
	if t == (Token{}) {
		return append(dst, 0xff)
	}
	v := t.sub(one)
	n := v.bitLen()/8 + 1 // a varint needs one bit for the sign
	if n > 16 {
		dst = append(dst, 0)
		n = 16
	}
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], v.Hi)
	binary.BigEndian.PutUint64(b[8:], v.Lo)
	return append(dst, b[16-n:]...)
}

func (random) ReadWire(b []byte) (Token, error) {
	if len(b) == 0 {
		return Token{}, fmt.Errorf("random token of 0 bytes: a varint has at least 1")
	}
	var sign byte
	if b[0] >= 0x80 {
		sign = 0xff
	}
	digits := b
	for len(digits) > 1 && digits[0] == sign {
		digits = digits[1:]
	}
	if sign != 0 {
		if len(digits) == 1 && digits[0] == sign {
			return Token{}, nil
		}
		return Token{}, fmt.Errorf("random token 0x%x: below -1", b)
	}
	var v Token
	fits := true
	for _, d := range digits {
		if v, fits = v.mulAdd(256, uint64(d)); !fits {
			break
		}
	}
	if !fits || randomMax.sub(one).Less(v) {
		return Token{}, fmt.Errorf("random token 0x%x: above 2^127", b)
	}
	return v.add(one), nil
}

func (random) Hash(key []byte) Token {
	if len(key) == 0 {
		return Token{}
	}
	sum := md5.Sum(key)
	v := Token{binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])}
	if v.Hi >= signBit {
		v = Token{}.sub(v)
	}
	return v.add(one)
}
