package sstable

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// AppendRow appends a row in a form that does not depend on its place in a file. The form has the
// length of the head as an unsigned vint, the head (flags and clustering) and the body. It lacks
// the sizes, which the PartitionWriter writes between head and body. Its own length is not encoded;
// the caller must know it.
//
// It refuses a value of the wrong length for its type, cells that are not ordered by column, and a
// TTL below the minimum. After an error, dst has some bytes more.
func (c *Codec) AppendRow(dst []byte, r *Row) ([]byte, error) {
	columns := c.schema.columns(r.Static)
	subset, err := c.schema.present(r, columns)
	if err != nil {
		return dst, err
	}
	mark := len(dst)
	dst = append(dst, 0, c.rowFlags(r, subset.count == len(columns)))
	if r.Static {
		dst = append(dst, isStatic)
	} else {
		if err := c.schema.checkClustering(r.Clustering); err != nil {
			return dst, err
		}
		if dst, err = c.schema.appendClustering(dst, r.Clustering); err != nil {
			return dst, err
		}
	}
	dst = putLength(dst, mark)
	return c.appendBody(dst, r, columns, subset)
}

// putLength writes how many bytes follow the one at dst[mark], and makes room for more of it than
// one.
func putLength(dst []byte, mark int) []byte {
	n := len(dst) - mark - 1
	if n < 0x80 {
		dst[mark] = byte(n)
		return dst
	}
	var room [9]byte
	length := cqlwire.AppendUvint(room[:0], uint64(n))
	return slices.Replace(dst, mark, mark+1, length...)
}

// rowFlags returns the first byte of a row.
func (c *Codec) rowFlags(r *Row, all bool) byte {
	var flags byte
	if r.Liveness.Set {
		flags |= hasTimestamp
		if r.Liveness.TTL != 0 {
			flags |= hasTTL
		}
	}
	if r.Deletion.Set {
		flags |= hasDeletion
	}
	if all {
		flags |= hasAllColumns
	}
	if len(r.Deletions) > 0 {
		flags |= hasColumnDeletions
	}
	if r.Static {
		flags |= hasMoreFlags
	}
	return flags
}

// appendBody appends what follows the sizes of a row.
func (c *Codec) appendBody(
	dst []byte,
	r *Row,
	columns []columnPlan,
	subset subset,
) ([]byte, error) {
	if r.Liveness.Set {
		dst = c.appendTimestamp(dst, r.Liveness.Timestamp)
		if r.Liveness.TTL != 0 {
			if err := c.checkTTL(r.Liveness.TTL); err != nil {
				return dst, err
			}
			dst = c.appendTime(c.appendTTL(dst, r.Liveness.TTL), r.Liveness.Expiry)
		}
	}
	if r.Deletion.Set {
		dst = c.appendRowDeletion(dst, r.Deletion)
	}
	if subset.count < len(columns) {
		dst = subset.append(dst, r, len(columns))
	}
	cells, deletions := r.Cells, r.Deletions
	for len(cells) > 0 || len(deletions) > 0 {
		column := firstColumn(cells, deletions)
		n := 0
		for n < len(cells) && cells[n].Column == column {
			n++
		}
		p := &columns[column]
		var err error
		if !p.complex {
			dst, err = c.appendCell(dst, p, &cells[0], &r.Liveness)
		} else {
			if len(r.Deletions) > 0 {
				d := liveDeletion
				if len(deletions) > 0 && deletions[0].Column == column {
					d, deletions = deletions[0].Deletion, deletions[1:]
				}
				dst = c.appendColumnDeletion(dst, d)
			}
			dst = cqlwire.AppendUvint(dst, uint64(n))
			for i := range cells[:n] {
				if dst, err = c.appendCell(dst, p, &cells[i], &r.Liveness); err != nil {
					break
				}
			}
		}
		if err != nil {
			return dst, err
		}
		cells = cells[n:]
	}
	return dst, nil
}

// liveDeletion stands where a column has no deletion and another one of the row has. Cassandra 4.x
// takes it for what it is by its seconds too (DeletionTime.LIVE); 5.0, which itself writes others,
// by its timestamp alone.
var liveDeletion = Deletion{Time: 1<<31 - 1}

// appendColumnDeletion appends the deletion of a column, or that it has none.
func (c *Codec) appendColumnDeletion(dst []byte, d Deletion) []byte {
	if !d.Set {
		d.Timestamp = noTimestamp
	}
	return c.appendRowDeletion(dst, d)
}

// appendCell appends one cell of a row with that liveness.
func (c *Codec) appendCell(dst []byte, p *columnPlan, cell *Cell, row *Liveness) ([]byte, error) {
	var flags byte
	switch cell.Kind {
	case Tombstone:
		flags = cellDeleted
	case Expiring:
		flags = cellExpiring
		if row.Set && row.TTL != 0 && row.TTL == cell.TTL && row.Expiry == cell.Time {
			flags |= cellRowTTL
		}
	}
	if len(cell.Value) == 0 {
		flags |= cellEmpty
	}
	if row.Set && row.Timestamp == cell.Timestamp {
		flags |= cellRowTimestamp
	}
	dst = append(dst, flags)
	if flags&cellRowTimestamp == 0 {
		dst = c.appendTimestamp(dst, cell.Timestamp)
	}
	if flags&cellRowTTL == 0 && cell.Kind != Live {
		dst = c.appendTime(dst, cell.Time)
		if cell.Kind == Expiring {
			if err := c.checkTTL(cell.TTL); err != nil {
				return dst, err
			}
			dst = c.appendTTL(dst, cell.TTL)
		}
	}
	if p.complex {
		dst = fields.AppendBytes(dst, cell.Path)
	}
	if flags&cellEmpty != 0 {
		return dst, nil
	}
	if p.complex {
		return fields.AppendBytes(dst, cell.Value), nil
	}
	return p.appendValue(dst, cell.Value)
}

// errColumn says that there is no such column.
func errColumn(column, columns int) error {
	return fmt.Errorf("a cell of column %d, where there are %d", column, columns)
}
