package component

import (
	"encoding/binary"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// Summary is the component Summary.db: where in Index.db every so manieth key stands, and the first
// and the last key. Sources:
// org.apache.cassandra.io.sstable.indexsummary.IndexSummary.IndexSummarySerializer and
// io.sstable.format.big.BigSSTableReaderLoadingBuilder.
type Summary struct {
	// Interval is how many keys there are from one entry to the next: the table's
	// min_index_interval, else a server throws the summary away.
	Interval int
	// Sampling is how many of each fullSampling entries are there.
	Sampling int
	// FullSize is how many entries there are when none is left out.
	FullSize int
	Entries  []SummaryEntry
	// First and Last are the keys of the first and last partition.
	First, Last []byte
}

// SummaryEntry is where a key stands.
type SummaryEntry struct {
	Key []byte
	// Position is that of the key's entry in Index.db, in bytes.
	Position uint64
}

// fullSampling is the sampling level of a summary that has all entries.
const fullSampling = 128

// positionLen is how many bytes a position has in an entry.
const positionLen = 8

// NewSummary makes an empty summary of all entries.
func NewSummary(interval int) *Summary {
	return &Summary{Interval: interval, Sampling: fullSampling}
}

// Add adds partition number n of the file, counted from 0. position is the place of its entry in
// Index.db. The caller adds all partitions, in their order. If the key is kept, it is copied.
func (s *Summary) Add(n int64, key []byte, position uint64) {
	if n%int64(s.Interval) == 0 {
		s.Entries = append(
			s.Entries,
			SummaryEntry{Key: append([]byte(nil), key...), Position: position},
		)
		s.FullSize++
	}
	if n == 0 {
		s.First = append(s.First[:0], key...)
	}
	s.Last = append(s.Last[:0], key...)
}

// Append appends the Summary.db, which is the same in all versions.
func (s *Summary) Append(dst []byte) []byte {
	size := 4 * len(s.Entries)
	for _, e := range s.Entries {
		size += len(e.Key) + positionLen
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.Interval))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(s.Entries)))
	dst = binary.BigEndian.AppendUint64(dst, uint64(size))
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.Sampling))
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.FullSize))
	offset := 4 * len(s.Entries)
	for _, e := range s.Entries {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(offset))
		offset += len(e.Key) + positionLen
	}
	for _, e := range s.Entries {
		dst = append(dst, e.Key...)
		dst = binary.LittleEndian.AppendUint64(dst, e.Position)
	}
	dst = fields.AppendIntBytes(dst, s.First)
	return fields.AppendIntBytes(dst, s.Last)
}

// ParseSummary reads a Summary.db. Its keys are parts of b.
func ParseSummary(b []byte) (*Summary, error) {
	s := new(Summary)
	c := cursor{fields.Reader{Rest: b}}
	s.Interval = int(c.Int32())
	n := c.Count(4 + positionLen)
	size := c.Uint64()
	s.Sampling = int(c.Int32())
	s.FullSize = int(c.Int32())
	if c.Err == nil &&
		(s.Interval < 1 || s.Sampling < 1 || s.Sampling > fullSampling || s.FullSize < n) {
		c.Fail(
			"interval %d, sampling level %d, %d of %d entries",
			s.Interval,
			s.Sampling,
			n,
			s.FullSize,
		)
	}
	table := c.Take(size)
	if c.Err == nil {
		s.Entries = summaryEntries(&c, table, n)
	}
	s.First = c.IntBytes()
	s.Last = c.IntBytes()
	if err := c.End(); err != nil {
		return nil, fmt.Errorf("%s: %w", SummaryDB, err)
	}
	return s, nil
}

// summaryEntries reads n offsets and the entries at them.
func summaryEntries(c *cursor, table []byte, n int) []SummaryEntry {
	if len(table) < n*(4+positionLen) {
		c.Fail("%d bytes cannot hold %d entries", len(table), n)
		return nil
	}
	offset := func(i int) int {
		if i == n {
			return len(table)
		}
		return int(binary.LittleEndian.Uint32(table[4*i:]))
	}
	entries := make([]SummaryEntry, 0, n)
	if offset(0) != 4*n {
		c.Fail("entries begin at %d instead of %d", offset(0), 4*n)
		return nil
	}
	for i := range n {
		from, to := offset(i), offset(i+1)
		if to > len(table) || from > to-positionLen {
			c.Fail("entry %d is from %d to %d of %d bytes", i, from, to, len(table))
			return nil
		}
		at := to - positionLen
		entries = append(
			entries,
			SummaryEntry{Key: table[from:at:at], Position: binary.LittleEndian.Uint64(table[at:])},
		)
	}
	return entries
}
