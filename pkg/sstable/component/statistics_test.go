package component

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// exampleStatistics are those of the file of two rows that the tests of components are about.
func exampleStatistics(t testing.TB) *Statistics {
	const ts = 1700000000000000
	s := &Statistics{
		Partitioner: Murmur3Partitioner, FilterChance: 0.01, Cardinality: new(Cardinality),
		Stats: &Stats{
			PartitionSizes:   newHistogram(sizeBounds),
			PartitionCells:   newHistogram(cellBounds),
			CommitLogUpper:   NoCommitLog,
			CommitLogLower:   NoCommitLog,
			MinTimestamp:     ts,
			MaxTimestamp:     ts + 1000,
			MinDeletion:      NoDeletion,
			MaxDeletion:      NoDeletion,
			CompressionRatio: NotCompressed,
			Tombstones: TombstoneHistogram{
				Bins:    tombstoneBins,
				Seconds: []int64{},
				Counts:  []int64{},
			},
			MinClustering: [][]byte{{0, 0, 0, 2}},
			MaxClustering: [][]byte{{0, 0, 0, 3}},
			Cells:         1,
			Rows:          2,
		},
	}
	s.Cardinality.Add(keyOne)
	s.Stats.PartitionSizes.Add(43)
	s.Stats.PartitionCells.Add(1)
	class := func(name string) string {
		return string(
			rune(len("org.apache.cassandra.db.marshal.")+len(name)),
		) + "org.apache.cassandra.db.marshal." + name
	}
	s.Header = testkit.Unhex(t, "fce9d96a43c000 00 00")
	s.Header = append(
		s.Header,
		class("Int32Type")+"\x01"+class("Int32Type")+"\x00\x01\x01v"+class("UTF8Type")...)
	return s
}

func TestStatisticsOfCassandra(t *testing.T) {
	s := exampleStatistics(t)
	nb := s.Append(nil, NB)
	require.Equal(
		t,
		testkit.Unhex(
			t,
			"00000004 26291b05 00000000 0000002c 00000001 00000065 00000002 000015ce 00000003 0000278a 8fa3db23 002b 6f7267",
		),
		nb[:49],
	)
	require.Len(t, nb, 10265)
	md := s.Append(nil, MD)
	require.Equal(
		t,
		testkit.Unhex(
			t,
			"00000004 00000000 00000024 00000001 00000059 00000002 000015be 00000003 00002773 002b",
		),
		md[:38],
	)
	require.Len(t, md, 10238)
}

func TestStatisticsOfAllVersionsAreReadBack(t *testing.T) {
	for v := MC; v <= OA; v++ {
		s := exampleStatistics(t)
		st := s.Stats
		st.CommitLogIntervals = [][2]CommitLogPosition{{{1, 2}, {3, 4}}}
		st.Tombstones.Seconds, st.Tombstones.Counts = []int64{60, 120}, []int64{5, 7}
		st.MinDeletion, st.MaxDeletion, st.MaxTTL = 50, math.MaxInt32-1, 9
		if v.hasPendingRepair() {
			st.PendingRepair, st.Transient = []byte(strings.Repeat("p", 16)), true
		}
		if v.hasHost() {
			st.HostID = []byte(strings.Repeat("h", 16))
		}
		if v.HasUnsignedSeconds() {
			st.MaxDeletion = math.MaxUint32 - 1
			st.MinClustering, st.MaxClustering = nil, nil
			st.ClusteringTypes = []string{
				cqltype.StoredReversed(
					&cqltype.Type{Kind: cqltype.Int},
				),
				(&cqltype.Type{Kind: cqltype.Text}).StoredClass(),
			}
			st.Slice = testkit.Unhex(t, "01 0002 00 00000002 03616263 06 0001 00 00000003")
			st.PartitionDeletions, st.FirstKey, st.LastKey, st.TokenCoverage = true, []byte(
				"a",
			), []byte(
				"b",
			), 0.5
		}
		b := s.Append(nil, v)
		again, err := ParseStatistics(b, v)
		require.NoError(t, err, v)
		require.Equal(t, s, again, v)
		for _, n := range []int{0, 3, 7, 40, 44, 100, 5600, len(b) - len(s.Header) - 9} {
			_, err := ParseStatistics(b[:n], v)
			require.Error(t, err, "%s of %d bytes", v, n)
		}
	}
}

func TestStatisticsWithAByteChangedAreRefused(t *testing.T) {
	good := exampleStatistics(t).Append(nil, NB)
	for i := 0; i < len(good); i += 97 {
		b := append([]byte(nil), good...)
		b[i] ^= 0x10
		_, err := ParseStatistics(b, NB)
		require.Error(t, err, i)
	}
}

func TestStatisticsWithoutWhatAReaderNeedsAreRefused(t *testing.T) {
	s := exampleStatistics(t)
	whole := s.Append(nil, MD)
	stats := int(binary.BigEndian.Uint32(whole[24:]))
	b := binary.BigEndian.AppendUint32(nil, 1)
	b = binary.BigEndian.AppendUint32(b, statsPart)
	b = binary.BigEndian.AppendUint32(b, 12)
	b = append(b, whole[stats:int(binary.BigEndian.Uint32(whole[32:]))]...)
	_, err := ParseStatistics(b, MD)
	require.ErrorContains(t, err, "is missing")
}
