package component

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// Stats is the component STATS of Statistics.db. Sources:
// org.apache.cassandra.io.sstable.metadata.StatsMetadata and MetadataCollector. A version has not
// all of the fields; those that it has not are left out, and zero when read.
//
// Timestamps are in microseconds, seconds of deletion those of Unix time: of tombstones when they
// were written, of what expires when it does. Both are bounds over liveness, cells and deletions.
type Stats struct {
	// PartitionSizes counts bytes in Data.db, uncompressed; PartitionCells cells.
	PartitionSizes, PartitionCells Histogram
	CommitLogUpper                 CommitLogPosition
	MinTimestamp, MaxTimestamp     int64
	// Seconds are NoDeletion if a cell or a row is not deleted and does not expire. If MaxDeletion
	// is past, servers may drop the file without reading it.
	MinDeletion, MaxDeletion int64
	MinTTL, MaxTTL           int32
	// CompressionRatio is compressed to uncompressed bytes, NotCompressed of a file that is not.
	CompressionRatio float64
	Tombstones       TombstoneHistogram
	Level            int32
	// RepairedAt is in milliseconds, 0 for never.
	RepairedAt int64
	// MinClustering and MaxClustering are the values of the least and the greatest clustering, up
	// to NB. None of both stands for anything.
	MinClustering, MaxClustering [][]byte
	// ClusteringTypes are the classes of the clustering columns, from OA on. Slice, also from OA
	// on, covers all clusterings with two bounds. Each bound has its kind, the number of its
	// values, and the values as a marker in Data.db has them. A slice that covers everything is
	// always right.
	ClusteringTypes       []string
	Slice                 []byte
	LegacyCounterShards   bool
	Cells, Rows           int64
	CommitLogLower        CommitLogPosition
	CommitLogIntervals    [][2]CommitLogPosition
	PendingRepair, HostID []byte // 16 bytes, or nil
	Transient             bool
	// What follows, from OA on.
	PartitionDeletions bool
	FirstKey, LastKey  []byte
	TokenCoverage      float64 // NaN when it is not known
}

// NewStats makes the Stats of a file of no partitions, which those of its partitions are added to.
func NewStats() Stats {
	return Stats{
		PartitionSizes:   newHistogram(sizeBounds),
		PartitionCells:   newHistogram(cellBounds),
		CommitLogUpper:   NoCommitLog,
		CommitLogLower:   NoCommitLog,
		CompressionRatio: NotCompressed,
		MinTimestamp:     math.MinInt64,
		MaxTimestamp:     math.MaxInt64,
		MinDeletion:      NoDeletion,
		MaxDeletion:      NoDeletion,
		Tombstones: TombstoneHistogram{
			Bins: tombstoneBins,
		},
		Slice:         Everything,
		TokenCoverage: math.NaN(),
	}
}

// CommitLogPosition is a place in a server's commit log.
type CommitLogPosition struct {
	Segment  int64
	Position int32
}

// NoCommitLog is the position of what no commit log has.
var NoCommitLog = CommitLogPosition{Segment: -1}

// Everything is the slice of all clusterings: from the bound of no values before all to the one
// after all.
var Everything = []byte{1, 0, 0, 6, 0, 0}

// NotCompressed is the compression ratio of a file that is not compressed.
const NotCompressed = -1.0

// NoDeletion is the second of deletion of what neither is deleted nor expires
// (org.apache.cassandra.db.rows.Cell).
const NoDeletion = math.MaxInt64

// noDeletion is NoDeletion in the form of a version.
func (v Version) noDeletion() uint32 {
	if v.HasUnsignedSeconds() {
		return math.MaxUint32
	}
	return math.MaxInt32
}

// append appends the component in the form of a version, with its padding.
func (s *Stats) append(dst []byte, v Version) []byte {
	dst = s.PartitionSizes.append(dst)
	dst = s.PartitionCells.append(dst)
	dst = s.CommitLogUpper.append(dst)
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.MinTimestamp))
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.MaxTimestamp))
	for _, second := range []int64{s.MinDeletion, s.MaxDeletion} {
		dst = binary.BigEndian.AppendUint32(dst, uint32(min(second, int64(v.noDeletion()))))
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.MinTTL))
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.MaxTTL))
	dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(s.CompressionRatio))
	dst = s.Tombstones.append(dst, v)
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.Level))
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.RepairedAt))
	if v.HasUnsignedSeconds() {
		dst = cqlwire.AppendUvint(dst, uint64(len(s.ClusteringTypes)))
		for _, class := range s.ClusteringTypes {
			dst = fields.AppendBytes(dst, class)
		}
		dst = append(dst, s.Slice...)
	} else {
		dst = appendClusteringBound(dst, s.MinClustering)
		dst = appendClusteringBound(dst, s.MaxClustering)
	}
	dst = fields.AppendBool(dst, s.LegacyCounterShards)
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.Cells))
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.Rows))
	dst = s.CommitLogLower.append(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(s.CommitLogIntervals)))
	for _, of := range s.CommitLogIntervals {
		dst = of[1].append(of[0].append(dst))
	}
	if v.hasPendingRepair() {
		dst = appendOptionalID(dst, s.PendingRepair)
		dst = fields.AppendBool(dst, s.Transient)
	}
	if v.hasHost() {
		dst = appendOptionalID(dst, s.HostID)
	}
	if v.HasUnsignedSeconds() {
		dst = fields.AppendBool(dst, s.PartitionDeletions)
		dst = fields.AppendBytes(dst, s.FirstKey)
		dst = fields.AppendBytes(dst, s.LastKey)
		dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(s.TokenCoverage))
		dst = append(dst, make([]byte, s.padding())...)
	}
	return dst
}

