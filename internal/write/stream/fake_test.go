package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// readings is the table of the tests.
var readings = schema.New("demo", "readings", []schema.Column{
	tabletest.Column("k", schema.PartitionKey, 0, "int"),
	tabletest.Column("c", schema.Clustering, 0, "int"),
	tabletest.Column(
		"s",
		schema.Static,
		0,
		"text",
	),
	tabletest.Column("v", schema.Regular, 0, "text"),
	tabletest.Column("l", schema.Regular, 0, "list<int>"),
})

// ring places the token ranges of three nodes, two replicas of each.
func ring(t testing.TB) (*token.Placement, []string) {
	t.Helper()
	var nodes []token.Node
	var ids []string
	for i := range 3 {
		n := token.Node{ID: fmt.Sprintf("node%d", i), DC: "dc1", Rack: "r1"}
		for v := range 8 {
			n.Tokens = append(n.Tokens, token.Murmur3.Hash(fmt.Appendf(nil, "%d/%d", i, v)))
		}
		nodes, ids = append(nodes, n), append(ids, n.ID)
	}
	r, err := token.NewRing(token.Murmur3, nodes)
	require.NoError(t, err)
	strategy, err := token.ParseStrategy(
		map[string]string{"class": "SimpleStrategy", "replication_factor": "2"},
	)
	require.NoError(t, err)
	return r.Place(strategy), ids
}

// nodes takes files as nodes would.
type nodes struct {
	t      testing.TB
	o      *Options
	fail   func(node string, attempt int) error // of a file, after a part of it was read
	codec  *sstable.Codec
	resent bool // rows may come more than once

	mu       sync.Mutex
	attempts map[string]int
	files    int
	rows     map[string]map[string]string // by node: what it has, by key and clustering
}

// Send is a method of Sender.
func (n *nodes) Send(ctx context.Context, node string, f File) error {
	n.mu.Lock()
	n.attempts[node]++
	attempt := n.attempts[node]
	n.mu.Unlock()
	if n.fail != nil {
		if err := n.fail(node, attempt); err != nil {
			_, _ = io.CopyN(io.Discard, f.Open(), f.Bytes/2)
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return n.take(node, f)
}

// take reads a file: its partitions must be in order, and the node's own.
func (n *nodes) take(node string, f File) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.files++
	if n.rows[node] == nil {
		n.rows[node] = map[string]string{}
	}
	d := sstable.NewDecoder(n.codec, io.LimitReader(f.Open(), f.Bytes), 1<<20)
	last, partitions, end := token.Murmur3.Min(), int64(0), int64(0)
	for {
		item, err := d.Next()
		if errors.Is(err, io.EOF) {
			require.Equal(n.t, f.Keys, partitions)
			require.Equal(n.t, f.Bytes, end)
			return nil
		}
		require.NoError(n.t, err)
		end = d.End()
		switch item {
		case sstable.PartitionStart:
			at := token.Murmur3.Hash(d.Key())
			require.True(n.t, last.Less(at), "a partition is out of order")
			require.Contains(n.t, n.o.replicas(n.o.Placement.Find(at)), node)
			last, partitions = at, partitions+1
		case sstable.StaticRow, sstable.RegularRow:
			r := d.Row()
			place := strconv.Itoa(int(int32(binary.BigEndian.Uint32(d.Key()))))
			if r.Static {
				place += " static"
			} else {
				place += fmt.Sprintf(" %d", int32(binary.BigEndian.Uint32(r.Clustering[0])))
			}
			if r.Static && r.Empty() {
				continue
			}
			if !n.resent {
				require.NotContains(n.t, n.rows[node], place, "a row comes twice")
			}
			columns, text := n.codec.Schema().Table().Regulars, ""
			if r.Static {
				columns = n.codec.Schema().Table().Statics
			}
			for _, c := range r.Cells {
				text += fmt.Sprintf("%s=%x@%d ", columns[c.Column].Name, c.Value, c.Timestamp)
			}
			n.rows[node][place] = text
		}
	}
}

// pieces count what becomes of rows.
type pieces struct {
	mu              sync.Mutex
	written, freed  int
	rejected        []string
	sum             rowsum.Sum
	writtenTooEarly bool
	mayBeWritten    func() bool
	known           map[int64]*write.Row // by their timestamps
}

func (p *pieces) Begun() bool                        { return false }
func (p *pieces) NotApplied(*write.Row, error) error { return nil }
func (p *pieces) Ready(int)                          {}

// rejects is the number of rows that were rejected.
func (p *pieces) rejects() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.rejected)
}

