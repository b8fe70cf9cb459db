package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// partitionCheck is the partition that a verifier is in.
type partitionCheck struct {
	start  int64 // of the partition
	rows   bool  // its first row or marker was there
	next   int   // block that is to begin next
	blocks []sstable.Block
	header int64 // bytes before the first row, as the index has it; -1 when it does not say
	open   sstable.Deletion

	clustering [][]byte // of the row or marker before
	kind       sstable.BoundKind
	prefix     []byte // of the last row or marker, as Block.First has it
	held       []byte // what clustering is made of
}

// readPartitions reads all partitions, and the index beside them.
func (v *verifier) readPartitions() error {
	for {
		item, err := v.table.decoder.Next()
		if err == io.EOF {
			if err := v.filtered(); err != nil {
				return err
			}
			return v.atEnd()
		}
		if err != nil {
			return err
		}
		switch item {
		case sstable.PartitionStart:
			if v.hashed.Full() {
				if err := v.filtered(); err != nil {
					return err
				}
			}
			err = v.begin()
		case sstable.StaticRow:
			err = v.elements(v.table.decoder.Row())
			v.collect.row(v.table.decoder.Row())
		case sstable.RegularRow:
			err = v.row(v.table.decoder.Row())
		case sstable.RangeMarker:
			err = v.marker(v.table.decoder.Marker())
		case sstable.PartitionEnd:
			err = v.end()
		}
		if err != nil {
			return fmt.Errorf(
				"%s at %d: partition %x: %w",
				component.DataDB,
				v.table.decoder.Offset(),
				clip(v.table.decoder.Key()),
				err,
			)
		}
	}
}

// begin checks the beginning of a partition, and what the index has of it.
func (v *verifier) begin() error {
	key, deletion := v.table.decoder.Key(), v.table.decoder.Deletion()
	h1, h2 := token.Murmur3Sum128(key)
	at := token.Murmur3Token(h1)
	if v.partitions > 0 && comparePartitions(v.last, v.summary.Last, at, key) >= 0 {
		return fmt.Errorf("does not come behind key %x", clip(v.summary.Last))
	}
	for len(v.ranges) > 0 && v.ranges[0].End.Less(at) {
		v.ranges = v.ranges[1:]
	}
	if len(v.check.Ranges) > 0 && (len(v.ranges) == 0 || !v.ranges[0].Contains(at)) {
		return fmt.Errorf(
			"token %s is in none of the %d ranges",
			token.Murmur3.Append(nil, at),
			len(v.check.Ranges),
		)
	}
	if v.filter != nil {
		v.hashed.Take(h1, h2)
	}
	entry, err := v.index.Next()
	if err == io.EOF {
		return fmt.Errorf("%s does not have it", component.IndexDB)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", component.IndexDB, err)
	}
	if !bytes.Equal(entry.Key, key) || entry.Position != uint64(v.table.decoder.Offset()) {
		return fmt.Errorf(
			"%s has key %x at %d instead",
			component.IndexDB,
			clip(entry.Key),
			entry.Position,
		)
	}
	v.at = partitionCheck{
		start:      v.table.decoder.Offset(),
		header:     -1,
		held:       v.at.held[:0],
		prefix:     v.at.prefix[:0],
		clustering: v.at.clustering[:0],
	}
	if len(entry.Promoted) > 0 {
		promoted, err := parsePromotedIndex(
			bytes.Clone(entry.Promoted),
			v.version(),
			v.table.codec.Schema().PrefixLen,
		)
		if err != nil {
			return fmt.Errorf("%s: %w", component.IndexDB, err)
		}
		if promoted.Deletion != deletion || len(promoted.Blocks) < 2 {
			return fmt.Errorf(
				"%s has its deletion as %+v, and %d blocks",
				component.IndexDB,
				promoted.Deletion,
				len(promoted.Blocks),
			)
		}
		v.at.blocks, v.at.header = promoted.Blocks, promoted.HeaderLength
	}
	v.summary.Add(v.partitions, key, v.index.Position())
	v.keys.Add(key)
	v.collect.partition(deletion)
	v.last = at
	v.partitions++
	return nil
}

// filtered checks that the filter has the partitions that were read since it was asked last.
func (v *verifier) filtered() error {
	if h1, all := v.filter.HasAll(&v.hashed); !all {
		return fmt.Errorf(
			"%s does not have the partition of token %s",
			component.FilterDB,
			token.Murmur3.Append(nil, token.Murmur3Token(h1)),
		)
	}
	return nil
}

// row checks a row.
func (v *verifier) row(r *sstable.Row) error {
	if r.Empty() {
		return errors.New("row that says nothing")
	}
	if err := v.elements(r); err != nil {
		return err
	}
	v.collect.row(r)
	return v.item(r.Clustering, sstable.RowKind)
}

// elements checks that those of each column come one behind the other.
func (v *verifier) elements(r *sstable.Row) error {
	schema := v.table.codec.Schema()
	for i := 1; i < len(r.Cells); i++ {
		before, cell := &r.Cells[i-1], &r.Cells[i]
		if before.Column == cell.Column &&
			schema.ComparePaths(r.Static, cell.Column, before.Path, cell.Path) >= 0 {
			columns := schema.Table().Regulars
			if r.Static {
				columns = schema.Table().Statics
			}
			return fmt.Errorf(
				"element %x of column %.100q does not come behind %x",
				clip(cell.Path),
				columns[cell.Column].Name,
				clip(before.Path),
			)
		}
	}
	return nil
}

