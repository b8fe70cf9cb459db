package simcluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Kind is the role of a column, by its name in system_schema.columns.
type Kind string

// The kinds of columns, in the order in which SELECT * lists them.
const (
	PartitionKey Kind = "partition_key"
	Clustering   Kind = "clustering"
	Static       Kind = "static"
	Regular      Kind = "regular"
)

var kinds = []Kind{PartitionKey, Clustering, Static, Regular}

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind   // empty: Regular
	Type string // as CQL: a native type, or a list, set, map or tuple of such
	Desc bool   // of a clustering column: the larger values come first
}

// Table describes a table and the rows that it starts with.
type Table struct {
	Keyspace string // empty: that of the Options
	Name     string
	Columns  []Column // key columns in the order of the PRIMARY KEY

	Partitions int // made from the seed
	// mean of the rows of a partition, default 1; most have fewer and a few many more
	Rows int
	// rows of one partition more, in tables with clustering columns; 0: there is none
	Largest int
	Text    int     // bytes of the longest text or blob, default 20
	Nulls   float64 // share of the cells outside of the key that are null

	// View names the base table of a materialized view, which is another of the tables; empty: it
	// is a table. A third of the generated rows of a view have ended: SSTables have them, with a
	// liveness that has expired and with cells, and CQL does not show them. The key has to have a
	// column that is not in the key of the base table.
	View string

	// TTL is the time to live, in seconds, of half of the rows that are made; 0: no row expires.
	TTL int

	// Indexes are custom ones, the class of each by its name. They are only in system_schema.
	Indexes map[string]string

	// Data are rows given instead of made: the bytes of each in the order of
	// Columns, nil for null.
	Data [][][]byte
}

// tableColumn is a column with what is needed to store and compare its values.
type tableColumn struct {
	column
	kind  Kind
	desc  bool
	cql   *cqltype.Type
	order *cqlorder.Order
	text  string // the type
	slot  int    // among the columns of its kind
}

// table is a table of the cluster with its rows. Its form never changes.
type table struct {
	relation // without rows
	cols     []tableColumn
	clusters int // number of clustering columns
	statics  int
	regulars int
	counter  bool
	view     string // its base table; empty: it is no view
	id       uuid

	mu         sync.RWMutex
	partitions []*partition         // by token, of one token by key
	truncated  int64                // when, in milliseconds since the epoch; 0: never
	dropped    map[string]time.Time // when columns were dropped and added again
}

// newTable checks a description. The columns stand in the order of SELECT *.
func newTable(spec Table, id uuid) (*table, error) {
	t := &table{
		relation: relation{keyspace: spec.Keyspace, name: spec.Name},
		id:       id,
		view:     spec.View,
	}
	sorted := slices.Clone(spec.Columns)
	for i := range sorted {
		sorted[i].Kind = cmp.Or(sorted[i].Kind, Regular)
	}
	slices.SortStableFunc(sorted, func(a, b Column) int {
		order := cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind))
		if order == 0 && (a.Kind == Static || a.Kind == Regular) {
			order = strings.Compare(a.Name, b.Name)
		}
		return order
	})
	counts := make(map[Kind]int)
	for _, c := range sorted {
		parsed, err := cqltype.Parse(c.Type, nil)
		if err != nil {
			return nil, fmt.Errorf("simcluster: column %s of table %s: %w", c.Name, spec.Name, err)
		}
		typ, err := dataType(parsed)
		if err != nil {
			return nil, fmt.Errorf("simcluster: column %s of table %s: %w", c.Name, spec.Name, err)
		}
		order, err := cqlorder.Plan(parsed)
		if err != nil {
			return nil, fmt.Errorf("simcluster: column %s of table %s: %w", c.Name, spec.Name, err)
		}
		if !slices.Contains(kinds, c.Kind) {
			return nil, fmt.Errorf(
				"simcluster: column %s of table %s: unknown kind %q",
				c.Name,
				spec.Name,
				c.Kind,
			)
		}
		plain := column{c.Name, typ, c.Kind == PartitionKey}
		t.columns = append(t.columns, plain)
		t.cols = append(
			t.cols,
			tableColumn{plain, c.Kind, c.Desc, parsed, order, c.Type, counts[c.Kind]},
		)
		counts[c.Kind]++
		t.counter = t.counter || parsed.Kind == cqltype.Counter
	}
	if counts[PartitionKey] == 0 {
		return nil, fmt.Errorf("simcluster: table %s has no partition key", spec.Name)
	}
	t.clusters, t.statics, t.regulars = counts[Clustering], counts[Static], counts[Regular]
	return t, nil
}

// truncate removes all rows. Of two truncations the second is later.
func (t *table) truncate(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.partitions = nil
	t.truncated = max(t.truncated+1, now.UnixMilli())
}

func (t *table) truncatedAt() int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.truncated
}

func (t *table) fullName() string { return t.keyspace + "." + t.name }