// Find is a method of write.Piece: it finds the rows of known.
func (p *pieces) Find(_ context.Context, stamp int64) (*write.Row, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[stamp], nil
}

func (p *pieces) Written(rows int, sum rowsum.Sum) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written += rows
	p.sum = p.sum.Add(sum)
	p.writtenTooEarly = p.writtenTooEarly || p.mayBeWritten != nil && !p.mayBeWritten()
	return nil
}

func (p *pieces) Reject(_ *write.Row, _ write.Outcome, reason error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rejected = append(p.rejected, reason.Error())
	return nil
}

func (p *pieces) Release(rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.freed += rows
}

// keyOf is the partition key of a row.
func keyOf(k int32) []byte { return binary.BigEndian.AppendUint32(nil, uint32(k)) }

// reading is a row of the table of the tests.
func reading(p write.Tracker, k, c int32, v string, stamp int64) *write.Row {
	key := keyOf(k)
	return &write.Row{
		Row: row.Row{
			Cells: []row.Cell{
				{
					Bytes: key,
					State: row.Set,
				},
				{Bytes: binary.BigEndian.AppendUint32(nil, uint32(c)), State: row.Set},
				{},
				{},
				{Bytes: []byte(v), State: row.Set},
			},
			Timestamp: stamp, Token: token.Murmur3.Hash(key),
		},
		Tracker: p, Sum: rowsum.Sum{Lo: uint64(stamp)},
	}
}

// newTarget makes a target of small buffers and files, and the nodes that it sends to.
func newTarget(t testing.TB, set func(*Options)) (*Target, *nodes) {
	t.Helper()
	o := Options{
		Table:     readings,
		Clock:     func() time.Time { return time.Unix(1_700_000_000, 0) },
		Timestamp: 1_700_000_000_000_000,
		Memory:    16 << 10,
		FileBytes: 8 << 10,
		Dir:       t.TempDir(),
		Sessions:  2,
		Backoff:   pace.Backoff{Base: time.Microsecond, Max: time.Millisecond},
	}
	o.Placement, o.Nodes = ring(t)
	n := &nodes{t: t, attempts: map[string]int{}, rows: map[string]map[string]string{}}
	for _, id := range o.Nodes {
		n.rows[id] = map[string]string{}
	}
	o.Sender = n
	if set != nil {
		set(&o)
	}
	target, err := New(o)
	require.NoError(t, err)
	n.codec, n.o = target.codec, &target.o
	return target, n
}

// load gives rows to a target from two goroutines, in pieces, and runs it.
func load(t testing.TB, tg *Target, rows []*write.Row) error {
	t.Helper()
	in := tg.Intake(readings.Columns)
	var putting sync.WaitGroup
	for half := range 2 {
		putting.Go(func() {
			for i := half * 50; i < len(rows); i += 100 {
				if err := in.Put(context.Background(), rows[i:min(i+50, len(rows))]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	putting.Wait()
	tg.Finish()
	return tg.Run(context.Background())
}

// many returns rows of so few keys that most keys come several times, the last time with the latest
// timestamp. It also returns the final content of the table.
func many(p write.Tracker, n int) (rows []*write.Row, last map[string]string) {
	random := rand.New(rand.NewPCG(5, 6))
	last = make(map[string]string)
	for i := range n {
		k, c, v := random.Int32N(int32(n/8)), random.Int32N(3), fmt.Sprintf("value %d", i)
		stamp := int64(1_700_000_000_000_000 + i)
		rows = append(rows, reading(p, k, c, v, stamp))
		last[fmt.Sprintf("%d %d", k, c)] = fmt.Sprintf("v=%x@%d ", v, stamp)
	}
	return rows, last
}
