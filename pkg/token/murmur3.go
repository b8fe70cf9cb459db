package token

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// murmur3 is Cassandra's Murmur3Partitioner: the first 64 bits of MurmurHash3 x64 128 with seed 0,
// with two differences. The bytes of the last, incomplete block are sign-extended. The hash -2^63
// is mapped to 2^63-1, so that -2^63 can be the excluded lower bound of the ring.
type murmur3 struct{}

// signBit converts between a two's complement number and an unsigned number of the same order.
const signBit = 1 << 63

func (murmur3) Name() string { return "Murmur3Partitioner" }
func (murmur3) Min() Token   { return Token{} }
func (murmur3) Max() Token   { return Token{Lo: math.MaxUint64} }

func (murmur3) Parse(s string) (Token, error) {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return Token{}, numberError("murmur3", s, errors.Is(err, strconv.ErrRange))
	}
	return fromInt64(v), nil
}

func (murmur3) Append(dst []byte, t Token) []byte {
	return strconv.AppendInt(dst, toInt64(t), 10)
}

func (murmur3) AppendWire(dst []byte, t Token) []byte {
	return binary.BigEndian.AppendUint64(dst, t.Lo^signBit)
}

func (murmur3) ReadWire(b []byte) (Token, error) {
	if len(b) != 8 {
		return Token{}, fmt.Errorf("murmur3 token of %d bytes: a bigint has 8", len(b))
	}
	return Token{Lo: binary.BigEndian.Uint64(b) ^ signBit}, nil
}

func (murmur3) Hash(key []byte) Token {
	if len(key) == 0 {
		return Token{}
	}
	h, _ := Murmur3Sum128(key)
	return Murmur3Token(h)
}

// Murmur3Token returns the token of a key whose Murmur3Sum128 has the first word h1.
func Murmur3Token(h1 uint64) Token {
	if h1 == signBit {
		h1 = math.MaxInt64
	}
	return Token{Lo: h1 ^ signBit}
}

func fromInt64(v int64) Token { return Token{Lo: uint64(v) ^ signBit} }
func toInt64(t Token) int64   { return int64(t.Lo ^ signBit) }

// The constants of MurmurHash3 x64 128.
const (
	murmurC1 = 0x87c37b91114253d5
	murmurC2 = 0x4cf5ad432745937f
	murmurN1 = 0x52dce729
	murmurN2 = 0x38495ab5
	murmurF1 = 0xff51afd7ed558ccd
	murmurF2 = 0xc4ceb9fe1a85ec53
)

// Murmur3Sum128 returns both words of the hash behind Murmur3 tokens, before -2^63 is mapped to
// 2^63-1. The bloom filters of SSTables use both words. Source:
// org.apache.cassandra.utils.MurmurHash.hash3_x64_128, with seed 0.
func Murmur3Sum128(key []byte) (h1, h2 uint64) {
	rest := key
	for len(rest) >= 16 {
		k1 := binary.LittleEndian.Uint64(rest)
		k2 := binary.LittleEndian.Uint64(rest[8:])
		rest = rest[16:]
		h1 = (bits.RotateLeft64(h1^murmurMix1(k1), 27)+h2)*5 + murmurN1
		h2 = (bits.RotateLeft64(h2^murmurMix2(k2), 31)+h1)*5 + murmurN2
	}
	if len(rest) > 8 {
		h2 ^= murmurMix2(signedTail(rest[8:]))
		rest = rest[:8]
	}
	if len(rest) > 0 {
		h1 ^= murmurMix1(signedTail(rest))
	}
	h1 ^= uint64(len(key))
	h2 ^= uint64(len(key))
	h1 += h2
	h2 += h1
	h2 = murmurFinal(h2)
	h1 = murmurFinal(h1) + h2
	return h1, h1 + h2
}

// signedTail reads up to 8 bytes in little-endian order, as Cassandra does. It sign-extends each
// byte before the shift, so a byte of 0x80 or more inverts every bit above it.
func signedTail(b []byte) uint64 {
	var k uint64
	for i := len(b) - 1; i >= 0; i-- {
		k = k<<8 ^ uint64(int8(b[i]))
	}
	return k
}

func murmurMix1(k uint64) uint64 { return bits.RotateLeft64(k*murmurC1, 31) * murmurC2 }
func murmurMix2(k uint64) uint64 { return bits.RotateLeft64(k*murmurC2, 33) * murmurC1 }

func murmurFinal(h uint64) uint64 {
	h ^= h >> 33
	h *= murmurF1
	h ^= h >> 33
	h *= murmurF2
	return h ^ h>>33
}

// numberError returns the error for a text that is not a token.
func numberError(kind, s string, outOfBounds bool) error {
	reason := "not a whole decimal number"
	if outOfBounds {
		reason = "outside the ring"
	}
	return fmt.Errorf("%s token %q: %s", kind, s, reason)
}
