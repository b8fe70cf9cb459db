package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// request is one call of a fake writer.
type request struct {
	host string
	rows []row.Row
	ids  []int // of the rows, from the column "id", where there is one
}

// version is a value with the timestamp it was written with.
type version struct {
	value string
	stamp int64
}

// cluster plays the database: it applies rows the way the server does, the
// highest timestamp of a column winning, and keeps a record of the requests.
type cluster struct {
	t       testing.TB
	table   *schema.Table
	limits  cql.Limits
	router  *write.Router
	counter bool
	// answer decides what becomes of a request; nil takes everything.
	answer func(ctx context.Context, r request) (applied bool, err error)

	mu       sync.Mutex
	requests int
	writers  int
	cells    map[string]map[string]version // by key, by column
	sent     map[int]int                   // by id: requests it was in
	applied  map[int]int                   // by id: times it was applied
	acked    map[int]int                   // by id: requests that were acknowledged
	biggest  int                           // rows of the biggest request
	stamps   []int64
	broken   []string // rules that a request broke
}

func newCluster(t testing.TB, table *schema.Table) *cluster {
	return &cluster{
		t:       t,
		table:   table,
		limits:  testLimits,
		router:  write.NewRouter(nil, nil, nil),
		counter: table.IsCounter(),
		cells:   map[string]map[string]version{},
		sent:    map[int]int{},
		applied: map[int]int{},
		acked:   map[int]int{},
	}
}

var testLimits = cql.Limits{MaxRows: 100, Partitions: 10, Bytes: 5 << 10, PartitionBytes: 64 << 10}

var testRowLimits = ingest.Limits{MaxMutationBytes: 16 << 20}

// fakeWriter writes some columns to the cluster.
type fakeWriter struct {
	c       *cluster
	columns []schema.Column
}

func (c *cluster) writer(columns []schema.Column) cql.Writer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writers++
	return &fakeWriter{c, columns}
}

func (w *fakeWriter) Idempotent() bool { return !w.c.counter }

func (w *fakeWriter) Write(ctx context.Context, host string, rows []row.Row) error {
	r := request{host: host, rows: rows, ids: w.ids(rows)}
	w.c.mu.Lock()
	w.c.requests++
	w.check(r)
	for _, id := range r.ids {
		w.c.sent[id]++
	}
	w.c.mu.Unlock()
	applied, err := true, error(nil)
	if w.c.answer != nil {
		applied, err = w.c.answer(ctx, r)
	}
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	if applied {
		w.apply(r)
	}
	if err == nil {
		for _, id := range r.ids {
			w.c.acked[id]++
		}
	}
	return err
}

