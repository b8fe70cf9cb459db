package sstable

import "github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"

// emptyValue is the value of an empty cell or clustering column.
var emptyValue = []byte{}

// DecodeRow reads what AppendRow wrote, with the same minima. The row's values are parts of
// encoded. On an error the row has no meaning.
func (c *Codec) DecodeRow(encoded []byte, r *Row) error {
	head, body, err := split(encoded)
	if err != nil {
		return err
	}
	return c.decodeRow(head, body, r)
}

// decodeRow reads a row of its head, flags and clustering, and its body.
func (c *Codec) decodeRow(head, body []byte, r *Row) error {
	r.Reset()
	in := fields.Reader{Rest: head}
	flags := in.Byte()
	if flags&(endOfPartition|isMarker) != 0 {
		in.Fail("row with the flags 0x%02x, which are not those of a row", flags)
	}
	if flags&hasMoreFlags != 0 {
		if more := in.Byte(); more != isStatic {
			in.Fail(
				"row with the flags 0x%02x 0x%02x: the second ones are not known",
				flags,
				more,
			)
		}
		r.Static = true
	} else {
		r.Clustering = c.schema.decodeClustering(&in, r.Clustering, len(c.schema.clustering))
	}
	if err := in.End(); err != nil {
		return err
	}
	in = fields.Reader{Rest: body}
	c.decodeBody(&in, flags, r)
	return in.End()
}

// decodeValue reads what appendValue writes.
func (p *columnPlan) decodeValue(in *fields.Reader) []byte {
	if p.fixed < 0 {
		return in.VintBytes()
	}
	return in.Take(uint64(p.fixed))
}

// decodeBody reads the body of a row.
func (c *Codec) decodeBody(in *fields.Reader, flags byte, r *Row) {
	if flags&hasTimestamp != 0 {
		r.Liveness = Liveness{Set: true, Timestamp: c.timestamp(in)}
	}
	if flags&hasTTL != 0 {
		r.Liveness.TTL, r.Liveness.Expiry = c.ttl(in), c.time(in)
		if !r.Liveness.Set || r.Liveness.TTL == 0 {
			in.Fail("row with the flags 0x%02x and a TTL of %d seconds", flags, r.Liveness.TTL)
		}
	}
	if flags&hasDeletion != 0 {
		r.Deletion = c.rowDeletion(in)
	}
	columns := c.schema.columns(r.Static)
	set := allColumns(len(columns))
	if flags&hasAllColumns == 0 {
		set.decode(in)
	}
	for i := set.next(); i < len(columns) && in.Err == nil; i = set.next() {
		if !columns[i].complex {
			c.decodeCell(in, &columns[i], i, r)
			continue
		}
		if flags&hasColumnDeletions != 0 {
			r.Deletions = append(
				r.Deletions,
				ColumnDeletion{Column: i, Deletion: c.columnDeletion(in)},
			)
		}
		for n := in.Uvint(); n > 0 && in.Err == nil; n-- {
			c.decodeCell(in, &columns[i], i, r)
		}
	}
}

// decodeCell reads one cell of a column.
func (c *Codec) decodeCell(in *fields.Reader, p *columnPlan, column int, r *Row) {
	flags := in.Byte()
	cell := r.addCell()
	cell.Column, cell.Timestamp = column, r.Liveness.Timestamp
	switch flags & (cellDeleted | cellExpiring) {
	case cellDeleted:
		cell.Kind = Tombstone
	case cellExpiring:
		cell.Kind = Expiring
	}
	if flags>>5 != 0 || flags&(cellDeleted|cellExpiring) == cellDeleted|cellExpiring ||
		flags&cellRowTimestamp != 0 && !r.Liveness.Set ||
		flags&cellRowTTL != 0 && (cell.Kind != Expiring || r.Liveness.TTL == 0) {
		in.Fail(
			"cell of column %.100q has the flags 0x%02x, in a row with the TTL %d",
			p.name,
			flags,
			r.Liveness.TTL,
		)
		return
	}
	if flags&cellRowTimestamp == 0 {
		cell.Timestamp = c.timestamp(in)
	}
	if flags&cellRowTTL != 0 {
		cell.Time, cell.TTL = r.Liveness.Expiry, r.Liveness.TTL
	} else if cell.Kind != Live {
		cell.Time = c.time(in)
		if cell.Kind == Expiring {
			cell.TTL = c.ttl(in)
		}
	}
	if p.complex {
		cell.Path = in.VintBytes()
	}
	switch {
	case flags&cellEmpty != 0:
		cell.Value = emptyValue
	case p.complex:
		cell.Value = in.VintBytes()
	default:
		cell.Value = p.decodeValue(in)
	}
}

// timestamp reads what appendTimestamp writes.
func (c *Codec) timestamp(in *fields.Reader) int64 { return int64(in.Uvint()) + c.minima.Timestamp }

// time reads what appendTime writes.
func (c *Codec) time(in *fields.Reader) int64 { return int64(in.Uvint()) + c.minima.Time }

// ttl reads what appendTTL writes.
func (c *Codec) ttl(in *fields.Reader) int32 {
	delta := in.Uvint()
	ttl := int64(delta) + int64(c.minima.TTL)
	if delta>>31 != 0 || ttl != int64(int32(ttl)) {
		in.Fail("TTL of %d seconds and the least one of %d is beyond 31 bits", delta, c.minima.TTL)
		return 0
	}
	return int32(ttl)
}

// rowDeletion reads what appendRowDeletion writes.
func (c *Codec) rowDeletion(in *fields.Reader) Deletion {
	return Deletion{Set: true, Timestamp: c.timestamp(in), Time: c.time(in)}
}

// columnDeletion reads what appendColumnDeletion writes.
func (c *Codec) columnDeletion(in *fields.Reader) Deletion {
	d := c.rowDeletion(in)
	if d.Timestamp == noTimestamp {
		d.Set, d.Timestamp = false, 0
	}
	return d
}
