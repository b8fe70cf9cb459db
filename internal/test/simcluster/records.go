package simcluster

import (
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Cell is what a table holds in one place.
type Cell struct {
	Value     []byte // nil: null
	Timestamp int64  // microseconds; 0 of a key column, or if it never was written
	TTL       int    // seconds; 0: none
	Expires   int64  // seconds since the epoch; 0 without a TTL
}

func (c cell) exported() Cell { return Cell{c.value, c.timestamp, c.ttl, c.expires} }

// Record is a row of a table.
type Record struct {
	Token  token.Token
	Cells  []Cell // in the order of SELECT *
	Marker Cell   // the row's liveness; its value is nil if the row was not inserted
}

// Records lists the rows that a table holds now, as SELECT * returns them, in the order of tokens;
// nil if there is no such table. The name is that of keyspace and table with a dot between.
func (c *Cluster) Records(table string) []Record {
	if t := c.schema.named(table); t != nil {
		return t.records()
	}
	return nil
}

// Held lists the rows that one node holds of a table, in the order of tokens; nil if there is no
// such table. It requires [Options.Replicated].
func (c *Cluster) Held(node int, table string) []Record {
	if t := c.schema.named(table); t != nil {
		return c.layout.Load().nodes[node].own(t).records()
	}
	return nil
}

func (t *table) records() []Record {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var records []Record
	for _, p := range t.partitions {
		p.each(0, func(v view) bool {
			r := Record{Token: p.at, Cells: make([]Cell, len(t.cols))}
			for i := range t.cols {
				r.Cells[i] = v.cell(&t.cols[i]).exported()
			}
			if v.l != nil {
				r.Marker = v.l.marker.exported()
			}
			records = append(records, r)
			return true
		})
	}
	return records
}

// Columns lists the columns of a table in the order of SELECT *; nil when there is
// no such table.
func (c *Cluster) Columns(table string) []Column {
	t := c.schema.named(table)
	if t == nil {
		return nil
	}
	var columns []Column
	for _, col := range t.cols {
		columns = append(columns, Column{col.name, col.kind, col.text, col.desc})
	}
	return columns
}

// Tables lists the full names of the tables, sorted.
func (c *Cluster) Tables() []string {
	var names []string
	for _, t := range c.schema.list() {
		names = append(names, t.fullName())
	}
	slices.Sort(names)
	return names
}

func (s *catalog) named(full string) *table {
	keyspace, name, _ := strings.Cut(full, ".")
	return s.find(keyspace, name)
}

// Row is a row of the table that a cluster without [Options.Tables] has.
type Row struct {
	Key   int64
	Value string // empty: null
	Token token.Token
}

// Rows lists the rows of the table of [Options.Table] in the order of their tokens, with what was
// written to it; none if there are [Options.Tables].
func (c *Cluster) Rows() []Row {
	if c.plain == nil {
		return nil
	}
	var rows []Row
	for _, r := range c.Records(c.plain.fullName()) {
		rows = append(
			rows,
			Row{
				Key:   cqlwire.Int(r.Cells[0].Value),
				Value: string(r.Cells[1].Value),
				Token: r.Token,
			},
		)
	}
	return rows
}
