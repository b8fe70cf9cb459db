package sstable

import (
	"encoding/binary"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// appendMarker appends a marker in the form of AppendRow: the length of its head, the head and the
// body.
func (c *Codec) appendMarker(dst []byte, m *Marker) ([]byte, error) {
	if !m.Kind.valid() {
		return dst, fmt.Errorf("a marker of kind %d", m.Kind)
	}
	if len(m.Values) > len(c.schema.clustering) {
		return dst, fmt.Errorf("a marker has %d values, where the table has %d clustering columns",
			len(m.Values), len(c.schema.clustering))
	}
	mark := len(dst)
	dst = append(dst, 0, isMarker, byte(m.Kind))
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(m.Values)))
	dst, err := c.schema.appendClustering(dst, m.Values)
	if err != nil {
		return dst, err
	}
	dst = putLength(dst, mark)
	if m.Kind.Ends() {
		dst = c.appendRowDeletion(dst, m.Ended)
	}
	if m.Kind.Starts() {
		dst = c.appendRowDeletion(dst, m.Started)
	}
	return dst, nil
}

// decodeMarker reads a marker of its head and its body.
func (c *Codec) decodeMarker(head, body []byte, m *Marker) error {
	in := fields.Reader{Rest: head}
	flags := in.Byte()
	*m = Marker{Kind: BoundKind(in.Byte()), Values: m.Values[:0]}
	n := int(in.Uint16())
	if flags != isMarker || !m.Kind.valid() || n > len(c.schema.clustering) {
		in.Fail("marker with the flags 0x%02x, of kind %d, with %d values", flags, m.Kind, n)
	}
	m.Values = c.schema.decodeClustering(&in, m.Values, n)
	if err := in.End(); err != nil {
		return err
	}
	in = fields.Reader{Rest: body}
	if m.Kind.Ends() {
		m.Ended = c.rowDeletion(&in)
	}
	if m.Kind.Starts() {
		m.Started = c.rowDeletion(&in)
	}
	return in.End()
}