// padding returns the number of zero bytes that Cassandra 5.0 leaves at the end of the component
// from OA on. The cause: it computes the size of the tombstones' bins from their old size. From NA
// on, other miscounts leave zero bytes too, for example if a clustering has null. Readers skip
// them.
func (s *Stats) padding() int { return 4 * len(s.Tombstones.Seconds) }

// stats reads the component of a version. Bytes are parts of it.
func (c *cursor) stats(v Version) *Stats {
	s := &Stats{
		PartitionSizes: c.histogram(),
		PartitionCells: c.histogram(),
		CommitLogUpper: c.commitLogPosition(),
	}
	s.MinTimestamp, s.MaxTimestamp = c.Int64(), c.Int64()
	s.MinDeletion, s.MaxDeletion = c.second(v), c.second(v)
	s.MinTTL, s.MaxTTL = c.Int32(), c.Int32()
	s.CompressionRatio = c.Float64()
	s.Tombstones = c.tombstones(v)
	s.Level, s.RepairedAt = c.Int32(), c.Int64()
	if v.HasUnsignedSeconds() {
		n := c.Uvint()
		if n > uint64(len(c.Rest)) {
			c.Fail("%d clustering columns in %d bytes", n, len(c.Rest))
		}
		for range min(n, uint64(len(c.Rest))) {
			s.ClusteringTypes = append(s.ClusteringTypes, string(c.VintBytes()))
		}
		s.Slice = c.slice(s.ClusteringTypes)
	} else {
		s.MinClustering, s.MaxClustering = c.clusteringBound(), c.clusteringBound()
	}
	s.LegacyCounterShards = c.Bool()
	s.Cells, s.Rows = c.Int64(), c.Int64()
	{
		s.CommitLogLower = c.commitLogPosition()
		for range c.Count(24) {
			s.CommitLogIntervals = append(
				s.CommitLogIntervals,
				[2]CommitLogPosition{c.commitLogPosition(), c.commitLogPosition()},
			)
		}
	}
	if v.hasPendingRepair() {
		s.PendingRepair = c.optionalID()
		s.Transient = c.Bool()
	}
	if v.hasHost() {
		s.HostID = c.optionalID()
	}
	if v.HasUnsignedSeconds() {
		s.PartitionDeletions = c.Bool()
		s.FirstKey, s.LastKey = c.VintBytes(), c.VintBytes()
		s.TokenCoverage = c.Float64()
	}
	if v.hasStatisticsSums() && !slices.ContainsFunc(c.Rest, func(b byte) bool { return b != 0 }) {
		c.Rest = nil
	}
	return s
}

func (p CommitLogPosition) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(p.Segment))
	return binary.BigEndian.AppendUint32(dst, uint32(p.Position))
}

func (c *cursor) commitLogPosition() CommitLogPosition {
	return CommitLogPosition{Segment: c.Int64(), Position: c.Int32()}
}

// second reads a second of deletion.
func (c *cursor) second(v Version) int64 {
	second := c.Uint32()
	if second == v.noDeletion() {
		return NoDeletion
	}
	if !v.HasUnsignedSeconds() {
		return int64(int32(second))
	}
	return int64(second)
}

// appendClusteringBound appends the values of a clustering.
func appendClusteringBound(dst []byte, values [][]byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(values)))
	for _, value := range values {
		dst = fields.AppendShortBytes(dst, value)
	}
	return dst
}

func (c *cursor) clusteringBound() [][]byte {
	var values [][]byte
	for range c.Count(2) {
		values = append(values, c.ShortBytes())
	}
	return values
}

// slice reads both bounds of a slice.
func (c *cursor) slice(classes []string) []byte {
	whole := c.Rest
	for range 2 {
		c.Byte()
		n := int(c.Uint16())
		if n > len(classes) {
			c.Fail("bound of %d values for %d clustering columns", n, len(classes))
			return nil
		}
		c.clustering(classes[:n])
	}
	return whole[: len(whole)-len(c.Rest) : len(whole)-len(c.Rest)]
}

// clustering reads the values of a clustering.
func (c *cursor) clustering(classes []string) {
	for len(classes) > 0 && c.Err == nil {
		header := c.Uvint()
		block := classes[:min(len(classes), fields.ClusteringBlock)]
		classes = classes[len(block):]
		for i, class := range block {
			if header>>(2*i)&3 != 0 {
				continue
			}
			if fixed := fixedLen(class); fixed >= 0 {
				c.Take(uint64(fixed))
			} else {
				c.VintBytes()
			}
		}
	}
}

// appendOptionalID appends a UUID after a byte that is 1 if there is one.
func appendOptionalID(dst, id []byte) []byte {
	return append(fields.AppendBool(dst, id != nil), id...)
}

func (c *cursor) optionalID() []byte {
	if c.Bool() {
		return c.Take(16)
	}
	return nil
}
