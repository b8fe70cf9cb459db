package load

import (
	"encoding/binary"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Limits are the bounds of a batch. A batch over several partitions keeps below
// the thresholds at which the servers log a warning; a batch within one partition
// is one mutation and is never warned about, and has bounds of its own.
type Limits struct {
	MaxRows          int // rows of any batch
	Partitions       int // partitions of a batch over several
	Bytes            int // size of a batch over several partitions
	PartitionBytes   int // size of a batch within one partition
	MaxMutationBytes int // size of a row
}

// of gives the bounds of the batches of a writer. What must not be written twice has a
// batch for each partition: a server sends the partitions of a batch one after the
// other, and when it refuses one, others may have been written.
func (l Limits) of(w Writer) Limits {
	if !w.Idempotent() {
		l.Partitions = 1
	}
	return l
}

// The server measures a batch by the data of its mutations (Cassandra's
// IMutation.dataSize): each cell with its timestamp, time to live and deletion
// time besides its value, each element of a collection as a cell of its own with
// its path, each row with its liveness. These are upper bounds of that overhead.
const (
	rowOverhead     = 48
	cellOverhead    = 24
	elementOverhead = 40
)

// shape is what a column's values add to a mutation besides their bytes.
type shape struct {
	fixed  int  // bytes of each value
	many   bool // the value is a collection whose elements are cells
	fields int  // of a user type whose fields are cells; 0: it is none
}

// shapeOf plans a column. The elements of a collection and the fields of a user
// type are cells of their own unless it is frozen.
func shapeOf(t *cqltype.Type) shape {
	s := shape{fixed: cellOverhead}
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

// size estimates what a value adds to a mutation. A collection begins with the
// number of its elements in four bytes.
func (s shape) size(wire []byte) int {
	size := s.fixed + len(wire)
	if s.many && len(wire) >= 4 {
		size += elementOverhead * int(binary.BigEndian.Uint32(wire))
	}
	return size
}
