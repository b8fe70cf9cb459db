package driver

import (
	"context"
	"fmt"
	"strings"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Reader reads pages of one table, range by range. It is safe for concurrent use.
type Reader struct {
	s           *Session
	partitioner token.Partitioner // nil: ranges are not used
	stmt        string
	columns     int
}

// Reader makes a reader of some columns of a table. Without a partitioner the
// table is read as one range.
func (s *Session) Reader(t *schema.Table, columns []schema.Column, p token.Partitioner) *Reader {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = cqltype.QuoteIdent(c.Name)
	}
	return s.reader(t, strings.Join(names, ", "), len(columns), p)
}

// Counter makes a reader whose every range gives one row of one bigint: the
// number of rows in it.
func (s *Session) Counter(t *schema.Table, p token.Partitioner) *Reader {
	return s.reader(t, "count(*)", 1, p)
}

func (s *Session) reader(t *schema.Table, selection string, columns int, p token.Partitioner) *Reader {
	stmt := "SELECT " + selection + " FROM " + t.String()
	if p != nil {
		var key []string
		for _, c := range t.OfKind(schema.PartitionKey) {
			key = append(key, cqltype.QuoteIdent(c.Name))
		}
		of := "token(" + strings.Join(key, ", ") + ")"
		stmt += " WHERE " + of + " > ? AND " + of + " <= ?"
	}
	return &Reader{s: s, partitioner: p, stmt: stmt, columns: columns}
}

// Statement is the CQL text that is prepared.
func (r *Reader) Statement() string { return r.stmt }

// Page reads one page of a range from the given node (any node when host is
// empty). state is empty for the first page and else the paging state of the
// page before. rows is the number of rows to ask for; the page may hold fewer,
// and only an empty paging state tells that the range has ended.
func (r *Reader) Page(ctx context.Context, host string, within token.Range, state []byte, rows int) (row.Page, error) {
	var values []any
	if r.partitioner != nil {
		start := cell{r.partitioner.AppendWire(nil, within.Start)}
		end := cell{r.partitioner.AppendWire(nil, within.End)}
		values = []any{&start, &end}
	}
	// The metadata is asked for with every page: it belongs to this page alone,
	// so that the tuple columns in it may be changed.
	q := r.s.s.Query(r.stmt, values...).WithContext(ctx).Idempotent(true).PageSize(rows).PageState(state).NoSkipMetadata()
	if host != "" {
		q.SetHostID(host)
	}
	iter := q.Iter()
	columns := iter.Columns()
	if len(columns) != r.columns {
		if err := iter.Close(); err != nil {
			return nil, classify(ctx, err)
		}
		return nil, fault.New(fault.Permanent, fmt.Errorf("the server answered with %d columns instead of %d: the table was altered", len(columns), r.columns))
	}
	p := &page{iter: iter, state: iter.PageState(), cells: make([]cell, r.columns), values: make([][]byte, r.columns)}
	// The driver wants a place for each element of a tuple column. With the
	// column's type hidden only the first places are used.
	for i := range columns {
		p.places = append(p.places, &p.cells[i])
	}
	for i := range columns {
		if tuple, ok := columns[i].TypeInfo.(gocql.TupleTypeInfo); ok {
			columns[i].TypeInfo = opaque
			for range len(tuple.Elems) - 1 {
				p.places = append(p.places, nil)
			}
		}
	}
	return p, nil
}

// page implements row.Page on one page of the driver's iterator.
type page struct {
	iter   *gocql.Iter
	state  []byte
	cells  []cell
	places []any
	values [][]byte
	read   int
	err    error
}

func (p *page) Next() bool {
	if p.err != nil || p.read == p.iter.NumRows() {
		return false
	}
	if !p.iter.Scan(p.places...) {
		p.err = fault.New(fault.Permanent, fmt.Errorf("decoding row %d of a page: %w", p.read+1, p.iter.Close()))
		return false
	}
	p.read++
	for i := range p.cells {
		p.values[i] = p.cells[i].bytes
	}
	return true
}

func (p *page) Cells() [][]byte { return p.values }
func (p *page) Rows() int       { return p.iter.NumRows() }
func (p *page) State() []byte   { return p.state }
func (p *page) Err() error      { return p.err }

// Close drops the error on purpose: a page has been received whole before it is
// handed out, and decoding errors are kept by Next.
func (p *page) Close() { _ = p.iter.Close() }
