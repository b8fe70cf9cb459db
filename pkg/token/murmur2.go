package token

import "encoding/binary"

// murmur2M is the multiplier of MurmurHash2, 64-bit.
const murmur2M = 0xc6a4a7935bd1e995

// Murmur2Sum64 returns MurmurHash2, 64-bit, with seed 0, by which Cassandra estimates how many keys SSTables have in
// common: org.apache.cassandra.utils.MurmurHash.hash2_64. The bytes of the last, incomplete block are sign-extended as
// those of Murmur3 are.
func Murmur2Sum64(key []byte) uint64 {
	h := murmur2M * uint64(len(key))
	for len(key) >= 8 {
		k := binary.LittleEndian.Uint64(key) * murmur2M
		key = key[8:]
		k ^= k >> 47
		h = (h ^ k*murmur2M) * murmur2M
	}
	if len(key) > 0 {
		h = (h ^ signedTail(key)) * murmur2M
	}
	h ^= h >> 47
	h *= murmur2M
	return h ^ h>>47
}
