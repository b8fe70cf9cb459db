package token

import "encoding/binary"

// murmur2M is the multiplier of MurmurHash2, 64-bit.
const murmur2M = 0xc6a4a7935bd1e995

// Murmur2Sum64 returns the 64-bit MurmurHash2 with seed 0. Cassandra uses it to estimate the number
// of keys that SSTables share. As in Murmur3, the bytes of the last, incomplete block are
// sign-extended. Source: org.apache.cassandra.utils.MurmurHash.hash2_64.
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
