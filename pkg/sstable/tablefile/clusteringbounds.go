package tablefile

import (
	"bytes"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// clusteringBounds has the least and the greatest clustering in a file, in the order of the schema.
// It includes rows and the bounds of ranges
// (org.apache.cassandra.io.sstable.metadata.MetadataCollector.updateClusteringValues).
type clusteringBounds struct {
	schema          *sstable.Schema
	least, greatest clusteringBound
	first           bool   // the first block of the partition was there
	last            []byte // of the last block of the partition
	values          [][]byte
}

// clusteringBound is the clustering of a row or of a bound.
type clusteringBound struct {
	set    bool
	kind   sstable.BoundKind
	values [][]byte
}

// block adds a block of a partition.
func (cb *clusteringBounds) block(b *sstable.Block) error {
	if len(cb.schema.Table().Clustering) == 0 {
		return nil
	}
	cb.last = append(cb.last[:0], b.Last...)
	if cb.first {
		return nil
	}
	cb.first = true
	return cb.include(b.First)
}

// end adds the end of the partition, after its last block.
func (cb *clusteringBounds) end() error {
	if !cb.first {
		return nil
	}
	cb.first = false
	return cb.include(cb.last)
}

// include takes a clustering in, in the form of Block.First. A bound that begins a range is never
// the greatest, nor one that ends it the least.
func (cb *clusteringBounds) include(prefix []byte) error {
	values, kind, err := cb.schema.DecodePrefix(prefix, cb.values[:0])
	if err != nil {
		return err
	}
	cb.values = values
	if l := &cb.least; !kind.Ends() &&
		(!l.set || cb.schema.ComparePrefixes(cb.values, kind, l.values, l.kind) < 0) {
		l.copy(cb.values, kind)
	}
	if g := &cb.greatest; !kind.Starts() &&
		(!g.set || cb.schema.ComparePrefixes(cb.values, kind, g.values, g.kind) > 0) {
		g.copy(cb.values, kind)
	}
	return nil
}

// maxBoundValue is the length of the longest value that a bound in STATS can have.
const maxBoundValue = 1<<16 - 1

// copy makes the bound that of some values, which it copies.
func (b *clusteringBound) copy(values [][]byte, kind sstable.BoundKind) {
	b.set, b.kind, b.values = true, kind, make([][]byte, len(values))
	for i, value := range values {
		b.values[i] = bytes.Clone(value)
	}
}

// stored is what STATS has of the bound: the values before one that it cannot have, being null or
// too long.
func (b *clusteringBound) stored() [][]byte {
	for i, value := range b.values {
		if value == nil || len(value) > maxBoundValue {
			return b.values[:i]
		}
	}
	return b.values
}
