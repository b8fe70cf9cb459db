package sstable

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// build makes the static row of a statement, or the other one.
func (in *Inserter) build(r *Row, static bool, st *Insert, expiry int64) error {
	r.Reset()
	columns := in.regulars
	if static {
		r.Static = true
		columns = in.statics
	} else {
		switch {
		case in.options.Delete:
			r.Deletion = Deletion{Set: true, Timestamp: st.Timestamp, Time: st.Now}
		case !st.Update:
			r.Liveness = Liveness{Set: true, Timestamp: st.Timestamp, TTL: st.TTL, Expiry: expiry}
		}
		if err := in.clusteringValues(r, st.Values); err != nil {
			return err
		}
	}
	for i := range columns {
		c := &columns[i]
		v := st.Values[c.value]
		if v.State == Unset {
			continue
		}
		if c.complex && (v.State == Null || !in.options.AppendCollections) {
			d := Deletion{Set: true, Timestamp: st.Timestamp - 1, Time: st.Now}
			r.Deletions = append(r.Deletions, ColumnDeletion{Column: c.column, Deletion: d})
		}
		if v.State == Null {
			if !c.complex {
				cell := r.addCell()
				cell.Column, cell.Kind = c.column, Tombstone
				cell.Timestamp, cell.Time = st.Timestamp, st.Now
			}
			continue
		}
		value, err := c.canonical(&in.buf, v.Bytes)
		if err != nil {
			return err
		}
		if c.complex {
			cell := Cell{Column: c.column, Timestamp: st.Timestamp}
			cell.expire(st.TTL, expiry)
			if err := in.elements(r, c, cell, value, cmp.Or(st.Place, st.Timestamp)); err != nil {
				return err
			}
			continue
		}
		cell := r.addCell()
		cell.Column, cell.Timestamp, cell.Value = c.column, st.Timestamp, value
		cell.expire(st.TTL, expiry)
	}
	return nil
}

// expire makes it a cell that expires, unless the time to live is 0.
func (c *Cell) expire(ttl int32, expiry int64) {
	if ttl != 0 {
		c.Kind, c.TTL, c.Time = Expiring, ttl, expiry
	}
}

// clusteringValues takes the values of the clustering columns over.
func (in *Inserter) clusteringValues(r *Row, values []Value) error {
	size := 0
	for i := range in.clustering {
		value, err := in.clustering[i].keyValue(&in.buf, values)
		if err != nil {
			return err
		}
		if size += len(value); size > maxClusteringBytes {
			return fmt.Errorf("clustering columns of more than %d bytes", maxClusteringBytes)
		}
		r.Clustering = append(r.Clustering, value)
	}
	for range len(in.codec.schema.clustering) - len(in.clustering) {
		r.Clustering = append(r.Clustering, nil) // of a deletion
	}
	return nil
}

// elements makes a cell of each element of a value that is not frozen: like cell, with a path and a
// value.
func (in *Inserter) elements(r *Row, c *insertColumn, cell Cell, value []byte, place int64) error {
	w := c.layout.Walk(value)
	for w.Next() {
		switch {
		case !w.Null():
		case c.kind == cqltype.List: // the server, too, makes no cell of it (cql3.Lists.Appender)
			return fmt.Errorf(
				"column %.100q: element %d is null, which only a frozen list can have",
				c.name,
				w.Index(),
			)
		default: // a field
			continue
		}
		from := len(in.buf)
		switch {
		case c.kind == cqltype.List:
			in.buf = appendListPath(in.buf, place, w.Index())
			cell.Path, cell.Value = in.buf[from:len(in.buf):len(in.buf)], w.Elem()
		case c.kind == cqltype.UDT:
			in.buf = binary.BigEndian.AppendUint16(in.buf, uint16(w.Index()))
			cell.Path, cell.Value = in.buf[from:len(in.buf):len(in.buf)], w.Elem()
		case c.kind == cqltype.Set:
			cell.Path = w.Elem()
		case w.Index()%2 == 0:
			cell.Path = w.Elem()
			continue
		default:
			cell.Value = w.Elem()
		}
		r.Cells = append(r.Cells, cell)
	}
	if err := w.Err(); err != nil {
		return fmt.Errorf("column %.100q: %w", c.name, err)
	}
	return nil
}
