package driver

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// form is the kind of statement that writes a row.
type form uint8

const (
	wholeRow   form = iota // INSERT of all columns
	staticOnly             // INSERT of the partition key and the static columns
	update                 // UPDATE, which makes no row marker
	increment              // UPDATE of counters
	forms
)

// statements are the statements of each form, with and without a TTL per row. They are safe for
// concurrent use.
type statements struct {
	table   *schema.Table
	columns []schema.Column
	counter bool
	hasCK   bool
	lists   bool // there are non-frozen lists
	statics bool
	ttl     int  // in seconds, of rows without their own; 0: the table's
	once    bool // INSERT ... IF NOT EXISTS, or a given statement with a condition
	// the servers choose the write times
	timeless bool

	built [forms][2]atomic.Pointer[statement]
	given *statement // of all rows, in place of those; nil: none
	// the given statement may be run twice with the same values
	repeatable bool
}

// statement is a text, and what its markers take.
type statement struct {
	text  string
	order []int // indexes of the columns, or stampPlace or ttlPlace
	// of each place, whether an unset value is bound as null; nil: none is
	unsetIsNull []bool
}

// What a marker takes that is no column.
const (
	stampPlace = -1 // the row's timestamp
	ttlPlace   = -2 // the row's time to live
)

func newStatements(t *schema.Table, columns []schema.Column) *statements {
	s := &statements{table: t, columns: columns, counter: t.IsCounter()}
	for _, c := range columns {
		s.lists = s.lists || c.Type.Kind == cqltype.List && !c.Type.Frozen
		s.hasCK = s.hasCK || c.Kind == schema.Clustering
		s.statics = s.statics || c.Kind == schema.Static
	}
	return s
}

// staticOnly reports whether the row has nothing but static columns.
func (s *statements) staticOnly(cells []row.Cell) bool {
	if !s.statics || !s.hasCK {
		return false
	}
	for i, c := range s.columns {
		if c.Kind == schema.Clustering && cells[i].State == row.Set {
			return false
		}
	}
	return true
}

// of returns the statement for a row.
func (s *statements) of(r row.Row) *statement {
	if s.given != nil {
		return s.given
	}
	f := wholeRow
	switch {
	case s.counter:
		f = increment
	case s.staticOnly(r.Cells):
		f = staticOnly
	case r.Update:
		f = update
	}
	own := 0
	if r.TTL != 0 && !s.counter {
		own = 1
	}
	built := &s.built[f][own]
	st := built.Load()
	if st == nil { // several goroutines may each build it
		st = s.build(f, own != 0)
		built.Store(st)
	}
	return st
}

func (s *statements) build(f form, ownTTL bool) *statement {
	switch f {
	case update:
		return s.buildUpdate(s.using(ownTTL))
	case increment:
		return s.buildUpdate("", nil)
	}
	st := &statement{}
	var names []string
	for i, c := range s.columns {
		if f == staticOnly && (c.Kind == schema.Clustering || c.Kind == schema.Regular) {
			continue
		}
		names = append(names, cqltype.QuoteIdent(c.Name))
		st.order = append(st.order, i)
	}
	markers := strings.Join(slices.Repeat([]string{"?"}, len(names)), ", ")
	condition := ""
	if s.once {
		condition = " IF NOT EXISTS"
	}
	using, places := s.using(ownTTL)
	st.text = "INSERT INTO " + s.table.String() + " (" + strings.Join(names, ", ") +
		") VALUES (" + markers + ")" + condition + using
	st.order = append(st.order, places...)
	return st
}

// using returns the USING clause of a statement, and what its markers take.
func (s *statements) using(ownTTL bool) (clause string, places []int) {
	var times []string
	if !s.once && !s.timeless {
		times, places = append(times, "TIMESTAMP ?"), append(places, stampPlace)
	}
	if ownTTL {
		times, places = append(times, "TTL ?"), append(places, ttlPlace)
	} else if s.ttl > 0 {
		times = append(times, fmt.Sprintf("TTL %d", s.ttl))
	}
	if len(times) == 0 {
		return "", nil
	}
	return " USING " + strings.Join(times, " AND "), places
}

// buildUpdate makes an UPDATE that sets the columns, or adds to counters. The markers of its USING
// clause take what places says.
func (s *statements) buildUpdate(using string, places []int) *statement {
	st := &statement{order: places}
	var sets, where []string
	for i, c := range s.columns {
		if c.IsKey() {
			continue
		}
		name := cqltype.QuoteIdent(c.Name)
		if s.counter {
			sets = append(sets, name+" = "+name+" + ?")
		} else {
			sets = append(sets, name+" = ?")
		}
		st.order = append(st.order, i)
	}
	for i, c := range s.columns {
		if c.IsKey() {
			where = append(where, cqltype.QuoteIdent(c.Name)+" = ?")
			st.order = append(st.order, i)
		}
	}
	st.text = "UPDATE " + s.table.String() + using + " SET " + strings.Join(
		sets,
		", ",
	) + " WHERE " + strings.Join(
		where,
		" AND ",
	)
	return st
}
