package reconcile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Input is a source of a Merger. Its partitions are in the order of (token, key), its rows and
// markers in that of the clustering.
type Input struct {
	Name   string // for errors
	Source sstable.Source
	Schema *sstable.Schema // of the source's rows: the columns of its file
}

// source is an input that is read.
type source struct {
	name   string
	from   sstable.Source
	schema *sstable.Schema

	item              sstable.Item // that it stands at; 0: before the first, or behind the last
	token             token.Token  // of the partition
	open              sstable.Deletion
	statics, regulars columns
	room              sstable.Row
}

// errItems says that items do not follow each other as those of a Decoder do.
var errItems = errors.New("items are not in the order of a partition's")

// next advances by one item, and reports whether there was one.
func (s *source) next() (bool, error) {
	within := s.item != 0 && s.item != sstable.PartitionEnd
	item, err := s.from.Next()
	switch {
	case err == nil:
	case errors.Is(err, io.EOF) && !within:
		s.item = 0
		return false, nil
	case errors.Is(err, io.EOF):
		return false, s.failed(io.ErrUnexpectedEOF)
	default:
		return false, s.failed(err)
	}
	if within == (item == sstable.PartitionStart) ||
		item == sstable.StaticRow && s.item != sstable.PartitionStart {
		return false, s.failed(errItems)
	}
	s.item = item
	return true, nil
}

// failed adds the name of the source to an error, unless the error names a component of an SSTable.
func (s *source) failed(err error) error {
	if s.name == "" || errors.As(err, new(*component.Error)) {
		return err
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// place is where the row or marker stands that the source is at.
func (s *source) place() ([][]byte, sstable.BoundKind) {
	if s.item == sstable.RangeMarker {
		m := s.from.Marker()
		return m.Values, m.Kind
	}
	return s.from.Row().Clustering, sstable.RowKind
}

// row is the row that the source is at, as one of the table.
func (s *source) row(active sstable.Deletion) (*sstable.Row, error) {
	plan := &s.regulars
	if s.item == sstable.StaticRow {
		plan = &s.statics
	}
	r, err := plan.row(s.schema, s.from.Row(), &s.room, active)
	if err != nil {
		return nil, s.failed(err)
	}
	return r, nil
}

// comparePartitions compares the places of the partitions that two sources are at.
func comparePartitions(a, b *source) int {
	if c := a.token.Compare(b.token); c != 0 {
		return c
	}
	return bytes.Compare(a.from.Key(), b.from.Key())
}
