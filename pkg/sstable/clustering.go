package sstable

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// clusteringBlock is how many values of a clustering stand after one header.
const clusteringBlock = 32

// appendClustering appends the values of the first clustering columns
// (ClusteringPrefix.Serializer).
func (s *Schema) appendClustering(dst []byte, values [][]byte) ([]byte, error) {
	for from := 0; from < len(values); from += clusteringBlock {
		to := min(from+clusteringBlock, len(values))
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
func (s *Schema) decodeClustering(in *cursor, values [][]byte, n int) [][]byte {
	walk := clusteringWalk{schema: s, in: in}
	for range n {
		values = append(values, walk.next())
	}
	return values
}

// skipClustering goes over the values of the first n clustering columns.
func (s *Schema) skipClustering(in *cursor, n int) {
	if n > len(s.clustering) {
		in.fail("%d clustering values, where there are %d clustering columns", n, len(s.clustering))
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
	in     *cursor
	header uint64
	column int
}

// next reads the value of the next column: nil is null.
func (w *clusteringWalk) next() []byte {
	i := w.column % clusteringBlock
	if i == 0 {
		w.header = w.in.uvint()
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
