package driver

import (
	"context"
	"errors"
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
	partitioner token.Partitioner // nil: the table has no token ranges
	table       string            // as in CQL
	stmt        string
	columns     int
}

// Query is what a reader selects.
type Query struct {
	Select         []string // as CQL
	Where          string   // condition besides the token range, as CQL; empty: none
	AllowFiltering bool
	GroupBy        []string // as CQL
	PerPartition   int64    // rows of each partition, at most; 0: all
	Distinct       bool     // each partition once
}

// Columns returns the query for the selectors.
func Columns(selection []schema.Selector) Query {
	var q Query
	for _, s := range selection {
		q.Select = append(q.Select, s.CQL)
	}
	return q
}

// Count returns the query that returns one row of one bigint for each range: its number of rows.
func Count() Query { return Query{Select: []string{"count(*)"}} }

// Reader makes a reader of a table. Without a partitioner the table is read as one range.
func (s *Session) Reader(t *schema.Table, q Query, p token.Partitioner) *Reader {
	var where []string
	if p != nil {
		var key []string
		for _, c := range t.OfKind(schema.PartitionKey) {
			key = append(key, cqltype.QuoteIdent(c.Name))
		}
		of := "token(" + strings.Join(key, ", ") + ")"
		where = append(where, of+" > ?", of+" <= ?")
	}
	return &Reader{
		s:           s,
		partitioner: p,
		table:       t.String(),
		stmt:        q.statement(t, where),
		columns:     len(q.Select),
	}
}

// statement returns the SELECT whose rows meet conditions, besides that of the query.
func (q Query) statement(t *schema.Table, where []string) string {
	stmt := "SELECT "
	if q.Distinct {
		stmt += "DISTINCT "
	}
	stmt += strings.Join(q.Select, ", ") + " FROM " + t.String()
	if q.Where != "" {
		where = append(where, q.Where)
	}
	if len(where) > 0 {
		stmt += " WHERE " + strings.Join(where, " AND ")
	}
	if len(q.GroupBy) > 0 {
		stmt += " GROUP BY " + strings.Join(q.GroupBy, ", ")
	}
	if q.PerPartition > 0 {
		stmt += fmt.Sprintf(" PER PARTITION LIMIT %d", q.PerPartition)
	}
	if q.AllowFiltering {
		stmt += " ALLOW FILTERING"
	}
	return stmt
}

// Statement returns the CQL text that is prepared.
func (r *Reader) Statement() string { return r.stmt }

// Open returns the range: reading by CQL needs nothing before the first page.
func (r *Reader) Open(_ context.Context, within token.Range) (token.Range, error) {
	return within, nil
}

// Page reads one page of a range from the given node (any node if host is empty). The state is
// empty for the first page, and else the paging state of the page before. It requests rows rows.
// The page may have fewer: only an empty paging state ends the range. If the node does not exist or
// is down, the error comes at once and has class Transient. On ScyllaDB, the range's first token
// selects the shard.
func (r *Reader) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	var values []any
	if r.partitioner != nil {
		start := cell{r.partitioner.AppendWire(nil, within.Start)}
		end := cell{r.partitioner.AppendWire(nil, within.End)}
		values = []any{&start, &end}
	}
	return r.s.page(ctx, host, r.table, firstToken(within), r.stmt, values, r.columns, state, rows)
}

// page requests a page of a statement whose rows have the given number of columns. See
// [Reader.Page].
func (s *Session) page(
	ctx context.Context,
	host, table string,
	at token.Token,
	stmt string,
	values []any,
	selected int,
	state []byte,
	rows int,
) (row.Page, error) {
	ctx, err := s.chooseNode(ctx, host, table, at)
	if err != nil {
		return nil, err
	}
	// The metadata comes with every page, so that a change of the table shows.
	q := s.query(stmt, values).
		WithContext(ctx).
		Idempotent(true).
		PageSize(rows).
		PageState(state).
		NoSkipMetadata()
	iter := q.Iter()
	columns := iter.Columns()
	if len(columns) != selected {
		if err := iter.Close(); err != nil {
			return nil, classify(ctx, err)
		}
		if len(columns) == 0 {
			return nil, fault.New(
				fault.Unknown,
				errors.New("the server answered a query without rows"),
			)
		}
		return nil, fault.New(
			fault.Permanent,
			fmt.Errorf(
				"the server answered with %d columns instead of %d: the table was altered",
				len(columns),
				selected,
			),
		)
	}
	p := &page{
		iter:   iter,
		state:  iter.PageState(),
		cells:  make([]cell, selected),
		values: make([][]byte, selected),
	}
	for i := range p.cells {
		p.places = append(p.places, &p.cells[i])
	}
	return p, nil
}

// page implements [row.Page] for one page of the driver's iterator.
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
		p.err = fault.New(
			fault.Permanent,
			fmt.Errorf("decoding row %d of a page: %w", p.read+1, p.iter.Close()),
		)
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

// Close drops the error on purpose: a page was received completely before it is returned, and Next
// keeps decoding errors.
func (p *page) Close() { _ = p.iter.Close() }
