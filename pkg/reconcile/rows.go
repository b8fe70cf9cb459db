package reconcile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Rows gives the rows of a table that a SELECT without conditions would give at a moment. It is not
// for tables with COMPACT STORAGE, whose rows are others.
type Rows struct {
	from *Merger
	now  int64

	keys, clusterings []keyPart
	statics, regulars cells
	components        [][]byte // of the partition key
	values            [][]byte
	staticLive        bool // a static column of the partition has a value
	any               bool // the partition had a row
}

// NewRows plans the rows of a selection at a moment, in seconds since the epoch: what expires then
// has expired. The error names what cannot be selected.
func NewRows(from *Merger, selection []Selector, now int64) (*Rows, error) {
	t := from.Schema().Table()
	r := &Rows{
		from:       from,
		now:        now,
		values:     make([][]byte, len(selection)),
		components: make([][]byte, len(t.Key)),
	}
	r.statics.copied = true
	for out, sel := range selection {
		var part keyPart
		var s selected
		var err error
		switch sel.Kind {
		case PartitionKey:
			part, err = selectKey(sel, out, t.Key)
			r.keys = append(r.keys, part)
		case Clustering:
			part, err = selectKey(sel, out, t.Clustering)
			r.clusterings = append(r.clusterings, part)
		case Static:
			s, err = selectColumn(sel, out, t.Statics)
			r.statics.selected = append(r.statics.selected, s)
		case Regular:
			s, err = selectColumn(sel, out, t.Regulars)
			r.regulars.selected = append(r.regulars.selected, s)
		default:
			err = fmt.Errorf("column of the kind %d", sel.Kind)
		}
		if err != nil {
			return nil, fmt.Errorf("selector %d: %w", out, err)
		}
	}
	r.statics.spans = make([]span, len(t.Statics))
	r.regulars.spans = make([]span, len(t.Regulars))
	return r, nil
}

// Token is that of the row's partition.
func (r *Rows) Token() token.Token { return r.from.Token() }

// Key returns the partition key of the row, until the next partition begins.
func (r *Rows) Key() []byte { return r.from.Key() }

// Cells returns the selected values of the row, in the order of the selection and in the CQL wire
// format. Null is nil, and an empty value is an empty slice. They are valid until the next call of
// Next.
func (r *Rows) Cells() [][]byte { return r.values }

// Next advances to the next row. After the last one the error is io.EOF. Other errors are those of
// Merger.Next, or report bytes that are no values of their type.
func (r *Rows) Next() error {
	for {
		item, err := r.from.Next()
		if err != nil {
			return err
		}
		found := false
		switch item {
		case sstable.PartitionStart:
			err = r.begin()
		case sstable.StaticRow:
			row := r.from.Row()
			if r.staticLive = r.statics.find(row, r.now); r.staticLive {
				err = r.statics.fill(r.values, row, r.now)
			}
		case sstable.RegularRow:
			found, err = r.row(r.from.Row())
		case sstable.PartitionEnd:
			if found = r.staticLive && !r.any; found {
				r.staticAlone()
			}
		}
		if err != nil {
			return fmt.Errorf("partition %x: %w", r.from.Key(), err)
		}
		if found {
			return nil
		}
	}
}

// begin takes the key of a partition, which has no values yet.
func (r *Rows) begin() error {
	r.any = false
	r.statics.reset(r.values)
	if err := r.split(r.from.Key()); err != nil {
		return err
	}
	for _, k := range r.keys {
		r.values[k.out] = r.components[k.index]
	}
	return nil
}

// split parts the components of a partition key, which token.AppendKey put together.
func (r *Rows) split(key []byte) error {
	if len(r.components) == 1 {
		r.components[0] = key
		return nil
	}
	for i := range r.components {
		if len(key) < 3 {
			return errKey
		}
		end := 2 + int(binary.BigEndian.Uint16(key))
		if len(key) <= end || key[end] != 0 {
			return errKey
		}
		r.components[i], key = key[2:end:end], key[end+1:]
	}
	if len(key) > 0 {
		return errKey
	}
	return nil
}

// errKey says that the bytes of a partition key do not divide into its columns.
var errKey = errors.New("malformed composite partition key")

// row takes a row, if it exists.
func (r *Rows) row(row *sstable.Row) (bool, error) {
	r.regulars.reset(r.values)
	live := r.regulars.find(row, r.now)
	if !livenessLive(&row.Liveness, r.now) && (!live || r.from.strict && hasDeletion(row, r.now)) {
		return false, nil
	}
	r.any = true
	for _, c := range r.clusterings {
		r.values[c.out] = row.Clustering[c.index]
	}
	return true, r.regulars.fill(r.values, row, r.now)
}

// staticAlone makes the row of a partition that has static columns alone.
func (r *Rows) staticAlone() {
	r.regulars.reset(r.values)
	for _, c := range r.clusterings {
		r.values[c.out] = nil
	}
}

// expiredTTL is the TTL of a liveness that is over, as those of materialized views can be
// (LivenessInfo.EXPIRED_LIVENESS_TTL).
const expiredTTL = math.MaxInt32

// livenessLive reports whether a row exists by its liveness (LivenessInfo.isLive).
func livenessLive(l *sstable.Liveness, now int64) bool {
	return l.Set && (l.TTL == 0 || l.TTL != expiredTTL && now < l.Expiry)
}

// hasDeletion reports whether anything of a row is deleted or has expired. If nothing of it is, the
// servers show a row without liveness even if liveness is strict: BTreeRow.purge returns such a row
// as it is.
func hasDeletion(row *sstable.Row, now int64) bool {
	if l := &row.Liveness; row.Deletion.Set || l.Set && l.TTL != 0 && now >= l.Expiry {
		return true
	}
	for i := range row.Deletions {
		if row.Deletions[i].Set {
			return true
		}
	}
	for i := range row.Cells {
		if !cellLive(&row.Cells[i], now) {
			return true
		}
	}
	return false
}

// cellLive reports whether a cell has a value (AbstractCell.isLive).
func cellLive(c *sstable.Cell, now int64) bool {
	return c.Kind == sstable.Live || c.Kind == sstable.Expiring && now < c.Time
}
