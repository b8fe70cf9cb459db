package sstable

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// timeuuids is the layout of the paths of lists.
var timeuuids = cqlwire.Scalar(cqltype.TimeUUID)

// CheckValues names the first value of a row that its type's serializer refuses
// (ColumnMetadata.validateCell, ClusteringComparator.validate). A server checks none of what it
// streams or imports, and fails where it reads such a value. Values of classes that have no name in
// CQL are not checked.
func (s *Schema) CheckValues(r *Row) error {
	if err := s.checkPrefix(r.Clustering); err != nil {
		return err
	}
	columns := s.columns(r.Static)
	for i := range r.Cells {
		c := &r.Cells[i]
		p := &columns[c.Column]
		var err error
		switch {
		case p.complex:
			err = p.checkElement(c)
		case c.Kind != Tombstone:
			err = p.layout.CheckAs(cqlwire.Stored, c.Value)
		}
		if err != nil {
			return fmt.Errorf("column %.100q: %w", p.name, err)
		}
	}
	return nil
}

// checkElement checks a cell of a column that is not frozen.
func (p *columnPlan) checkElement(c *Cell) error {
	value := p.layout
	var path error
	switch p.kind {
	case cqltype.List:
		path, value = timeuuids.Check(c.Path), value.Elem(0)
	case cqltype.Set:
		return value.Elem(0).CheckAs(cqlwire.Compared, c.Path)
	case cqltype.Map:
		path, value = value.Elem(0).CheckAs(cqlwire.Compared, c.Path), value.Elem(1)
	default:
		if len(c.Path) != 2 {
			return fmt.Errorf("the number of a field has %d bytes, where 2 are due", len(c.Path))
		}
		field := int(binary.BigEndian.Uint16(c.Path))
		if field >= value.Elems() {
			return fmt.Errorf("field %d, where %s has %d", field, value, value.Elems())
		}
		value = value.Elem(field)
	}
	if path != nil || c.Kind == Tombstone {
		return path
	}
	return value.CheckAs(cqlwire.Stored, c.Value)
}

// checkPrefix checks the values of the first clustering columns.
func (s *Schema) checkPrefix(values [][]byte) error {
	for i, v := range values {
		if v == nil { // which tables made before CQL have
			continue
		}
		if err := s.clustering[i].layout.CheckAs(cqlwire.Compared, v); err != nil {
			return fmt.Errorf("column %.100q: %w", s.clustering[i].name, err)
		}
	}
	return nil
}

// CheckMarker is CheckValues for the bound of a range of rows.
func (s *Schema) CheckMarker(m *Marker) error { return s.checkPrefix(m.Values) }

// CheckKey is CheckValues for a partition key (CompositeType.validate where it has several
// columns).
func (s *Schema) CheckKey(key []byte) error {
	if len(s.key) == 1 {
		return s.key[0].checkKey(key)
	}
	for i := range s.key {
		if len(key) < 3 || len(key)-3 < int(binary.BigEndian.Uint16(key)) {
			return errors.New("the partition key does not divide into its columns")
		}
		n := 2 + int(binary.BigEndian.Uint16(key))
		if err := s.key[i].checkKey(key[2:n]); err != nil {
			return err
		}
		key = key[n+1:]
	}
	if len(key) > 0 {
		return errors.New("the partition key has bytes after its columns")
	}
	return nil
}

func (p *columnPlan) checkKey(value []byte) error {
	if err := p.layout.CheckAs(cqlwire.Stored, value); err != nil {
		return fmt.Errorf("column %.100q: %w", p.name, err)
	}
	return nil
}
