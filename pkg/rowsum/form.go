package rowsum

import (
	"encoding/binary"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// order is the byte order of all integers in the definition and in the native protocol.
var order = binary.BigEndian

// appendField appends field(T, v) for a v that is not null. n is the plan of T.
func appendField(dst []byte, n *node, v []byte) []byte {
	if n == nil {
		return append(order.AppendUint32(dst, uint32(len(v))), v...)
	}
	mark := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	body, ok := n.appendForm(dst, v)
	if !ok {
		body = append(body[:mark+4], v...)
	}
	order.PutUint32(body[mark:], uint32(len(body)-mark-4))
	return body
}

// appendForm appends form(T, v) to dst. ok is false if v is malformed; the bytes after dst in the
// result are then undefined.
func (n *node) appendForm(dst, v []byte) ([]byte, bool) {
	switch n.kind {
	case cqltype.Set, cqltype.Map:
		return n.appendSum(dst, v)
	case cqltype.List:
		return n.appendList(dst, v)
	case cqltype.Vector:
		return n.appendVector(dst, v)
	default:
		return n.appendTuple(dst, v)
	}
}

// appendSum appends the form of a set or a map.
func (n *node) appendSum(dst, v []byte) ([]byte, bool) {
	count, ok := cqlwire.Count(v)
	if !ok || count < 0 {
		return dst, false
	}
	mark := len(dst)
	var sum Sum
	pos := 4
	for range count {
		begin := pos
		dst = dst[:mark] // scratch memory for one element
		for _, e := range n.elems {
			elem, length, next, ok := cqlwire.ElemAt(v, pos)
			if !ok || length < 0 {
				return dst, false
			}
			if !n.plain {
				dst = appendField(dst, e, elem)
			}
			pos = next
		}
		if n.plain {
			sum = sum.Add(hash(v[begin:pos])) // v has the same lengths as the fields
		} else {
			sum = sum.Add(hash(dst[mark:]))
		}
	}
	if pos < len(v) {
		return dst, false
	}
	dst = order.AppendUint32(dst[:mark], uint32(count))
	dst = order.AppendUint64(dst, sum.Hi)
	return order.AppendUint64(dst, sum.Lo), true
}

// appendList appends the form of a list.
func (n *node) appendList(dst, v []byte) ([]byte, bool) {
	count, ok := cqlwire.Count(v)
	if !ok || count < 0 {
		return dst, false
	}
	dst = append(dst, v[:4]...)
	pos := 4
	for range count {
		elem, length, next, ok := cqlwire.ElemAt(v, pos)
		if !ok || length < 0 {
			return dst, false
		}
		dst = appendField(dst, n.elems[0], elem)
		pos = next
	}
	return dst, pos == len(v)
}

// appendTuple appends the form of a tuple or a user-defined type.
func (n *node) appendTuple(dst, v []byte) ([]byte, bool) {
	pos := 0
	for _, e := range n.elems {
		if pos == len(v) {
			break
		}
		elem, length, next, ok := cqlwire.ElemAt(v, pos)
		if !ok {
			return dst, false
		}
		if length < 0 {
			dst = append(dst, v[pos:next]...)
		} else {
			dst = appendField(dst, e, elem)
		}
		pos = next
	}
	return dst, pos == len(v)
}

// appendVector appends the form of a vector. Each element follows its length, because no element
// type with a set or map inside has a fixed length.
func (n *node) appendVector(dst, v []byte) ([]byte, bool) {
	pos := 0
	for range n.dimension {
		elem, next, ok := cqlwire.VectorElemAt(v, pos, -1)
		if !ok {
			return dst, false
		}
		dst = appendField(dst, n.elems[0], elem)
		pos = next
	}
	return dst, pos == len(v)
}
