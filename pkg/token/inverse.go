package token

import (
	"encoding/binary"
	"math/bits"
)

// AppendMurmur3Key appends a partition key of 16 bytes that Murmur3 hashes to t:
// the hash of a single block can be undone step by step. It serves where a
// library wants a key and only a token is known; it is the key of no row, and is
// never to be bound to a statement.
//
// For the least token, which no key has, the key is one whose hash is moved to
// the greatest by Cassandra (and by [Murmur3]).
//
// The steps are those of MurmurHash3 x64 128 backwards: multiplications by odd
// constants have inverses modulo 2^64, and so have rotations and the mixing of
// a word with its own upper half.
func AppendMurmur3Key(dst []byte, t Token) []byte {
	// Of the two words before the last addition any pair with the right sum will
	// do; the second is taken as zero.
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

// murmurDivide divides by an odd factor modulo 2^64 (Newton's iteration, which
// doubles the right bits each time, from the 3 that every odd number has).
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
