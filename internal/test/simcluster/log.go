package simcluster

import (
	"slices"
	"sync"

	"github.com/datastax/go-cassandra-native-protocol/primitive"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Request is a statement that came to a node.
type Request struct {
	Number    int    // from 1 on, of those that faults may meet; 0: not of them
	Node      int    // index of the node
	Shard     int    // that the connection belongs to
	Table     string // keyspace and name, with a dot between
	Statement string // of a batch the first one
	// Range is the token range of a read of a table; the zero Range for a read
	// of all of it and for anything else.
	Range    token.Range
	Paged    bool // a page after the first
	PageSize int  // rows asked for; 0: all
	Rows     int  // rows answered with, or rows to be written
	// Keys are the tokens of the rows to be written.
	Keys        []token.Token
	Consistency primitive.ConsistencyLevel
	Prepare     bool  // it is only prepared
	Fault       Fault // that it met
}

// Applied is a row that was written: by an INSERT, by what an UPDATE added to it, or, column by
// column, by a stream.
type Applied struct {
	Number       int // of the request; 0 of a stream
	Node         int // index of the node
	Table        string
	Token        token.Token
	Key          [][]byte     // the partition key
	Clustering   [][]byte     // empty when only static columns were written
	Sets         []AppliedSet // of columns outside of the key, without those that were unset
	Timestamp    int64        // microseconds since the epoch
	TTL          int          // seconds; 0: none
	Expires      int64        // seconds since the epoch; 0 without a TTL
	Acknowledged bool         // the node answered that it was done
}

// AppliedSet is a column with its new value, or of a counter what was added.
type AppliedSet struct {
	Column string
	Value  []byte // nil: deleted
}

// Write is a row that was written to the table of [Options.Table].
type Write struct {
	Key       int64
	Value     []byte // nil is null, or unset
	Timestamp int64  // microseconds since the epoch
}

// log is what the nodes wrote down.
type log struct {
	mu       sync.Mutex
	requests []Request
	applied  []appliedRow
}

// appliedRow is a row that was written, before a test asks for it.
type appliedRow struct {
	request      int
	node         int
	mutation     *mutation
	acknowledged bool
}

func (l *log) request(r Request) { l.write(r, nil, false) }

func (l *log) write(r Request, rows []*mutation, acknowledged bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r)
	for _, m := range rows {
		l.applied = append(l.applied, appliedRow{r.Number, r.Node, m, acknowledged})
	}
}

// Requests lists the statements that came, in the order in which the nodes completed them. It
// includes those that were answered with an error of Options.Refuse or a fault. It does not include
// statements that are only prepared, nor those that the nodes had to refuse by themselves.
func (c *Cluster) Requests() []Request {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return slices.Clone(c.log.requests)
}

// Applied lists the rows written, in the order in which it was done.
func (c *Cluster) Applied() []Applied {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	all := make([]Applied, 0, len(c.log.applied))
	for _, row := range c.log.applied {
		all = append(all, row.mutation.exported(row.request, row.node, row.acknowledged))
	}
	return all
}

// exported returns the mutation as a test sees it.
func (m *mutation) exported(request, node int, acknowledged bool) Applied {
	a := Applied{
		Number:       request,
		Node:         node,
		Table:        m.table.fullName(),
		Token:        m.at,
		Key:          m.key,
		Clustering:   m.cluster,
		Timestamp:    m.timestamp,
		TTL:          m.ttl,
		Expires:      m.expires,
		Acknowledged: acknowledged,
	}
	for _, s := range m.sets {
		a.Sets = append(a.Sets, AppliedSet{m.table.cols[s.column].name, s.value})
	}
	return a
}

// Written lists the rows written to the table of [Options.Table], in the order in
// which it was done.
func (c *Cluster) Written() []Write {
	var writes []Write
	for _, a := range c.Applied() {
		if c.plain == nil || a.Table != c.plain.fullName() {
			continue
		}
		w := Write{Key: cqlwire.Int(a.Key[0]), Timestamp: a.Timestamp}
		for _, s := range a.Sets {
			w.Value = s.Value
		}
		writes = append(writes, w)
	}
	return writes
}

// Forget empties the lists of requests and of rows written; the rows stay.
func (c *Cluster) Forget() {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.log.requests, c.log.applied = nil, nil
}
