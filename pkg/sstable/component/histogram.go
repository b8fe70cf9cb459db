package component

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// Histogram counts values by ranges whose bounds grow by a fifth:
// org.apache.cassandra.utils.EstimatedHistogram and its serializer. A value counts in the bucket of
// the first offset that is not below it, and in the last one when all are.
type Histogram struct {
	// Offsets are the upper bounds, included, of all buckets but the last, which has none.
	Offsets []int64
	// Counts has one more than Offsets.
	Counts []int64
}

// How many bounds Cassandra 5.0 takes: for the sizes of partitions, and for their cells
// (org.apache.cassandra.io.sstable.metadata.MetadataCollector). Readers take any number.
const (
	sizeBounds = 155
	cellBounds = 118
)

// newHistogram makes an empty one of n bounds.
func newHistogram(n int) Histogram {
	offsets := make([]int64, n)
	last := int64(0)
	for i := range offsets {
		last = max(int64(math.Round(float64(last)*1.2)), last+1)
		offsets[i] = last
	}
	return Histogram{Offsets: offsets, Counts: make([]int64, n+1)}
}

// Add counts a value.
func (h *Histogram) Add(value int64) {
	i, _ := slices.BinarySearch(h.Offsets, value)
	h.Counts[i]++
}

// Total is how many values were counted.
func (h *Histogram) Total() int64 {
	var n int64
	for _, count := range h.Counts {
		n += count
	}
	return n
}

func (h *Histogram) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(h.Counts)))
	for i, count := range h.Counts {
		dst = binary.BigEndian.AppendUint64(dst, uint64(h.Offsets[max(i-1, 0)]))
		dst = binary.BigEndian.AppendUint64(dst, uint64(count))
	}
	return dst
}

func (c *cursor) histogram() Histogram {
	n := c.Count(16)
	if n < 2 {
		c.Fail("histogram of %d buckets", n)
		return Histogram{}
	}
	h := Histogram{Offsets: make([]int64, n-1), Counts: make([]int64, n)}
	for i := range n {
		offset := c.Int64()
		h.Counts[i] = c.Int64()
		if i < 2 {
			if i == 1 && offset != h.Offsets[0] {
				c.Fail("histogram whose first buckets begin at %d and %d", h.Offsets[0], offset)
			}
			h.Offsets[0] = offset
			continue
		}
		if offset <= h.Offsets[i-2] {
			c.Fail(
				"histogram whose bucket %d begins at %d, the one before at %d",
				i,
				offset,
				h.Offsets[i-2],
			)
		}
		h.Offsets[i-1] = offset
	}
	return h
}

// TombstoneHistogram counts deletions and expiries by the second from which on compaction may drop
// them: org.apache.cassandra.utils.streamhist.StreamingTombstoneHistogramBuilder and
// TombstoneHistogram. Seconds are rounded up to minutes; where that leaves more than tombstoneBins
// of them, the two nearest are put together again and again.
type TombstoneHistogram struct {
	// Bins is the largest number of bins. In files of Cassandra 4.0 and later, it is the number of
	// bins that the file has.
	Bins int
	// Seconds, ascending, and how many at each.
	Seconds []int64
	Counts  []int64

	spool map[int64]int64
}

const (
	// tombstoneBins are the most bins of a histogram.
	tombstoneBins = 100
	// tombstoneRounding is what seconds are rounded up to a multiple of.
	tombstoneRounding = 60
	// tombstoneSpool is how many different seconds are counted before they go into the bins.
	tombstoneSpool = 10_000
	// maxTombstoneCount is the most that a bin counts.
	maxTombstoneCount = math.MaxInt32
)

// Add counts a second of Unix time.
func (h *TombstoneHistogram) Add(second int64) {
	if over := second % tombstoneRounding; over > 0 {
		second += tombstoneRounding - over
	}
	if h.spool == nil {
		h.spool = make(map[int64]int64)
	}
	h.spool[second]++
	if len(h.spool) >= tombstoneSpool {
		h.flush()
	}
}

