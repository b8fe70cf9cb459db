package stream

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// Index is an index of the table that does not take all values of its column. By CQL a server
// refuses a row with such a value. A node that is streamed such a row keeps it. It does not index
// it, or it fails to build the index.
type Index struct {
	Name, Column string
	Part         IndexPart // of a collection that is not frozen
	MaxBytes     int       // of a value or an element, or of both of an entry; 0: no limit
	// values are vectors of floats, which must be finite, and at most maxComponent
	Vectors bool
	NoZero  bool // and have a component that is not 0
}

// IndexPart is what an index has of a collection that is not frozen.
type IndexPart uint8

// The parts. Of a set the values are what it has for paths.
const (
	IndexValues IndexPart = iota
	IndexKeys
	IndexEntries
)

// maxComponent is the most that a component of a vector may be in an index, whatever its sign
// (org.apache.cassandra.index.sai.disk.v1.vector.OnHeapGraph.MAX_FLOAT32_COMPONENT).
const maxComponent float32 = 1e17

// indexPlan is an index with the place of its values.
type indexPlan struct {
	Index
	kind    placeKind
	at      int  // among the columns of that kind
	single  bool // the only column of the partition key
	complex bool // a collection that is not frozen
	set     bool // which is a set
}

// placeKind is a kind of columns.
type placeKind uint8

const (
	inKey placeKind = iota
	inClustering
	inStatics
	inRegulars
)

// planIndexes finds the columns of indexes. An index of an unknown column, or of an unknown part of
// one, checks nothing.
func planIndexes(s *sstable.Schema, indexes []Index) (plans []indexPlan) {
	t := s.Table()
	for kind, columns := range [][]sstable.Column{
		inKey:        t.Key,
		inClustering: t.Clustering,
		inStatics:    t.Statics,
		inRegulars:   t.Regulars,
	} {
		for _, index := range indexes {
			at := slices.IndexFunc(
				columns,
				func(c sstable.Column) bool { return c.Name == index.Column },
			)
			if at < 0 {
				continue
			}
			typ := columns[at].Type
			plans = append(plans, indexPlan{
				Index:  index,
				kind:   placeKind(kind),
				at:     at,
				single: len(t.Key) == 1,
				set:    typ.Kind == cqltype.Set,
				complex: !typ.Frozen && (typ.Kind == cqltype.List ||
					typ.Kind == cqltype.Set || typ.Kind == cqltype.Map),
			})
		}
	}
	return plans
}

// check returns an error for rows of a partition that the index does not take. static and row may
// be nil.
func (p *indexPlan) check(key []byte, static, row *sstable.Row) error {
	of := row
	switch p.kind {
	case inKey:
		return p.value(p.component(key))
	case inClustering:
		if row == nil {
			return nil
		}
		return p.value(row.Clustering[p.at])
	case inStatics:
		of = static
	}
	if of == nil {
		return nil
	}
	for i := range of.Cells {
		c := &of.Cells[i]
		if c.Column != p.at || c.Kind == sstable.Tombstone {
			continue
		}
		if err := p.cell(c); err != nil {
			return err
		}
	}
	return nil
}

// component returns the column's part of a partition key.
func (p *indexPlan) component(key []byte) []byte {
	if p.single {
		return key
	}
	for range p.at {
		key = key[2+int(binary.BigEndian.Uint16(key))+1:]
	}
	return key[2 : 2+int(binary.BigEndian.Uint16(key))]
}

// cell checks what the index has of a cell.
func (p *indexPlan) cell(c *sstable.Cell) error {
	switch {
	case !p.complex || p.Part == IndexValues && !p.set:
		return p.value(c.Value)
	case p.Part == IndexEntries:
		// Both are components of a composite, each between its length and a byte
		// (org.apache.cassandra.db.marshal.CompositeType).
		return p.size(len(c.Path) + len(c.Value) + 2*3)
	default:
		return p.value(c.Path)
	}
}

// size refuses what has too many bytes.
func (p *indexPlan) size(n int) error {
	if p.MaxBytes > 0 && n > p.MaxBytes {
		return fmt.Errorf(
			"column %.100q: index %.100q takes no value of %d bytes, but up to %d",
			p.Column,
			p.Name,
			n,
			p.MaxBytes,
		)
	}
	return nil
}

// value refuses a value that the index does not take.
func (p *indexPlan) value(b []byte) error {
	if err := p.size(len(b)); err != nil || !p.Vectors || len(b) == 0 {
		return err
	}
	zero := true
	for i := 0; i+4 <= len(b); i += 4 {
		f := math.Float32frombits(binary.BigEndian.Uint32(b[i:]))
		if !(f >= -maxComponent && f <= maxComponent) {
			return fmt.Errorf(
				"column %.100q: index %.100q takes no vector with a component of %v",
				p.Column,
				p.Name,
				f,
			)
		}
		zero = zero && f == 0
	}
	if zero && p.NoZero {
		return fmt.Errorf(
			"column %.100q: index %.100q is of cosine similarity, and takes no vector of zeros",
			p.Column,
			p.Name,
		)
	}
	return nil
}