// ids reads the ids of rows.
func (w *fakeWriter) ids(rows []row.Row) []int {
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

// apply takes rows over as the server would.
func (w *fakeWriter) apply(r request) {
	for _, row1 := range r.rows {
		w.c.stamps = append(w.c.stamps, row1.Timestamp)
		key := ""
		for i, col := range w.columns {
			if col.IsKey() {
				key += fmt.Sprintf("%s=%x ", col.Name, row1.Cells[i].Bytes)
			}
		}
		cells := w.c.cells[key]
		if cells == nil {
			cells = map[string]version{}
			w.c.cells[key] = cells
		}
		for i, col := range w.columns {
			old, ok := cells[col.Name]
			if row1.Cells[i].State == row.Set && (!ok || row1.Timestamp > old.stamp) {
				cells[col.Name] = version{string(row1.Cells[i].Bytes), row1.Timestamp}
			}
		}
	}
	for _, id := range r.ids {
		w.c.applied[id]++
	}
}

// What a server counts for a row, a cell and an element of a list, besides their bytes.
const (
	rowOverhead     = 48
	cellOverhead    = 24
	elementOverhead = 40
)

// check tells when a request breaks the limits or mixes replicas.
func (w *fakeWriter) check(r request) {
	broken := func(format string, args ...any) {
		w.c.broken = append(w.c.broken, fmt.Sprintf(format, args...))
	}
	w.c.biggest = max(w.c.biggest, len(r.rows))
	if len(r.rows) == 0 || len(r.rows) > w.c.limits.MaxRows {
		broken("request of %d rows", len(r.rows))
	}
	keys := map[string]bool{}
	var set *write.Replicas
	size := 0
	for _, one := range r.rows {
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
		_, s := w.c.router.Route(key)
		if set != nil && s != set {
			broken("request mixes replicas %v and %v", set.Hosts, s.Hosts)
		}
		set = s
	}
	if len(set.Hosts) > 0 && !slices.Contains(set.Hosts, r.host) {
		broken("request for %v went to %q", set.Hosts, r.host)
	}
	if len(r.rows) == 1 {
		return
	}
	if len(keys) > 1 && (len(keys) > w.c.limits.Partitions || size > w.c.limits.Bytes) {
		broken("request of %d partitions and %d bytes", len(keys), size)
	}
	if len(keys) == 1 && size > w.c.limits.PartitionBytes {
		broken("request of one partition and %d bytes", size)
	}
}

// recorder keeps rejects.
type recorder struct {
	mu      sync.Mutex
	rejects []ingest.Reject
	long    []int // those of them that came in pieces
	fail    error // what Add returns
}

func (r *recorder) Add(rejects []ingest.Reject) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rej := range rejects {
		if rej.Long {
			continue // its bytes have come
		}
		rej.Raw = bytes.Clone(rej.Raw)
		r.rejects = append(r.rejects, rej)
	}
	return r.fail
}

func (r *recorder) AddPiece(rej ingest.Reject, first, _ bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first {
		r.long = append(r.long, len(r.rejects))
		r.rejects = append(r.rejects, rej)
		r.rejects[len(r.rejects)-1].Raw = nil
	}
	whole := &r.rejects[r.long[len(r.long)-1]]
	whole.Raw = append(whole.Raw, rej.Raw...)
	return r.fail
}

// sorted gives the rejects in the order of the input.
func (r *recorder) sorted() []ingest.Reject {
	slices.SortFunc(r.rejects, func(a, b ingest.Reject) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return int(a.Offset - b.Offset)
	})
	return r.rejects
}

// forgetful is a journal that keeps rejects and nothing else.
type forgetful struct{ rejects ingest.Rejects }

func (forgetful) EarlierTotals() ingest.Tally { return ingest.Tally{} }
func (forgetful) EarlierPiece(int, int64) (ingest.Piece, ingest.PieceState) {
	return ingest.Piece{}, ingest.PieceNew
}
func (forgetful) Seen(int) int64                       { return 0 }
func (forgetful) ResumePoint(int) (ingest.Piece, bool) { return ingest.Piece{}, false }
func (forgetful) NextTimestamp() int64                 { return 0 }
func (forgetful) Begin(...ingest.Piece) error          { return nil }

func (j forgetful) Complete(_ ingest.Piece, _ ingest.Tally, rejects []ingest.Reject) error {
	if len(rejects) == 0 {
		return nil
	}
	return j.rejects.Add(rejects)
}

// quick is a backoff that does not hold a test up.
var quick = pace.Backoff{Base: time.Nanosecond, Max: time.Nanosecond}

// text is an input that holds a text.
func text(name, s string) ingest.Input {
	return ingest.Input{
		Name: name,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil },
	}
}

// newJob makes a job that loads texts into a fake cluster.
func newJob(t testing.TB, table *schema.Table, texts ...string) (*Job, *cluster, *recorder) {
	c, r := newCluster(t, table), &recorder{}
	job := &Job{
		Job: ingest.Job{
			Table:           table,
			Format:          dsv.DefaultFormat,
			Header:          true,
			Router:          c.router,
			Limits:          testRowLimits,
			Rejects:         r,
			Counters:        &progress.Counters{},
			MaxParseErrors:  -1,
			MaxInsertErrors: -1,
		},
		CQL: cql.Options{NewWriter: c.writer, Limits: testLimits, InFlight: 4, Backoff: quick},
	}
	for i, s := range texts {
		job.Inputs = append(job.Inputs, text(fmt.Sprintf("file%d.csv", i+1), s))
	}
	return job, c, r
}

