package component

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Filter is a bloom filter, the component Filter.db. It may report a key that the file does not
// have, but never misses a key of the file. Sources: org.apache.cassandra.utils.BloomFilter,
// BloomFilterSerializer, BloomCalculations and utils.obs.OffHeapBitSet; both words of
// token.Murmur3Sum128 give the bits of a key.
//
// Add is for one goroutine alone; the other methods only read.
type Filter struct {
	hashes  int
	bits    []byte
	inverse uint64 // 2^64 divided by how many bits there are: to divide by that with
}

func newFilter(hashes int, bits []byte) *Filter {
	return &Filter{hashes: hashes, bits: bits, inverse: math.MaxUint64 / (8 * uint64(len(bits)))}
}

// Limits of a filter: bits for each key, as Cassandra has them; bits in addition to those; and hash
// functions.
const (
	maxBitsPerKey = 20
	extraBits     = 20
	maxHashes     = 64
)

// NoFilter is the chance of a false positive from which on a table has no filters.
const NoFilter = 1.0

// filterChance returns the chance of a false positive for a number of bits for each key and a
// number of functions. It is rounded to three digits, as in Cassandra's table.
func filterChance(bitsPerKey, hashes int) float64 {
	chance := math.Pow(1-math.Exp(-float64(hashes)/float64(bitsPerKey)), float64(hashes))
	digit := math.Pow(10, math.Floor(math.Log10(chance))-2)
	return math.Round(chance/digit) * digit
}

// filterSpec returns the fewest bits for each key, and then the fewest functions, that keep to a
// chance of a false positive. If no filter does, it returns the best one.
func filterSpec(chance float64) (bitsPerKey, hashes int) {
	best := func(bitsPerKey int) int {
		k := 1
		for filterChance(bitsPerKey, k+1) < filterChance(bitsPerKey, k) {
			k++
		}
		return k
	}
	bitsPerKey = 2
	for bitsPerKey < maxBitsPerKey && filterChance(bitsPerKey, best(bitsPerKey)) > chance {
		bitsPerKey++
	}
	hashes = best(bitsPerKey)
	for hashes > 1 && filterChance(bitsPerKey, hashes-1) <= chance {
		hashes--
	}
	return bitsPerKey, hashes
}

// NewFilter makes an empty filter for that many keys, with that chance of a false positive, above 0
// and below NoFilter. It takes 5 bits of memory for each key at a chance of 0.1, 10 at 0.01. More
// keys than said make false positives likelier, and no other harm.
func NewFilter(keys int64, chance float64) *Filter {
	bitsPerKey, hashes := filterSpec(chance)
	words := min((max(keys, 0)*int64(bitsPerKey)+extraBits+63)/64, math.MaxInt32)
	return newFilter(hashes, make([]byte, 8*words))
}

// Add puts a key in.
func (f *Filter) Add(key []byte) { f.add(token.Murmur3Sum128(key)) }

// add puts in a key of that hash.
func (f *Filter) add(h1, h2 uint64) {
	for range f.hashes {
		at := f.bit(h2)
		f.bits[at/8] |= 1 << (at % 8)
		h2 += h1
	}
}

// Has reports whether the key may be in: always true for one that is.
func (f *Filter) Has(key []byte) bool { return f.has(token.Murmur3Sum128(key)) }

// has is Has for a key of that hash.
func (f *Filter) has(h1, h2 uint64) bool {
	for range f.hashes {
		if at := f.bit(h2); f.bits[at/8]&(1<<(at%8)) == 0 {
			return false
		}
		h2 += h1
	}
	return true
}

// Hashes collects the hashes of keys, both words of token.Murmur3Sum128. A filter adds or looks up
// many of them together, because the bits of a key are scattered over the filter's memory. The
// processor then fetches the bits of several keys at the same time.
type Hashes struct {
	keys [hashedTogether][2]uint64
	n    int
}

const hashedTogether = 64

// Take adds a hash. It must not be called if Hashes is Full.
func (h *Hashes) Take(h1, h2 uint64) {
	h.keys[h.n] = [2]uint64{h1, h2}
	h.n++
}

// Full reports whether there is room for no more hashes.
func (h *Hashes) Full() bool { return h.n == hashedTogether }

// AddAll adds the keys of some hashes, and drops those.
func (f *Filter) AddAll(h *Hashes) {
	for _, key := range h.keys[:h.n] {
		f.add(key[0], key[1])
	}
	h.n = 0
}

// HasAll reports whether the filter has all of some hashes, and drops them. If it lacks one,
// missing is the first word of that.
func (f *Filter) HasAll(h *Hashes) (missing uint64, all bool) {
	all = true
	for _, key := range h.keys[:h.n] {
		if !f.has(key[0], key[1]) {
			missing, all = key[0], false
		}
	}
	h.n = 0
	return missing, all
}

// bit returns the place of a bit: the absolute value of the hash, a signed number in Java, modulo
// the number of bits. It multiplies by the inverse, because a division takes the processor ten
// times as long and dominates the cost of a filter. The quotient is right or too small by one.
func (f *Filter) bit(h uint64) uint64 {
	if int64(h) < 0 {
		h = -h
	}
	quotient, _ := bits.Mul64(h, f.inverse)
	size := 8 * uint64(len(f.bits))
	rest := h - quotient*size
	if rest >= size {
		rest -= size
	}
	return rest
}

// Append appends the Filter.db of a version.
func (f *Filter) Append(dst []byte, v Version) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(f.hashes))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(f.bits)/8))
	if v.hasPlainFilter() {
		return append(dst, f.bits...)
	}
	for at := 0; at < len(f.bits); at += 8 {
		dst = binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(f.bits[at:]))
	}
	return dst
}

// ParseFilter reads the Filter.db of a version. The filter may be part of b.
func ParseFilter(b []byte, v Version) (*Filter, error) {
	c := cursor{fields.Reader{Rest: b}}
	hashes := c.Int32()
	if hashes < 1 || hashes > maxHashes {
		c.Fail("%d functions", hashes)
	}
	words := c.Count(8)
	if words == 0 {
		c.Fail("no bits")
	}
	bits := c.Take(8 * uint64(words))
	if err := c.End(); err != nil {
		return nil, fmt.Errorf("%s: %w", FilterDB, err)
	}
	if !v.hasPlainFilter() {
		plain := make([]byte, 0, len(bits))
		for at := 0; at < len(bits); at += 8 {
			plain = binary.LittleEndian.AppendUint64(plain, binary.BigEndian.Uint64(bits[at:]))
		}
		bits = plain
	}
	return newFilter(int(hashes), bits), nil
}
