package sstable

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// appendClustering appends the values of the first clustering columns
// (ClusteringPrefix.Serializer).
func (s *Schema) appendClustering(dst []byte, values [][]byte) ([]byte, error) {
	for from := 0; from < len(values); from += fields.ClusteringBlock {
		to := min(from+fields.ClusteringBlock, len(values))
		var header uint64
		for i, v := range values[from:to] {
			switch {
			case v == nil:
				header |= 2 << (2 * i)
			case len(v) == 0:
				header |= 1 << (2 * i)
			}
		}
		dst = cqlwire.AppendUvint(dst, header)
		for i, v := range values[from:to] {
			if len(v) == 0 {
				continue
			}
			var err error
			if dst, err = s.clustering[from+i].appendValue(dst, v); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

// checkClustering refuses values that are not one for each clustering column.
func (s *Schema) checkClustering(values [][]byte) error {
	if len(values) != len(s.clustering) {
		return fmt.Errorf(
			"a row has %d clustering values, where the table has %d clustering columns",
			len(values),
			len(s.clustering),
		)
	}
	return nil
}

// decodeClustering reads the values of the first n clustering columns.
func (s *Schema) decodeClustering(in *fields.Reader, values [][]byte, n int) [][]byte {
	walk := clusteringWalk{schema: s, in: in}
	for range n {
		values = append(values, walk.next())
	}
	return values
}

// skipClustering goes over the values of the first n clustering columns.
func (s *Schema) skipClustering(in *fields.Reader, n int) {
	if n > len(s.clustering) {
		in.Fail("%d clustering values, where there are %d clustering columns", n, len(s.clustering))
		return
	}
	walk := clusteringWalk{schema: s, in: in}
	for range n {
		walk.next()
	}
}

// clusteringWalk goes through the values of a clustering.
type clusteringWalk struct {
	schema *Schema
	in     *fields.Reader
	header uint64
	column int
}

// next reads the value of the next column: nil is null.
func (w *clusteringWalk) next() []byte {
	i := w.column % fields.ClusteringBlock
	if i == 0 {
		w.header = w.in.Uvint()
	}
	w.column++
	switch w.header >> (2 * i) & 3 {
	case 0:
		return w.schema.clustering[w.column-1].decodeValue(w.in)
	case 1:
		return emptyValue
	default:
		return nil
	}
}