// marker checks the bound of a range of deleted rows.
func (v *verifier) marker(m *sstable.Marker) error {
	if m.Kind.Ends() != v.at.open.Set || m.Kind.Ends() && m.Ended != v.at.open {
		return fmt.Errorf(
			"bound of kind %d ends the deletion %+v, where %+v is open",
			m.Kind,
			m.Ended,
			v.at.open,
		)
	}
	v.at.open = m.Started
	v.collect.marker(m)
	return v.item(m.Values, m.Kind)
}

// item checks where a row or a marker is: behind the one before, and in the block that the index
// has it in.
func (v *verifier) item(values [][]byte, kind sstable.BoundKind) error {
	at, schema := &v.at, v.table.codec.Schema()
	if at.rows && schema.ComparePrefixes(at.clustering, at.kind, values, kind) >= 0 {
		return fmt.Errorf("clustering %x does not come behind %x", values, at.clustering)
	}
	offset, end := v.table.decoder.Offset()-at.start, v.table.decoder.End()-at.start
	if !at.rows && at.header >= 0 && at.header != offset {
		return fmt.Errorf(
			"%s has its first row at %d, and it is at %d",
			component.IndexDB,
			at.header,
			offset,
		)
	}
	at.keep(values, kind)
	var err error
	if at.prefix, err = schema.AppendPrefix(at.prefix[:0], values, kind); err != nil {
		return err
	}
	if len(at.blocks) > 0 {
		if err := at.block(offset, end); err != nil {
			return err
		}
	}
	if !at.rows {
		at.rows = true
		err = v.bounds.block(&sstable.Block{First: at.prefix, Last: at.prefix})
	}
	return err
}

// keep copies the clustering of a row or a marker, which holds until the next one is read.
func (at *partitionCheck) keep(values [][]byte, kind sstable.BoundKind) {
	size := 0
	for _, value := range values {
		size += len(value)
	}
	at.held, at.clustering, at.kind = slices.Grow(at.held[:0], size), at.clustering[:0], kind
	for _, value := range values {
		from := len(at.held)
		at.held = append(at.held, value...)
		if value != nil {
			value = at.held[from:]
		}
		at.clustering = append(at.clustering, value)
	}
}

// block checks what the index has of the block that a row or marker is in.
func (at *partitionCheck) block(offset, end int64) error {
	if at.next < len(at.blocks) && at.blocks[at.next].Offset == offset {
		b := &at.blocks[at.next]
		if at.next > 0 && at.blocks[at.next-1].Offset+at.blocks[at.next-1].Width != offset {
			return fmt.Errorf(
				"%s has block %d end elsewhere than at %d, where the next begins",
				component.IndexDB,
				at.next-1,
				offset,
			)
		}
		if !bytes.Equal(b.First, at.prefix) {
			return fmt.Errorf(
				"%s has block %d begin with clustering %x, and it is %x",
				component.IndexDB,
				at.next,
				clip(b.First),
				clip(at.prefix),
			)
		}
		at.next++
	} else if at.next == 0 || offset >= at.blocks[at.next-1].Offset+at.blocks[at.next-1].Width {
		return fmt.Errorf("%s has no block at %d", component.IndexDB, offset)
	}
	b := &at.blocks[at.next-1]
	if limit := b.Offset + b.Width; end > limit {
		return fmt.Errorf(
			"%s has block %d end at %d, and a row ends at %d",
			component.IndexDB,
			at.next-1,
			limit,
			end,
		)
	} else if end == limit {
		return at.closed(b)
	}
	return nil
}

// closed checks what the index has of the end of a block, when it is there.
func (at *partitionCheck) closed(b *sstable.Block) error {
	if !bytes.Equal(b.Last, at.prefix) || b.Open != at.open {
		return fmt.Errorf(
			"%s has block %d end with clustering %x and the deletion %+v, and they are %x and %+v",
			component.IndexDB,
			at.next-1,
			clip(b.Last),
			b.Open,
			clip(at.prefix),
			at.open,
		)
	}
	return nil
}

// end checks the end of a partition.
func (v *verifier) end() error {
	at := &v.at
	if at.open.Set {
		return fmt.Errorf("the deletion %+v of a range has no end", at.open)
	}
	length := v.table.decoder.End() - at.start
	if len(at.blocks) > 0 {
		b := &at.blocks[len(at.blocks)-1]
		if at.next != len(at.blocks) {
			return fmt.Errorf(
				"%s has %d blocks, and %d are there",
				component.IndexDB,
				len(at.blocks),
				at.next,
			)
		}
		// The end marker is part of a block that ends with the partition.
		switch b.Offset + b.Width {
		case length:
			if err := at.closed(b); err != nil {
				return err
			}
		case length - 1:
		default:
			return fmt.Errorf(
				"%s has its last block end at %d of %d bytes",
				component.IndexDB,
				b.Offset+b.Width,
				length,
			)
		}
	}
	if at.rows {
		if err := v.bounds.block(&sstable.Block{First: at.prefix, Last: at.prefix}); err != nil {
			return err
		}
	}
	v.collect.end(length)
	return v.bounds.end()
}
