package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// A scan writes the time to live and the write time of a column as fields of their
// own, ttl(c) and writetime(c). Loaded again, the column is written with them. A
// statement has but one of each, so a row whose columns differ in them becomes
// several statements, of one partition and in one request. One of them makes the row.

// timing is a field that holds a time of a column.
type timing struct {
	name   string // ttl(c) or writetime(c)
	field  int    // of the record; no meaning for named fields
	column int    // of the mapping, that the time is of
	ttl    bool
	// the latest write time that servers hide, because the column was dropped then and added
	// again; microseconds since the epoch, 0: none
	hidden int64
}

// moment is what a value is written with.
type moment struct {
	stamp int64
	ttl   int32
}

// MaxTTL is the longest time to live that the servers take, in seconds: 20 years
// (Cassandra's Attributes.MAX_TTL).
const MaxTTL = 20 * 365 * 24 * 60 * 60

// needTimes finds the columns whose values need a write time.
func (m *Mapping) needTimes(t *schema.Table, f Fields) {
	if !f.Timed {
		return
	}
	m.timed = make([]bool, len(m.Columns))
	for i, c := range m.Columns {
		if !c.IsKey() {
			_, err := t.Select("writetime(" + c.Name + ")")
			m.timed[i] = err == nil
		}
	}
}

// refuseUntimed refuses an input with a field for a column that needs a write time, and none for
// the write time.
func (m *Mapping) refuseUntimed() error {
	for i := range m.timed {
		if m.timed[i] && !slices.ContainsFunc(
			m.times,
			func(t timing) bool { return t.column == i && !t.ttl },
		) {
			return fmt.Errorf(
				"--preserve-times: the input has no field writetime(%s): scan --preserve-times writes it, "+
					"of sets, maps and user types that are not frozen since Cassandra 5.0 or with "+
					"--via stream; --skipcols leaves the column out",
				m.Columns[i].Name,
			)
		}
	}
	return nil
}

// errUntimed is the error of a value that needs a write time.
var errUntimed = errors.New("the value has no write time, which --preserve-times requires")

// checkTimes returns why a row has no write time for one of its values; nil: it has all.
func (p *parser) checkTimes(m *Mapping, cells []row.Cell) *format.Fault {
	for i := range m.timed {
		if m.timed[i] && cells[i].State == row.Set && !p.written[i] {
			return format.ColumnFault(i, errUntimed)
		}
	}
	return nil
}

// resetTimes forgets the times of the row before.
func (p *parser) resetTimes(m *Mapping, stamp int64) {
	p.anyTime = false
	if len(m.times) == 0 {
		return
	}
	clear(p.written)
	for i := range p.moments {
		p.moments[i] = moment{stamp: stamp}
	}
}

// SetTime is a method of [format.Times]. Null is the time to live of a value that does not expire,
// and the write time of no value.
func (p *parser) SetTime(time int, text []byte, null bool) error {
	t := &p.view.mapping.times[time]
	p.anyTime = true
	if null {
		if t.ttl {
			p.moments[t.column].ttl = row.Forever
		}
		return nil
	}
	bits := 64 // of a bigint; a time to live is an int
	if t.ttl {
		bits = 32
	}
	n, err := strconv.ParseInt(string(text), 10, bits)
	switch {
	case err != nil:
		return fmt.Errorf("no number of %d bits", bits)
	case t.ttl && (n < 0 || n > MaxTTL):
		return fmt.Errorf("time to live %d: must be from 0 to %d seconds", n, MaxTTL)
	case t.ttl:
		p.moments[t.column].ttl = int32(n)
		if n == 0 {
			p.moments[t.column].ttl = row.Forever
		}
	case t.hidden != 0 && n <= t.hidden:
		return fmt.Errorf("the column was dropped at %s and added again: "+
			"the servers hide values that were written before", momentText(t.hidden))
	default:
		p.moments[t.column].stamp, p.written[t.column] = n, true
	}
	return nil
}

// timed splits a row into statements by the times of its values. The first one makes the row. No
// other writes the marker that keeps a row of nulls alive, or its time would be the marker's. A
// value of a column that is not static has the row's time. Without such a value the row is written
// as at plain, like nulls that delete.
func (p *parser) timed(
	c *chunk,
	m *Mapping,
	cells []row.Cell,
	plain moment,
) (first row.Row, more []row.Row) {
	own, makes := plain, makesRow(m, cells)
	var few [4]moment
	distinct := few[:0]
	valued := false
	for i, cell := range cells {
		if cell.State != row.Set {
			p.moments[i] = plain
		}
		if cell.State == row.Unset || m.Columns[i].IsKey() ||
			!makes && m.Columns[i].Kind == schema.Regular {
			continue
		}
		at := p.moments[i]
		if cell.State == row.Set && m.Columns[i].Kind == schema.Regular &&
			(!valued || at.outlives(own)) {
			own, valued = at, true
		}
		if !slices.Contains(distinct, at) {
			distinct = append(distinct, at)
		}
	}
	switch {
	case makes:
		distinct = slices.DeleteFunc(distinct, func(at moment) bool { return at == own })
	case len(distinct) > 0:
		own, distinct = distinct[0], distinct[1:]
	}
	if len(distinct) == 0 {
		return row.Row{Cells: cells, Timestamp: own.stamp, TTL: own.ttl}, nil
	}
	first = p.part(c, m, cells, own, makes)
	for _, at := range distinct {
		more = append(more, p.part(c, m, cells, at, false))
	}
	return first, more
}

// makesRow reports whether there is a row to make, and not static columns alone.
func makesRow(m *Mapping, cells []row.Cell) bool {
	if len(m.cluster) == 0 {
		return len(m.statics) == 0
	}
	return cells[m.cluster[0]].State == row.Set
}

// outlives reports whether a value written at a moment is there longer than one of another, or as
// long and is newer. The end of a value with the load's or the table's time to live is not known.
func (a moment) outlives(b moment) bool {
	rank := func(m moment) int64 {
		switch m.ttl {
		case row.Forever:
			return math.MaxInt64
		case 0:
			return math.MaxInt64 - 1
		default:
			return int64(m.ttl)
		}
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.stamp, b.stamp)) > 0
}

// part is the statement for the cells that are written at a moment; makes says that it makes the
// row. Else it is an update, or has static columns alone, and then no clustering columns.
func (p *parser) part(c *chunk, m *Mapping, cells []row.Cell, at moment, makes bool) row.Row {
	from := len(c.values.Cells)
	alone := !makesRow(m, cells)
	update := false
	for i, cell := range cells {
		kind := m.Columns[i].Kind
		if !m.Columns[i].IsKey() && p.moments[i] != at || alone && kind == schema.Regular {
			cell = row.Cell{}
		}
		c.values.Cells = append(c.values.Cells, cell)
		update = update || !makes && kind == schema.Regular && cell.State != row.Unset
	}
	out := row.Row{
		Cells:     c.values.Cells[from:len(c.values.Cells):len(c.values.Cells)],
		Timestamp: at.stamp,
		TTL:       at.ttl,
		Update:    update,
	}
	if !makes && !update {
		for _, i := range m.cluster {
			out.Cells[i] = row.Cell{}
		}
	}
	return out
}
