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

// The server measures a batch by the data of its mutations (Cassandra's
// IMutation.dataSize): each cell with its timestamp, time to live and deletion
// time besides its value, each element of a collection as a cell of its own with
// its path, each row with its liveness. These are upper bounds of that overhead.
const (
	rowOverhead     = 48
	cellOverhead    = 24
	elementOverhead = 40
)

// cellSize estimates what a value adds to a mutation. wide: each element of the
// value is a cell.
func cellSize(wire []byte, wide bool) int {
	size := cellOverhead + len(wire)
	if wide && len(wire) >= 4 {
		size += elementOverhead * int(binary.BigEndian.Uint32(wire))
	}
	return size
}

// isWide says whether a column's elements or fields are cells of their own.
func isWide(t *cqltype.Type) bool {
	if t.Frozen {
		return false
	}
	switch t.Kind {
	case cqltype.List, cqltype.Set, cqltype.Map:
		return true
	default:
		return false
	}
}
