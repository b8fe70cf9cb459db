package sstable

import "cmp"

// RowKind is passed to ComparePrefixes as the kind of a row.
const RowKind = clusteringKind

// ComparePrefixes compares the places of two rows or markers of one partition, by their values and
// kinds, RowKind for a row's (ClusteringComparator).
func (s *Schema) ComparePrefixes(a [][]byte, kindA BoundKind, b [][]byte, kindB BoundKind) int {
	n := min(len(a), len(b))
	if c := s.CompareClusterings(a[:n], b[:n]); c != 0 {
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