// counts leaves the numbers of a result that do not hang on time or on hashes.
func counts(r Result) Result {
	r.Sum = rowsum.Sum{}
	return r
}

// mustRun runs a job that must come to its end, and checks the sums.
func mustRun(t testing.TB, job *Job, c *cluster) Result {
	t.Helper()
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Empty(t, c.broken)
	require.Equal(
		t,
		result.Read,
		result.Written+result.Existing+result.Rejected()+result.InDoubt,
		"%+v",
		result,
	)
	require.Equal(t, result.Written, job.Counters.Rows.Load())
	require.Equal(t, result.Rejected(), job.Counters.Rejected.Load())
	return result
}

// ring makes a router of some nodes, and the sets of replicas that two of them
// make.
func ring(t testing.TB, nodes, vnodes int) *write.Router { return ringOf(t, nodes, vnodes, 2) }

// ringOf is ring with so many replicas.
func ringOf(t testing.TB, nodes, vnodes, replicas int) *write.Router {
	t.Helper()
	var list []token.Node
	for i := range nodes {
		n := token.Node{ID: fmt.Sprintf("node%d", i), DC: "dc1", Rack: "r1"}
		for v := range vnodes {
			n.Tokens = append(n.Tokens, token.Murmur3.Hash(fmt.Appendf(nil, "%d/%d", i, v)))
		}
		list = append(list, n)
	}
	r, err := token.NewRing(token.Murmur3, list)
	require.NoError(t, err)
	strategy, err := token.ParseStrategy(
		map[string]string{"class": "SimpleStrategy", "replication_factor": strconv.Itoa(replicas)},
	)
	require.NoError(t, err)
	placement := r.Place(strategy)
	return write.NewRouter(token.Murmur3, placement, func(v int) []string {
		var ids []string
		for _, n := range placement.Replicas(v) {
			ids = append(ids, r.Nodes()[n].ID)
		}
		return ids
	})
}

func typed(name string, kind schema.Kind, position int, cql string) schema.Column {
	t, err := cqltype.Parse(
		cql,
		func(string) (*cqltype.Type, error) { return nil, errors.New("no user types") },
	)
	if err != nil {
		panic(err)
	}
	return schema.Column{Name: name, Kind: kind, Position: position, Type: t}
}

// The tables of the tests.
var (
	events = schema.New("demo", "events", []schema.Column{
		typed("k", schema.PartitionKey, 0, "int"),
		typed("c", schema.Clustering, 0, "int"),
		typed(
			"id",
			schema.Regular,
			0,
			"int",
		),
		typed("v", schema.Regular, 0, "text"),
		typed("l", schema.Regular, 0, "list<int>"),
	})
	names = schema.New("demo", "names", []schema.Column{
		typed(
			"k",
			schema.PartitionKey,
			0,
			"text",
		),
		typed("v", schema.Regular, 0, "text"),
		typed("n", schema.Regular, 0, "int"),
	})
	hits = schema.New("demo", "hits", []schema.Column{
		typed("id", schema.PartitionKey, 0, "int"), typed("n", schema.Regular, 0, "counter"),
	})
	sensors = schema.New("demo", "sensors", []schema.Column{
		typed("a", schema.PartitionKey, 0, "text"), typed("b", schema.PartitionKey, 1, "text"),
		typed("c", schema.Clustering, 0, "int"), typed("d", schema.Clustering, 1, "int"),
		typed("s", schema.Static, 0, "text"), typed("v", schema.Regular, 0, "text"),
	})
)

// failure is an error that a server answers with.
func failure(class fault.Class, text string) error {
	return &fault.Error{Class: class, Err: errors.New(text), Answered: true}
}
