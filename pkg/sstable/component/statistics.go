package component

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// Statistics is the component Statistics.db, which itself is made of components. Source:
// org.apache.cassandra.io.sstable.metadata.MetadataSerializer and MetadataType.
type Statistics struct {
	// Partitioner is the full name of a class.
	Partitioner string
	// FilterChance is the chance of a false positive that Filter.db was made with.
	FilterChance float64
	// Cardinality is nil when it is missing, or in a form that is not read.
	Cardinality *Cardinality
	Stats       *Stats
	// Header is the component HEADER: see sstable.DecodeHeader.
	Header []byte
}

// Murmur3Partitioner is the full name of the partitioner.
const Murmur3Partitioner = "org.apache.cassandra.dht.Murmur3Partitioner"

// The components of Statistics.db, by their numbers.
const (
	validationPart = iota
	compactionPart
	statsPart
	headerPart
	statisticsParts
)

// Append appends the Statistics.db of a version. A Cardinality that is nil is left out.
func (s *Statistics) Append(dst []byte, v Version) []byte {
	parts := []int{validationPart, compactionPart, statsPart, headerPart}
	if s.Cardinality == nil {
		parts = slices.Delete(parts, compactionPart, compactionPart+1)
	}
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(parts)))
	dst = appendSum(dst, start, v)
	table := len(dst)
	end := table + 8*len(parts)
	dst = append(dst, make([]byte, 8*len(parts))...)
	if v.hasStatisticsSums() {
		dst = append(dst, make([]byte, SumLen)...)
	}
	for i, part := range parts {
		at := len(dst)
		binary.BigEndian.PutUint32(dst[table+8*i:], uint32(part))
		binary.BigEndian.PutUint32(dst[table+8*i+4:], uint32(at-start))
		dst = appendSum(s.appendPart(dst, part, v), at, v)
	}
	if v.hasStatisticsSums() {
		// The sum of the table continues that of the number before it.
		sum := crc32.ChecksumIEEE(dst[start : start+4])
		binary.BigEndian.PutUint32(dst[end:], crc32.Update(sum, crc32.IEEETable, dst[table:end]))
	}
	return dst
}

// appendPart appends a component.
func (s *Statistics) appendPart(dst []byte, part int, v Version) []byte {
	switch part {
	case validationPart:
		dst = fields.AppendShortBytes(dst, s.Partitioner)
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(s.FilterChance))
	case compactionPart:
		return fields.AppendIntBytes(dst, s.Cardinality.Append(nil))
	case statsPart:
		return s.Stats.append(dst, v)
	default:
		return append(dst, s.Header...)
	}
}

// SumLen is how many bytes a checksum has.
const SumLen = 4

// appendSum appends the checksum of what stands behind from, in versions that have it.
func appendSum(dst []byte, from int, v Version) []byte {
	if !v.hasStatisticsSums() {
		return dst
	}
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from:]))
}

// ParseStatistics reads the Statistics.db of a version. VALIDATION, STATS and HEADER must be there.
// Bytes of what it gives are parts of b.
func ParseStatistics(b []byte, v Version) (*Statistics, error) {
	parts, err := statisticsTable(b, v)
	if err != nil {
		return nil, err
	}
	for _, part := range []int{validationPart, statsPart, headerPart} {
		if parts[part] == nil {
			return nil, fmt.Errorf("component %d is missing", part)
		}
	}
	s := &Statistics{Header: parts[headerPart]}
	c := cursor{fields.Reader{Rest: parts[validationPart]}}
	s.Partitioner = string(c.ShortBytes())
	s.FilterChance = c.Float64()
	if err := c.End(); err != nil {
		return nil, fmt.Errorf("VALIDATION: %w", err)
	}
	if parts[compactionPart] != nil {
		c = cursor{fields.Reader{Rest: parts[compactionPart]}}
		estimate := c.IntBytes()
		err := c.End()
		if err == nil {
			s.Cardinality, err = parseCardinality(estimate)
		}
		if err != nil {
			return nil, fmt.Errorf("COMPACTION: %w", err)
		}
	}
	c = cursor{fields.Reader{Rest: parts[statsPart]}}
	s.Stats = c.stats(v)
	if err := c.End(); err != nil {
		return nil, fmt.Errorf("STATS: %w", err)
	}
	return s, nil
}

// statisticsTable finds the components, and holds them against their checksums.
func statisticsTable(b []byte, v Version) (parts [statisticsParts][]byte, err error) {
	c := cursor{fields.Reader{Rest: b}}
	checkSum := func(what string, of []byte) {
		if sum := crc32.ChecksumIEEE(
			of,
		); v.hasStatisticsSums() && c.Uint32() != sum &&
			c.Err == nil {
			c.Fail("%s: %w", what, ErrSum)
		}
	}
	n := c.Count(8)
	checkSum("number of components", b[:min(4, len(b))])
	table := c.Take(8 * uint64(n))
	if n < 1 || n > statisticsParts {
		c.Fail("%d components", n)
	}
	if c.Err == nil {
		checkSum(
			"table of components",
			append(binary.BigEndian.AppendUint32(nil, uint32(n)), table...),
		)
	}
	last := -1
	for i := 0; i < n && c.Err == nil; i++ {
		part := int(binary.BigEndian.Uint32(table[8*i:]))
		from, to := int(binary.BigEndian.Uint32(table[8*i+4:])), len(b)
		if i+1 < n {
			to = int(binary.BigEndian.Uint32(table[8*i+12:]))
		}
		here := len(b) - len(c.Rest)
		if part <= last || part >= statisticsParts || from != here || to < from || to > len(b) {
			c.Fail(
				"component %d is from %d to %d of %d bytes, after component %d, which ends at %d",
				part,
				from,
				to,
				len(b),
				last,
				here,
			)
			break
		}
		last = part
		if v.hasStatisticsSums() {
			to -= SumLen
		}
		if to < from {
			c.Fail("component %d has no checksum", part)
			break
		}
		parts[part] = c.Take(uint64(to - from))
		checkSum(fmt.Sprintf("component %d", part), parts[part])
	}
	return parts, c.End()
}

// ErrSum says that bytes are not those that a checksum was made of.
var ErrSum = errors.New("checksum differs")

// fixedLen is how many bytes each value of a class has, or -1.
func fixedLen(class string) int {
	t, _, err := cqltype.ParseStored(class)
	if err != nil {
		return -1
	}
	layout, err := cqlwire.Plan(t)
	if err != nil {
		return -1
	}
	return layout.FixedLen()
}
