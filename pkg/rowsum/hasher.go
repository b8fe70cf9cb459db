package rowsum

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/zeebo/xxh3"
)

// Hasher hashes the rows of one table. It is for one goroutine at a time.
type Hasher struct {
	plans  []*node
	buf    []byte
	stream xxh3.Hasher128 // takes the bytes of a row that is longer than chunk
}

// chunk bounds the bytes of a row that are gathered before they are hashed, so that
// a Hasher does not keep the memory of the largest row that it has seen.
const chunk = 32 << 10

// New plans the columns of a row, in their order. Types that are nil or not whole
// are taken for scalars. The types are not kept.
func New(types []*cqltype.Type) *Hasher {
	h := &Hasher{plans: make([]*node, len(types))}
	for i, t := range types {
		h.plans[i] = plan(t)
	}
	return h
}

// Row returns the checksum of a table that holds this row alone. There is a cell for
// each column, as the native protocol carries it; nil is null, and empty but not nil
// is a value of no bytes. It panics when there are more or fewer cells than columns.
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

// write passes bytes to the stream, which takes everything.
func (h *Hasher) write(b []byte) { _, _ = h.stream.Write(b) }
