package ingest

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Limits are those of a row, as the servers set them. Rows that are surely above them are rejected
// unsent.
type Limits struct {
	MaxMutationBytes int // as the servers count it
	MaxFrameBytes    int // size of a request; 0: not known
}

// The server measures a batch by the data of its mutations (Cassandra's IMutation.dataSize). Each
// cell counts with its timestamp, time to live and deletion time besides its value. Each element of
// a collection is a cell of its own with its path. Each row counts with its liveness. These are
// upper bounds of that overhead.
const (
	rowOverhead     = 48
	cellOverhead    = 24
	elementOverhead = 40
)

// shape is what a column's values add to a mutation besides their bytes.
type shape struct {
	kind   cqltype.Kind
	fixed  int  // bytes of each value
	many   bool // the value is a collection whose elements are cells
	fields int  // of a user type whose fields are cells; 0: it is none
}

// shapeOf plans a column. The elements of a collection and the fields of a user
// type are cells of their own unless it is frozen.
func shapeOf(t *cqltype.Type) shape {
	s := shape{kind: t.Kind, fixed: cellOverhead}
	if t.Frozen {
		return s
	}
	switch t.Kind {
	case cqltype.List, cqltype.Set, cqltype.Map:
		s.many = true
	case cqltype.UDT:
		s.fields = len(t.FieldNames)
		s.fixed += elementOverhead * s.fields
	}
	return s
}

// size estimates what a value adds to a mutation.
func (s shape) size(wire []byte) int {
	size := s.fixed + len(wire)
	if s.many {
		size += elementOverhead * elements(wire)
	}
	return size
}

// elements is the number of elements of a collection, or of entries of a map.
func elements(wire []byte) int {
	n, _ := cqlwire.Count(wire)
	return max(n, 0)
}

// least returns what a value adds to a mutation at least: its own bytes. Equal elements of a set or
// a map are kept once.
func (s shape) least(wire []byte) int {
	switch {
	case s.kind == cqltype.List && s.many:
		return max(len(wire)-4-4*elements(wire), 0)
	case s.many:
		return 0
	default:
		return max(len(wire)-4*s.fields, 0)
	}
}

// refuse returns why the servers are sure to refuse a row, or nil. size is its upper bound. Between
// the bounds the servers decide.
func (l Limits) refuse(m *Mapping, cells []row.Cell, size int) error {
	if size <= l.MaxMutationBytes && (l.MaxFrameBytes == 0 || size <= l.MaxFrameBytes) {
		return nil
	}
	mutation, frame := 0, 0
	for i, c := range cells {
		if c.State != row.Set {
			continue
		}
		mutation += m.shapes[i].least(c.Bytes)
		frame += len(c.Bytes)
	}
	switch {
	case mutation > l.MaxMutationBytes:
		return fmt.Errorf(
			"row of %d bytes or more is larger than the cluster's max_mutation_size of %d bytes",
			mutation,
			l.MaxMutationBytes,
		)
	case l.MaxFrameBytes > 0 && frame > l.MaxFrameBytes:
		return fmt.Errorf(
			"row of %d bytes or more does not fit the cluster's native_transport_max_frame_size of %d bytes",
			frame,
			l.MaxFrameBytes,
		)
	default:
		return nil
	}
}
