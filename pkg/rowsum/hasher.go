package rowsum

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/zeebo/xxh3"
)

// Hasher hashes the rows of one table. It belongs to one goroutine at a time.
type Hasher struct {
	plans  []*node
	buf    []byte
	stream xxh3.Hasher128 // receives the bytes of a row that is longer than chunk
}

// chunk is the largest number of bytes of a row to collect before hashing. It keeps a Hasher from
// holding the memory of the largest row.
const chunk = 32 << 10

// New returns a Hasher for the columns of a row, in their order. A nil or incomplete type is
// treated as a scalar. New does not retain the types.
func New(types []*cqltype.Type) *Hasher {
	h := &Hasher{plans: make([]*node, len(types))}
	for i, t := range types {
		h.plans[i] = plan(t)
	}
	return h
}

// Row returns the checksum of a table with this row only. Each cell is the value of a column in the
// native protocol; nil is null, and an empty cell is a value of no bytes. Row panics if the number
// of cells is not the number of columns.
func (h *Hasher) Row(cells [][]byte) Sum {
	if len(cells) != len(h.plans) {
		panic(fmt.Sprintf("rowsum: %d cells in a row of %d columns", len(cells), len(h.plans)))
	}
	buf := h.buf[:0]
	long := false
	for i, cell := range cells {
		if len(buf)+len(cell) > chunk {
			if !long {
				h.stream.Reset()
				long = true
			}
			h.write(buf)
			buf = buf[:0]
		}
		switch {
		case cell == nil:
			buf = append(buf, 0xff, 0xff, 0xff, 0xff)
		case len(cell) > chunk && h.plans[i] == nil:
			h.write(order.AppendUint32(buf, uint32(len(cell))))
			h.write(cell)
		default:
			buf = appendField(buf, h.plans[i], cell)
		}
	}
	h.buf = buf
	if !long {
		return hash(buf)
	}
	h.write(buf)
	return Sum(h.stream.Sum128())
}

// write writes bytes to the stream, which never returns an error.
func (h *Hasher) write(b []byte) { _, _ = h.stream.Write(b) }