// Flush puts all that was counted into the bins, before they are read.
func (h *TombstoneHistogram) Flush() {
	if len(h.spool) > 0 {
		h.flush()
	}
	h.spool = nil
}

// flush puts what was counted into the bins.
func (h *TombstoneHistogram) flush() {
	for i, second := range h.Seconds {
		h.spool[second] += h.Counts[i]
	}
	h.Seconds, h.Counts = h.Seconds[:0], h.Counts[:0]
	for second := range h.spool {
		h.Seconds = append(h.Seconds, second)
	}
	slices.Sort(h.Seconds)
	for _, second := range h.Seconds {
		h.Counts = append(h.Counts, min(h.spool[second], maxTombstoneCount))
	}
	clear(h.spool)
	h.reduce()
}

// reduce puts the nearest bins together until there are no more than allowed. Pairs are taken by
// their distance; each bin goes at most once in a round, so that many bins need few rounds.
func (h *TombstoneHistogram) reduce() {
	for excess := len(h.Seconds) - h.Bins; excess > 0; excess = len(h.Seconds) - h.Bins {
		pairs := make([]int, len(h.Seconds)-1)
		for i := range pairs {
			pairs[i] = i
		}
		gap := func(i int) int64 { return h.Seconds[i+1] - h.Seconds[i] }
		slices.SortStableFunc(pairs, func(a, b int) int { return cmp.Compare(gap(a), gap(b)) })
		gone := make([]bool, len(h.Seconds))
		used := make([]bool, len(h.Seconds))
		for _, i := range pairs {
			if excess == 0 {
				break
			}
			if used[i] || used[i+1] {
				continue
			}
			used[i], used[i+1], gone[i+1] = true, true, true
			excess--
			n, m := h.Counts[i], h.Counts[i+1]
			h.Seconds[i] += int64(float64(gap(i)) * float64(m) / float64(n+m))
			h.Counts[i] = min(n+m, maxTombstoneCount)
		}
		kept := 0
		for i := range h.Seconds {
			if !gone[i] {
				h.Seconds[kept], h.Counts[kept] = h.Seconds[i], h.Counts[i]
				kept++
			}
		}
		h.Seconds, h.Counts = h.Seconds[:kept], h.Counts[:kept]
	}
}

func (h *TombstoneHistogram) append(dst []byte, v Version) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(h.Bins))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(h.Seconds)))
	for i, second := range h.Seconds {
		if v.HasUnsignedSeconds() {
			dst = binary.BigEndian.AppendUint64(dst, uint64(second))
			dst = binary.BigEndian.AppendUint32(dst, uint32(h.Counts[i]))
			continue
		}
		dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(float64(second)))
		dst = binary.BigEndian.AppendUint64(dst, uint64(h.Counts[i]))
	}
	return dst
}

func (c *cursor) tombstones(v Version) TombstoneHistogram {
	h := TombstoneHistogram{Bins: int(c.Int32())}
	width := 16
	if v.HasUnsignedSeconds() {
		width = 12
	}
	n := c.Count(width)
	h.Seconds, h.Counts = make([]int64, n), make([]int64, n)
	for i := range n {
		if v.HasUnsignedSeconds() {
			h.Seconds[i], h.Counts[i] = c.Int64(), int64(c.Uint32())
		} else {
			second := c.Float64()
			h.Seconds[i], h.Counts[i] = int64(second), c.Int64()
			if float64(h.Seconds[i]) != second {
				c.Fail("tombstones at second %v", second)
			}
		}
		if i > 0 && h.Seconds[i] <= h.Seconds[i-1] {
			c.Fail("tombstones at second %d after second %d", h.Seconds[i], h.Seconds[i-1])
		}
	}
	return h
}

// Total returns how many deletions and expiries the bins count.
func (h *TombstoneHistogram) Total() int64 {
	var n int64
	for _, count := range h.Counts {
		n += count
	}
	return n
}
