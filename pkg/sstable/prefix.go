package sstable

import (
	"cmp"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// RowKind is passed to ComparePrefixes as the kind of a row.
const RowKind = clusteringKind

// ComparePrefixes compares the places of two rows or markers of one partition, by their values and
// kinds, RowKind for a row's (ClusteringComparator).
func (s *Schema) ComparePrefixes(a [][]byte, kindA BoundKind, b [][]byte, kindB BoundKind) int {
	n := min(len(a), len(b))
	if c := s.compareClusterings(a[:n], b[:n]); c != 0 {
		return c
	}
	switch {
	case len(a) == len(b):
		return cmp.Compare(kindA.side(), kindB.side())
	case len(a) < len(b):
		return kindA.side()
	default:
		return -kindB.side()
	}
}

// side is where a bound stands beside the rows that begin with its values: -1 before them, 1
// behind.
func (k BoundKind) side() int { return cmp.Compare(k, clusteringKind) }

// AppendPrefix appends a clustering or the values of a marker, in the form of Block.First.
func (s *Schema) AppendPrefix(dst []byte, values [][]byte, kind BoundKind) ([]byte, error) {
	dst = append(dst, byte(kind))
	if kind != clusteringKind {
		dst = append(dst, byte(len(values)>>8), byte(len(values)))
	}
	return s.appendClustering(dst, values)
}

// DecodePrefix appends the values of a clustering in the form of Block.First, and returns its kind.
// The values are parts of prefix.
func (s *Schema) DecodePrefix(prefix []byte, values [][]byte) ([][]byte, BoundKind, error) {
	in := fields.Reader{Rest: prefix}
	kind, n := BoundKind(in.Byte()), len(s.clustering)
	if kind != clusteringKind {
		n = int(in.Uint16())
	}
	values = s.decodeClustering(&in, values, n)
	return values, kind, in.End()
}

// PrefixLen returns the number of bytes of the clustering that b begins with, in the form of
// Block.First. If there is none, it is 0.
func (s *Schema) PrefixLen(b []byte) int {
	in := fields.Reader{Rest: b}
	n := len(s.clustering)
	if kind := BoundKind(in.Byte()); kind != clusteringKind {
		if n = int(in.Uint16()); !kind.valid() {
			return 0
		}
	}
	s.skipClustering(&in, n)
	if in.Err != nil {
		return 0
	}
	return len(b) - len(in.Rest)
}
