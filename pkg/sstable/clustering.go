package sstable

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// clusteringBlock is how many values of a clustering stand after one header.
const clusteringBlock = 32

// appendClustering appends the values of the first clustering columns (ClusteringPrefix.Serializer).
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
		return fmt.Errorf("a row has %d clustering values, where the table has %d clustering columns", len(values), len(s.clustering))
	}
	return nil
}
