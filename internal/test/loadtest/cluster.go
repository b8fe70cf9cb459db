// Package loadtest has a cluster in memory, jobs that load texts into it, and journals, for tests
// of loads. The cluster applies rows as a server does, and checks each request.
//
// Start with [NewJob]. Set Answer of its [Cluster] to make requests fail.
package loadtest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Request is one call of a writer of a cluster.
type Request struct {
	Host string
	Rows []row.Row
	IDs  []int // of the rows, from the column "id", where there is one
}

// Version is a value with the timestamp it was written with.
type Version struct {
	Value string
	Stamp int64
}

// Cluster plays the database: it applies rows as the server does, and records the requests. The
// highest timestamp of a column wins. Its numbers are read after the load, or with Mu locked.
type Cluster struct {
	Limits cql.Limits // that requests must keep
	Router *write.Router
	// Answer decides what becomes of a request; nil: the cluster applies all of them.
	Answer func(ctx context.Context, r Request) (applied bool, err error)

	table   *schema.Table
	counter bool

	Mu       sync.Mutex // guards what follows
	Requests int
	Writers  int
	Cells    map[string]map[string]Version // by key, by column
	Sent     map[int]int                   // by id: requests it was in
	Applied  map[int]int                   // by id: times it was applied
	Acked    map[int]int                   // by id: requests that were acknowledged
	Largest  int                           // rows of the largest request
	Stamps   []int64
	Broken   []string // rules that a request broke
}

func newCluster(table *schema.Table) *Cluster {
	return &Cluster{
		table:   table,
		Limits:  BatchLimits,
		Router:  write.NewRouter(nil, nil, nil),
		counter: table.IsCounter(),
		Cells:   map[string]map[string]Version{},
		Sent:    map[int]int{},
		Applied: map[int]int{},
		Acked:   map[int]int{},
	}
}

// clusterWriter writes some columns to the cluster.
type clusterWriter struct {
	c       *Cluster
	columns []schema.Column
}

// Writer returns a writer of some columns: NewWriter of [cql.Options].
func (c *Cluster) Writer(columns []schema.Column) cql.Writer {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Writers++
	return &clusterWriter{c, columns}
}

// Idempotent reports whether the table has no counters.
func (w *clusterWriter) Idempotent() bool { return !w.c.counter }

// Write asks Answer what becomes of rows, and applies them.
func (w *clusterWriter) Write(ctx context.Context, host string, rows []row.Row) error {
	r := Request{Host: host, Rows: rows, IDs: w.ids(rows)}
	w.c.Mu.Lock()
	w.c.Requests++
	w.check(r)
	for _, id := range r.IDs {
		w.c.Sent[id]++
	}
	w.c.Mu.Unlock()
	applied, err := true, error(nil)
	if w.c.Answer != nil {
		applied, err = w.c.Answer(ctx, r)
	}
	w.c.Mu.Lock()
	defer w.c.Mu.Unlock()
	if applied {
		w.apply(r)
	}
	if err == nil {
		for _, id := range r.IDs {
			w.c.Acked[id]++
		}
	}
	return err
}

// ids reads the ids of rows.
func (w *clusterWriter) ids(rows []row.Row) []int {
	at := slices.IndexFunc(w.columns, func(c schema.Column) bool { return c.Name == "id" })
	if at < 0 {
		return nil
	}
	var ids []int
	for _, r := range rows {
		if r.Cells[at].State == row.Set {
			ids = append(ids, int(int32(binary.BigEndian.Uint32(r.Cells[at].Bytes))))
		}
	}
	return ids
}

// apply stores rows as the server would.
func (w *clusterWriter) apply(r Request) {
	for _, row1 := range r.Rows {
		w.c.Stamps = append(w.c.Stamps, row1.Timestamp)
		key := ""
		for i, col := range w.columns {
			if col.IsKey() {
				key += fmt.Sprintf("%s=%x ", col.Name, row1.Cells[i].Bytes)
			}
		}
		cells := w.c.Cells[key]
		if cells == nil {
			cells = map[string]Version{}
			w.c.Cells[key] = cells
		}
		for i, col := range w.columns {
			old, ok := cells[col.Name]
			if row1.Cells[i].State == row.Set && (!ok || row1.Timestamp > old.Stamp) {
				cells[col.Name] = Version{string(row1.Cells[i].Bytes), row1.Timestamp}
			}
		}
	}
	for _, id := range r.IDs {
		w.c.Applied[id]++
	}
}

// What a server counts for a row, a cell and an element of a list, besides their bytes.
const (
	rowOverhead     = 48
	cellOverhead    = 24
	elementOverhead = 40
)

// check records that a request breaks the limits or mixes replicas.
func (w *clusterWriter) check(r Request) {
	broken := func(format string, args ...any) {
		w.c.Broken = append(w.c.Broken, fmt.Sprintf(format, args...))
	}
	w.c.Largest = max(w.c.Largest, len(r.Rows))
	if len(r.Rows) == 0 || len(r.Rows) > w.c.Limits.MaxRows {
		broken("request of %d rows", len(r.Rows))
	}
	keys := map[string]bool{}
	var set *write.Replicas
	size := 0
	for _, one := range r.Rows {
		size += rowOverhead
		var parts [][]byte
		for _, k := range w.c.table.OfKind(schema.PartitionKey) {
			i := slices.IndexFunc(w.columns, func(c schema.Column) bool { return c.Name == k.Name })
			parts = append(parts, one.Cells[i].Bytes)
		}
		for i, c := range one.Cells {
			if c.State == row.Set {
				size += cellOverhead + len(c.Bytes)
				if t := w.columns[i].Type; t.Kind == cqltype.List && !t.Frozen {
					size += elementOverhead * int(binary.BigEndian.Uint32(c.Bytes))
				}
			}
		}
		key := token.AppendKey(nil, parts...)
		keys[string(key)] = true
		_, s := w.c.Router.Route(key)
		if set != nil && s != set {
			broken("request mixes replicas %v and %v", set.Hosts, s.Hosts)
		}
		set = s
	}
	if len(set.Hosts) > 0 && !slices.Contains(set.Hosts, r.Host) {
		broken("request for %v went to %q", set.Hosts, r.Host)
	}
	if len(r.Rows) == 1 {
		return
	}
	if len(keys) > 1 && (len(keys) > w.c.Limits.Partitions || size > w.c.Limits.Bytes) {
		broken("request of %d partitions and %d bytes", len(keys), size)
	}
	if len(keys) == 1 && size > w.c.Limits.PartitionBytes {
		broken("request of one partition and %d bytes", size)
	}
}

// Failure returns an error that a server answers with.
func Failure(class fault.Class, text string) error {
	return &fault.Error{Class: class, Err: errors.New(text), Answered: true}
}
