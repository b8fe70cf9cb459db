// Package sstabledump writes the partitions of an SSTable as JSON, as Cassandra's tool sstabledump
// does: all that is in the file, with its timestamps. That includes deleted and expired rows.
//
// Start with New, for the columns of an SSTable, and call Write. The structure, the names, the
// texts of values, the blanks and the line ends are those of Cassandra 5.0. Its source has them in
// org.apache.cassandra.tools.JsonTransformer, and in toJSONString and getString of the types in
// db.marshal.
//
// Two things differ. Numbers of the types float and double have the fewest digits that read back as
// the same number; Java up to version 18 sometimes has one more, or other ones. Timestamps before
// 1970 with a part of a second are right; the tool shows them a second late.
package sstabledump

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Dumper writes the partitions of SSTables that have the same columns. It is not safe for
// concurrent use.
type Dumper struct {
	key               []*value
	clustering        []*value
	statics, regulars []column
	index             bool
	now               int64
	pretty            pretty
	position          int64 // of the item at hand in Data.db, uncompressed
	begun             bool
}

// column writes the cells of a column.
type column struct {
	name  string // in quotes of JSON
	typ   *cqltype.Type
	value *value   // of a column that is not frozen, of its elements
	path  *value   // of a collection that is not frozen
	parts []*value // of a user-defined type that is not frozen, its fields
}

// New plans the columns. index: the SSTable is one of an index. now decides which rows and cells
// are shown as expired.
func New(t *sstable.Table, index bool, now time.Time) (*Dumper, error) {
	d := &Dumper{index: index, now: now.Unix()}
	var err error
	if d.key, err = planAll(t.Key); err != nil {
		return nil, err
	}
	if d.clustering, err = planAll(t.Clustering); err != nil {
		return nil, err
	}
	if d.statics, err = planColumns(t.Statics); err != nil {
		return nil, err
	}
	d.regulars, err = planColumns(t.Regulars)
	return d, err
}

