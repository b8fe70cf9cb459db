package simcluster

import (
	"github.com/datastax/go-cassandra-native-protocol/message"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// query is a SELECT of a table that is being answered.
type query struct {
	table   *table
	st      *statement
	within  token.Range // zero: all
	tests   []test
	from    position
	size    int // rows of a page, 0: all
	bytes   int // of a page, 0: no matter
	outputs []output
}

// output is a selector with its column found.
type output struct {
	function string
	column   *tableColumn
}

// shape is what a fault makes of a page.
type shape struct {
	empty    bool // no rows, and more to come
	rows     int  // limit; 0: as requested
	trailing bool // at the end of the range more is promised
}

// page is the rows of a page and, unless the answer is at its end, the next
// position.
type page struct {
	rows message.RowSet
	next *position
}

// run reads a page. Nothing of the table changes while it does.
func (q *query) run(s shape) page {
	q.table.mu.RLock()
	defer q.table.mu.RUnlock()
	if q.st.counts() && !q.st.grouped {
		return q.count()
	}
	if s.empty {
		return page{next: &q.from}
	}
	size := q.size
	if s.rows > 0 && (size == 0 || s.rows < size) {
		size = s.rows
	}
	var out page
	last := q.from
	var volume int
	q.scan(func(v view, count int64) bool {
		if size > 0 && len(out.rows) == size || q.bytes > 0 && volume >= q.bytes {
			out.next = &last
			return false
		}
		r := q.project(v, count)
		for _, value := range r {
			volume += len(value)
		}
		out.rows = append(out.rows, r)
		last = position{statement: q.from.statement, at: v.p.at, raw: v.p.raw}
		if v.l != nil && !q.st.grouped {
			last.cluster = v.l.cluster
		}
		return true
	})
	if out.next == nil && s.trailing {
		out.next = &last
	}
	return out
}

// scan calls f for the rows of the answer after the position, until f returns false. It calls f for
// each row, or, if rows are grouped, for the first of each partition with their number. The caller
// holds the table.
func (q *query) scan(f func(v view, count int64) bool) {
	i, end := 0, len(q.table.partitions)
	if q.within != (token.Range{}) {
		i, end = q.table.after(q.within.Start), q.table.after(q.within.End)
	}
	line := 0
	if !q.from.start {
		at, found := q.table.place(q.from.at, q.from.raw)
		i = max(i, at)
		switch {
		case found && q.from.cluster != nil:
			var there bool
			if line, there = q.table.lineAt(q.table.partitions[at], q.from.cluster); there {
				line++
			}
		case found:
			i = at + 1
		}
	}
	for ; i < end; i++ {
		if !q.partition(q.table.partitions[i], line, f) {
			return
		}
		line = 0
	}
}

func (q *query) partition(p *partition, from int, f func(view, int64) bool) bool {
	var first view
	count := int64(0)
	more := p.each(from, func(v view) bool {
		switch {
		case !v.passed(q.tests):
			return true
		case !q.st.grouped:
			return f(v, 1)
		case count == 0:
			first = v
		}
		count++
		return true
	})
	if count > 0 {
		return f(first, count)
	}
	return more
}

// count gives the number of rows, in one row.
func (q *query) count() page {
	n := int64(0)
	q.scan(func(_ view, count int64) bool { n += count; return true })
	return page{rows: message.RowSet{{bigint(n)}}}
}

// project takes what is selected out of a row.
func (q *query) project(v view, count int64) [][]byte {
	values := make([][]byte, len(q.outputs))
	for i, o := range q.outputs {
		switch o.function {
		case "count":
			values[i] = bigint(count)
			continue
		case "token":
			values[i] = token.Murmur3.AppendWire(nil, v.p.at)
			continue
		}
		c := v.cell(o.column)
		switch {
		case o.function == "":
			values[i] = c.value
		case c.value == nil:
		case o.function == "writetime":
			values[i] = bigint(c.timestamp)
		case c.ttl > 0:
			values[i] = integer(c.ttl)
		}
	}
	return values
}
