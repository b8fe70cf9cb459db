package cql

import (
	"encoding/binary"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// appendRows appends rows of one set of replicas to dst, with all that they refer to. It returns
// their trackers separately. parseRows reads the result in the same process.
func appendRows(dst []byte, rows []*write.Row) ([]byte, []write.Tracker) {
	statements, cells := 0, 0
	for _, r := range rows {
		statements += r.Statements()
		cells += r.Statements() * len(r.Cells)
	}
	dst = binary.AppendUvarint(dst, uint64(len(rows)))
	dst = binary.AppendUvarint(dst, uint64(statements-len(rows)))
	dst = binary.AppendUvarint(dst, uint64(cells))
	var pieces []write.Tracker
	for _, r := range rows {
		piece := slices.Index(pieces, r.Tracker)
		if piece < 0 {
			piece = len(pieces)
			pieces = append(pieces, r.Tracker)
		}
		for _, n := range []uint64{
			uint64(piece), uint64(r.MutationSize), r.Sum.Hi, r.Sum.Lo,
			uint64(r.Line), uint64(r.Column), uint64(r.Offset), uint64(r.Stamp),
			uint64(len(r.More)),
		} {
			dst = binary.AppendUvarint(dst, n)
		}
		dst = appendBytes(dst, r.Raw)
		dst = appendStatement(dst, &r.Row)
		for i := range r.More {
			dst = appendStatement(dst, &r.More[i])
		}
	}
	return dst, pieces
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func appendStatement(dst []byte, r *row.Row) []byte {
	dst = binary.AppendVarint(dst, r.Timestamp)
	dst = binary.AppendVarint(dst, int64(r.TTL))
	dst = binary.AppendUvarint(dst, r.Token.Hi)
	dst = binary.AppendUvarint(dst, r.Token.Lo)
	update := byte(0)
	if r.Update {
		update = 1
	}
	dst = append(dst, update)
	dst = binary.AppendUvarint(dst, uint64(len(r.Cells)))
	for _, c := range r.Cells {
		dst = append(dst, byte(c.State))
		if c.State == row.Set {
			dst = appendBytes(dst, c.Bytes)
		}
	}
	return dst
}

// parseRows returns the rows that appendRows has written. Their bytes are those of text.
func parseRows(text []byte, pieces []write.Tracker, set *write.Replicas) []*write.Row {
	p := &copied{text: text}
	rows := make([]write.Row, p.uvarint())
	p.more = make([]row.Row, p.uvarint())
	p.cells = make([]row.Cell, p.uvarint())
	list := make([]*write.Row, len(rows))
	for i := range rows {
		r := &rows[i]
		r.Tracker, r.Replicas = pieces[p.uvarint()], set
		r.MutationSize = int(p.uvarint())
		r.Sum = rowsum.Sum{Hi: p.uvarint(), Lo: p.uvarint()}
		r.Line, r.Column = int64(p.uvarint()), int(p.uvarint())
		r.Offset, r.Stamp = int64(p.uvarint()), int64(p.uvarint())
		more := p.uvarint()
		r.Raw = p.bytes()
		p.statement(&r.Row)
		if more > 0 {
			r.More, p.more = p.more[:more:more], p.more[more:]
		}
		for k := range r.More {
			p.statement(&r.More[k])
		}
		list[i] = r
	}
	return list
}

// copied is the unread rest of what appendRows has written, and the unused rest of the memory for
// it.
type copied struct {
	text  []byte
	more  []row.Row
	cells []row.Cell
}

func (p *copied) uvarint() uint64 {
	n, length := binary.Uvarint(p.text)
	p.text = p.text[length:]
	return n
}

func (p *copied) varint() int64 {
	n, length := binary.Varint(p.text)
	p.text = p.text[length:]
	return n
}

func (p *copied) bytes() []byte {
	n := p.uvarint()
	b := p.text[:n:n]
	p.text = p.text[n:]
	return b
}

func (p *copied) statement(r *row.Row) {
	r.Timestamp = p.varint()
	r.TTL = int32(p.varint())
	r.Token = token.Token{Hi: p.uvarint(), Lo: p.uvarint()}
	r.Update = p.text[0] != 0
	p.text = p.text[1:]
	n := p.uvarint()
	r.Cells, p.cells = p.cells[:n:n], p.cells[n:]
	for i := range r.Cells {
		c := &r.Cells[i]
		c.State = row.State(p.text[0])
		p.text = p.text[1:]
		if c.State == row.Set {
			c.Bytes = p.bytes()
		}
	}
}
