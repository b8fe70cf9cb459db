package sstable

import (
	"bytes"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// compareClusterings compares the clusterings of two rows of one partition (ClusteringComparator):
// null is before all, in columns in descending order too.
func (s *Schema) compareClusterings(a, b [][]byte) int {
	for i := range min(len(a), len(b), len(s.clustering)) {
		if c := s.clustering[i].compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

// CompareEncoded compares the places of two rows of one partition, as AppendRow has them: a static
// row is before all others. Bytes that it did not write have some place.
func (s *Schema) CompareEncoded(a, b []byte) int {
	headA, _, errA := split(a)
	headB, _, errB := split(b)
	if errA != nil || errB != nil {
		return bytes.Compare(a, b)
	}
	staticA, staticB := headA[0]&hasMoreFlags != 0, headB[0]&hasMoreFlags != 0
	switch {
	case staticA && staticB:
		return 0
	case staticA:
		return -1
	case staticB:
		return 1
	}
	inA, inB := fields.Reader{Rest: headA[1:]}, fields.Reader{Rest: headB[1:]}
	walkA, walkB := clusteringWalk{schema: s, in: &inA}, clusteringWalk{schema: s, in: &inB}
	for i := range s.clustering {
		if c := s.clustering[i].compare(walkA.next(), walkB.next()); c != 0 {
			return c
		}
	}
	return 0
}

// EncodedHead returns how many of the first bytes of an encoded row CompareEncoded looks at.
func EncodedHead(encoded []byte) int {
	_, body, err := split(encoded)
	if err != nil {
		return len(encoded)
	}
	return len(encoded) - len(body)
}

// PlaceHint returns a number that sorts most rows of one partition. If a row is before another, its
// number is smaller or equal. Numbers are equal if the rows differ late, or in columns of some
// types.
func (s *Schema) PlaceHint(r *Row) uint64 {
	var hint uint64
	left := 64
	for i := range min(len(r.Clustering), len(s.clustering)) {
		p := &s.clustering[i]
		prefix, bits := p.order.Prefix(r.Clustering[i])
		if p.desc {
			prefix = ^prefix
		}
		if bits >= left {
			return hint | prefix>>(64-left)
		}
		hint |= prefix >> (64 - bits) << (left - bits)
		left -= bits
	}
	return hint
}

// compare compares two values of a clustering column.
func (p *columnPlan) compare(a, b []byte) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	case p.desc:
		return p.order.Compare(b, a)
	default:
		return p.order.Compare(a, b)
	}
}

// ComparePaths compares the paths of two cells of a column that is not frozen
// (ColumnMetadata.cellPathComparator): column is as in Cell, static that of the row.
func (s *Schema) ComparePaths(static bool, column int, a, b []byte) int {
	return s.columns(static)[column].comparePaths(a, b)
}

func (p *columnPlan) comparePaths(a, b []byte) int {
	if p.paths == nil {
		return bytes.Compare(a, b)
	}
	return p.paths.Compare(a, b)
}