// planAll plans the columns of a key.
func planAll(columns []sstable.Column) (all []*value, err error) {
	for _, c := range columns {
		v, err := planValue(c.Type)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// planColumns plans columns that have cells.
func planColumns(columns []sstable.Column) (all []column, err error) {
	for _, c := range columns {
		v, err := planValue(c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		out := column{
			name:  string(cqljson.AppendString(nil, []byte(cqltype.QuoteIdent(c.Name)))),
			typ:   c.Type,
			value: v,
		}
		if c.Type.MultiCell() {
			if err := out.planElements(); err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
		}
		all = append(all, out)
	}
	return all, nil
}

// planElements plans what the cells of a column have that is not frozen.
func (c *column) planElements() (err error) {
	switch elems := c.value.elems; c.typ.Kind {
	case cqltype.List:
		c.path, err = planValue(&cqltype.Type{Kind: cqltype.TimeUUID})
		c.value = elems[0]
	case cqltype.Set:
		c.path = elems[0]
	case cqltype.Map:
		c.path, c.value = elems[0], elems[1]
	default:
		c.parts = elems
	}
	return err
}

// AppendKey appends the text of each column of a partition's key, with what parts them.
func (d *Dumper) AppendKey(dst, key []byte) ([]byte, error) {
	texts, err := d.keyTexts(key)
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = append(dst, text...)
	}
	return dst, err
}

// keyTexts takes a key apart.
func (d *Dumper) keyTexts(key []byte) (texts [][]byte, err error) {
	parts := [][]byte{key}
	if len(d.key) > 1 {
		if parts, err = token.SplitKey(key); err != nil {
			return nil, err
		}
	}
	if len(parts) != len(d.key) {
		return nil, fmt.Errorf("a key of %d columns, where there are %d", len(parts), len(d.key))
	}
	for i, part := range parts {
		text, err := d.key[i].appendText(nil, part)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// Source gives the partitions of an SSTable, and the place of each item in the plain bytes of its
// Data.db. The decoders of package sstable are such sources.
type Source interface {
	sstable.Source
	Offset() int64 // of the item
	End() int64    // of the item
}

// Write writes all partitions of a decoder, whose codec has the columns that were planned. Errors
// are those of the decoder or of w, or that of ctx; what was written then is no JSON.
func (d *Dumper) Write(ctx context.Context, w io.Writer, in Source) error {
	out := bufio.NewWriterSize(w, 1<<16)
	d.pretty = pretty{}
	d.pretty.open('[')
	for {
		item, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = errors.Join(d.item(item, in), ctx.Err())
		}
		if err != nil {
			return errors.Join(err, out.Flush())
		}
		if _, err := out.Write(d.pretty.out); err != nil {
			return err
		}
		d.pretty.out = d.pretty.out[:0]
	}
	d.pretty.close(']')
	if _, err := out.Write(append(d.pretty.out, '\n')); err != nil {
		return err
	}
	return out.Flush()
}

// item writes what the decoder is at.
func (d *Dumper) item(item sstable.Item, in Source) error {
	if item == sstable.PartitionStart {
		d.begun = false
		if len(d.statics) > 0 {
			return nil // the tool reads the static row before it writes the partition's start
		}
		return d.partition(in)
	}
	if !d.begun {
		if err := d.partition(in); err != nil {
			return err
		}
	}
	switch item {
	case sstable.StaticRow:
		if in.Row().Empty() {
			return nil
		}
		return d.row(in.Row())
	case sstable.RegularRow:
		d.position = in.Offset()
		return d.row(in.Row())
	case sstable.RangeMarker:
		return d.marker(in.Marker())
	default:
		d.pretty.close(']')
		d.pretty.close('}')
		return nil
	}
}

// partition writes the head of a partition.
func (d *Dumper) partition(in Source) error {
	d.begun, d.position = true, in.End()
	p := &d.pretty
	p.open('{')
	p.name("table kind")
	if d.index {
		p.raw(`"INDEX"`)
	} else {
		p.raw(`"REGULAR"`)
	}
	p.name("partition")
	p.open('{')
	p.name("key")
	texts, err := d.keyTexts(in.Key())
	if err != nil {
		return err
	}
	p.compact = true
	p.open('[')
	for _, text := range texts {
		p.element()
		p.out = cqljson.AppendString(p.out, text)
	}
	p.close(']')
	p.compact = false
	p.number("position", d.position)
	if deletion := in.Deletion(); deletion.Set {
		d.deletion(deletion)
	}
	p.close('}')
	p.name("rows")
	p.open('[')
	return nil
}

// row writes a row, or a static one.
func (d *Dumper) row(r *sstable.Row) error {
	p := &d.pretty
	p.open('{')
	p.name("type")
	columns := d.regulars
	if r.Static {
		columns = d.statics
		p.raw(`"static_block"`)
	} else {
		p.raw(`"row"`)
	}
	p.number("position", d.position)
	if !r.Static {
		if err := d.prefix(r.Clustering, len(r.Clustering)); err != nil {
			return err
		}
	}
	if l := r.Liveness; l.Set {
		p.name("liveness_info")
		p.compact = true
		p.open('{')
		p.time("tstamp", time.UnixMicro(l.Timestamp))
		if l.TTL != 0 {
			p.expiry(l.TTL, l.Expiry, l.Expiry < d.now)
		}
		p.close('}')
		p.compact = false
	}
	if r.Deletion.Set {
		d.deletion(r.Deletion)
	}
	p.name("cells")
	p.open('[')
	deletions := r.Deletions
	for i := range r.Cells {
		c := &r.Cells[i]
		deletions = d.columnDeletions(columns, deletions, c.Column)
		if err := d.cell(&columns[c.Column], c, &r.Liveness); err != nil {
			return err
		}
	}
	d.columnDeletions(columns, deletions, len(columns))
	p.close(']')
	p.close('}')
	return nil
}

// columnDeletions writes the deletions of columns up to one, and gives those that are left.
func (d *Dumper) columnDeletions(
	columns []column,
	deletions []sstable.ColumnDeletion,
	upTo int,
) []sstable.ColumnDeletion {
	p := &d.pretty
	for len(deletions) > 0 && deletions[0].Column <= upTo {
		if next := deletions[0]; next.Set {
			p.openCompact('{')
			p.name("name")
			p.raw(columns[next.Column].name)
			d.deletion(next.Deletion)
			p.compact = true
			p.close('}')
			p.compact = false
		}
		deletions = deletions[1:]
	}
	return deletions
}

// cell writes a cell.
func (d *Dumper) cell(c *column, cell *sstable.Cell, live *sstable.Liveness) (err error) {
	p := &d.pretty
	p.openCompact('{')
	p.name("name")
	p.raw(c.name)
	value := c.value
	switch {
	case c.parts != nil:
		if len(cell.Path) != 2 { // UserType.nameComparator: a short
			return fmt.Errorf(
				"column %s has a cell with the path %x, which is that of no field",
				c.name,
				cell.Path,
			)
		}
		field := int(binary.BigEndian.Uint16(cell.Path))
		if field >= len(c.parts) {
			return fmt.Errorf("column %s has no field %d", c.name, field)
		}
		value = c.parts[field]
		p.path([]byte(c.typ.FieldNames[field]))
	case c.path != nil:
		text, err := c.path.appendText(nil, cell.Path)
		if err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
		p.path(text)
	}
	if cell.Kind == sstable.Tombstone {
		p.name("deletion_info")
		p.open('{')
		p.time("local_delete_time", time.Unix(cell.Time, 0))
		p.close('}')
		p.compact = false // the tool begins a new line for what follows
	} else {
		p.name("value")
		if c.path != nil && c.typ.Kind == cqltype.Set {
			p.raw(`""`)
		} else if p.out, err = value.appendJSON(p.out, cell.Value); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	if !live.Set || cell.Timestamp != live.Timestamp {
		p.time("tstamp", time.UnixMicro(cell.Timestamp))
	}
	if cell.Kind == sstable.Expiring && (!live.Set || cell.TTL != live.TTL) {
		p.expiry(cell.TTL, cell.Time, cell.Time <= d.now)
	}
	p.close('}')
	p.compact = false
	return nil
}

// marker writes where a range of deleted rows begins or ends.
func (d *Dumper) marker(m *sstable.Marker) error {
	p := &d.pretty
	p.open('{')
	p.name("type")
	if m.Kind.Boundary() {
		p.raw(`"range_tombstone_boundary"`)
	} else {
		p.raw(`"range_tombstone_bound"`)
	}
	if m.Kind.Starts() {
		inclusive := m.Kind == sstable.InclusiveStart || m.Kind == sstable.ExclusiveEndInclusiveBgn
		if err := d.bound("start", inclusive, m.Values, m.Started); err != nil {
			return err
		}
	}
	if m.Kind.Ends() {
		inclusive := m.Kind == sstable.InclusiveEnd || m.Kind == sstable.InclusiveEndExclusiveBgn
		if err := d.bound("end", inclusive, m.Values, m.Ended); err != nil {
			return err
		}
	}
	p.close('}')
	return nil
}

// bound writes one side of a marker.
func (d *Dumper) bound(
	name string,
	inclusive bool,
	values [][]byte,
	deletion sstable.Deletion,
) error {
	p := &d.pretty
	p.name(name)
	p.open('{')
	p.name("type")
	if inclusive {
		p.raw(`"inclusive"`)
	} else {
		p.raw(`"exclusive"`)
	}
	if err := d.prefix(values, len(d.clustering)); err != nil {
		return err
	}
	d.deletion(deletion)
	p.close('}')
	return nil
}

// prefix writes the first values of a clustering, and stars for the rest up to a number.
func (d *Dumper) prefix(values [][]byte, upTo int) (err error) {
	if len(values) == 0 {
		return nil
	}
	p := &d.pretty
	p.name("clustering")
	p.compact = true
	p.open('[')
	for i := range upTo {
		p.element()
		switch {
		case i >= len(values):
			p.raw(`"*"`)
		case values[i] == nil:
			p.raw("null")
		default:
			if p.out, err = d.clustering[i].appendJSON(p.out, values[i]); err != nil {
				return err
			}
		}
	}
	p.close(']')
	p.compact = false
	return nil
}

// deletion writes a deletion.
func (d *Dumper) deletion(deletion sstable.Deletion) {
	p := &d.pretty
	p.name("deletion_info")
	p.compact = true
	p.open('{')
	p.time("marked_deleted", time.UnixMicro(deletion.Timestamp))
	p.time("local_delete_time", time.Unix(deletion.Time, 0))
	p.close('}')
	p.compact = false
}

// Token is the token of a partition's key, as text; empty where its partitioner has none that is
// known.
func Token(partitioner string, key []byte) string {
	p, err := token.ByClass(partitioner)
	if err != nil {
		return ""
	}
	return string(p.Append(nil, p.Hash(key)))
}

// pretty writes JSON with the line ends of the tool: each element and member has a line, but within
// what is compact.
type pretty struct {
	out     []byte
	depth   int
	some    []bool // whether there is an element, by depth
	compact bool
}

// open begins an object or an array, as an element of an array where that is what it stands in.
func (p *pretty) open(bracket byte) {
	if bracket == '{' && p.depth > 0 && !p.named() {
		p.element()
	}
	p.out = append(p.out, bracket)
	p.depth++
	p.some = append(p.some[:p.depth-1], false)
}

// openCompact begins an object on a line of its own, whose members stand on that line.
func (p *pretty) openCompact(bracket byte) {
	p.compact = false
	p.open(bracket)
	p.compact = true
}

// named says whether a name was written, and its value is due.
func (p *pretty) named() bool {
	return len(p.out) > 1 && p.out[len(p.out)-2] == ':' && p.out[len(p.out)-1] == ' '
}

// element begins an element or a member.
func (p *pretty) element() {
	if p.some[p.depth-1] {
		p.out = append(p.out, ',')
	}
	p.some[p.depth-1] = true
	p.line(p.depth)
}

// line begins a line, or writes a blank.
func (p *pretty) line(depth int) {
	if p.compact {
		p.out = append(p.out, ' ')
		return
	}
	p.out = append(p.out, '\n')
	for range depth {
		p.out = append(p.out, "  "...)
	}
}

// close ends an object or an array.
func (p *pretty) close(bracket byte) {
	p.depth--
	if p.some[p.depth] {
		p.line(p.depth)
	} else {
		p.out = append(p.out, ' ')
	}
	p.out = append(p.out, bracket)
}

// name begins a member.
func (p *pretty) name(name string) {
	p.element()
	p.out = append(append(append(p.out, '"'), name...), `" : `...)
}

func (p *pretty) raw(json string) { p.out = append(p.out, json...) }

func (p *pretty) number(name string, n int64) {
	p.name(name)
	p.out = strconv.AppendInt(p.out, n, 10)
}

func (p *pretty) time(name string, t time.Time) {
	p.name(name)
	p.out = append(appendInstant(append(p.out, '"'), t), '"')
}

// expiry writes the time to live, when it is over, and whether it is.
func (p *pretty) expiry(ttl int32, at int64, expired bool) {
	p.number("ttl", int64(ttl))
	p.time("expires_at", time.Unix(at, 0))
	p.name("expired")
	p.out = strconv.AppendBool(p.out, expired)
}

// path writes the path of a cell: a key, an element or an index within its column.
func (p *pretty) path(text []byte) {
	p.name("path")
	p.open('[')
	p.element()
	p.out = cqljson.AppendString(p.out, text)
	p.close(']')
}
