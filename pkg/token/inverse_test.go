package token

import (
	"encoding/binary"
	"math/bits"
)

// murmur3Key makes a key of 16 bytes whose Murmur3 token is t before the lowest
// token is moved: the hash of a single block can be undone step by step.
func murmur3Key(t int64) []byte {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	// Of the two words before the last mixing any pair with the right sum will
	// do; the second is taken as zero.
	h1, h2 := unmix(uint64(t)), uint64(0)
	h2 -= h1
	h1 -= h2
	h1 ^= 16
	h2 ^= 16
	k2 := undo(h2-0x38495ab5, 5) - h1
	k2 = bits.RotateLeft64(k2, -31)
	k1 := undo(h1-0x52dce729, 5)
	k1 = bits.RotateLeft64(k1, -27)
	k1 = undo(bits.RotateLeft64(undo(k1, c2), -31), c1)
	k2 = undo(bits.RotateLeft64(undo(k2, c1), -33), c2)
	key := binary.LittleEndian.AppendUint64(nil, k1)
	return binary.LittleEndian.AppendUint64(key, k2)
}

// undo divides by an odd factor modulo 2^64 (Newton's iteration).
func undo(x, factor uint64) uint64 {
	inverse := factor
	for range 5 {
		inverse *= 2 - factor*inverse
	}
	return x * inverse
}

// unmix undoes the hash's final mixing.
func unmix(h uint64) uint64 {
	h ^= h >> 33
	h = undo(h, 0xc4ceb9fe1a85ec53)
	h ^= h >> 33
	h = undo(h, 0xff51afd7ed558ccd)
	return h ^ h>>33
}
