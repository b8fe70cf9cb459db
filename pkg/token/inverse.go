package token

import (
	"encoding/binary"
	"math/bits"
)

// AppendMurmur3Key appends a partition key of 16 bytes whose Murmur3 token is t. It serves a
// library that requires a key where only the token is known. No row has this key, and it must not
// be bound to a statement.
//
// No key has the least token. For it, the key is one that [Murmur3] maps to the greatest token, as
// Cassandra does.
//
// The function inverts the steps of MurmurHash3 x64 128 for a single block. Multiplication by an
// odd constant has an inverse modulo 2^64. So have rotations and the mixing of a word with its own
// upper half.
func AppendMurmur3Key(dst []byte, t Token) []byte {
	// Any two words with the right sum can precede the last addition; the second is zero here.
	h1, h2 := murmurUnfinal(t.Lo^signBit), uint64(0)
	h2 -= h1
	h1 -= h2
	h1 ^= 16
	h2 ^= 16
	k2 := murmurDivide(h2-murmurN2, 5) - h1
	k2 = bits.RotateLeft64(k2, -31)
	k1 := murmurDivide(h1-murmurN1, 5)
	k1 = bits.RotateLeft64(k1, -27)
	k1 = murmurDivide(bits.RotateLeft64(murmurDivide(k1, murmurC2), -31), murmurC1)
	k2 = murmurDivide(bits.RotateLeft64(murmurDivide(k2, murmurC1), -33), murmurC2)
	dst = binary.LittleEndian.AppendUint64(dst, k1)
	return binary.LittleEndian.AppendUint64(dst, k2)
}

// murmurDivide divides by an odd factor modulo 2^64. Newton's iteration doubles the number of
// correct bits each time, from the 3 that every odd number has.
func murmurDivide(x, factor uint64) uint64 {
	inverse := factor
	for range 5 {
		inverse *= 2 - factor*inverse
	}
	return x * inverse
}

// murmurUnfinal undoes murmurFinal.
func murmurUnfinal(h uint64) uint64 {
	h ^= h >> 33
	h = murmurDivide(h, murmurF2)
	h ^= h >> 33
	h = murmurDivide(h, murmurF1)
	return h ^ h>>33
}
