package read_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/read"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

var (
	orders = spec.TableName{Keyspace: "shop", Table: "orders"}
	quiet  = spec.Environment{Warn: func(string, ...any) {}}
)

const rows = 1000

// orderRows is the table as CSV. The row of the changed customer has another number of pieces.
func orderRows(changed int) string {
	text := []byte("customer,number,pieces\n")
	for i := range rows {
		pieces := i
		if i == changed {
			pieces = -1
		}
		text = fmt.Appendf(text, "%s,1,%d\n", customer(i), pieces)
	}
	return string(text)
}

func customer(i int) string { return fmt.Sprint("customer", i) }

// startCluster starts a cluster with the table. The seed decides the nodes' tokens.
func startCluster(t *testing.T, nodes int, seed uint64) spec.Connection {
	t.Helper()
	c, err := simcluster.Start(simcluster.Options{
		Base: simcluster.Anywhere, Keyspace: "shop", Nodes: nodes, Seed: seed, Cores: 1,
		Storage: func(int, *internodetest.Node) {},
		Tables: []simcluster.Table{{Name: "orders", Columns: []simcluster.Column{
			{Name: "customer", Kind: simcluster.PartitionKey, Type: "text"},
			{Name: "number", Kind: simcluster.Clustering, Type: "int"},
			{Name: "pieces", Type: "int"},
		}}},
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	conn := spec.NewConnection(spec.ReadConsistency)
	conn.Hosts, conn.Port = c.Hosts()[:1], c.Port()
	return conn
}

// load writes the table into a cluster, or as SSTables into a folder if one is named.
func load(t *testing.T, conn spec.Connection, text, folder string) {
	t.Helper()
	input := filepath.Join(t.TempDir(), "orders.csv")
	require.NoError(t, os.WriteFile(input, []byte(text), 0o600))
	settings := spec.NewLoad()
	settings.Connection, settings.Consistency = conn, spec.WriteConsistency
	settings.TableName, settings.Inputs, settings.NoJournal = orders, []string{input}, true
	if folder != "" {
		settings.Via, settings.Dir = spec.ViaFiles, folder
	}
	l, err := operation.PrepareLoad(t.Context(), quiet, *settings)
	require.NoError(t, err)
	defer l.Close()
	report, err := l.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, rows, report.Written)
}

// part is a range of tokens with its number of rows and their sum.
type part struct {
	within token.Range
	rows   int
	sum    rowsum.Sum
}

// sixteenths returns the parts of the ring, which have no rows yet.
func sixteenths() []part {
	parts := []part{{within: token.Whole(token.Murmur3)}}
	for range 4 {
		var halves []part
		for _, p := range parts {
			low, high, _ := token.Halve(p.within)
			halves = append(halves, part{within: low}, part{within: high})
		}
		parts = halves
	}
	return parts
}

// totals are the parts of a table, which the consumers of a sweep share.
type totals struct {
	mu    sync.Mutex
	parts []part
}

// consumer sums up the rows of ranges. It adds them to the totals when a range is complete.
type consumer struct {
	totals *totals
	hasher *rowsum.Hasher
	taken  []part // of the range that is read
}

func newConsumer(to *totals, types []*cqltype.Type) *consumer {
	return &consumer{totals: to, hasher: rowsum.New(types), taken: sixteenths()}
}

func (c *consumer) Page(_ token.Range, p row.Page) error {
	for p.Next() {
		at := token.Murmur3.Hash(p.Cells()[0])
		for i := range c.taken {
			if c.taken[i].within.Contains(at) {
				c.taken[i].rows++
				c.taken[i].sum = c.taken[i].sum.Add(c.hasher.Row(p.Cells()))
			}
		}
	}
	return p.Err()
}

func (c *consumer) Done(token.Range) error {
	c.totals.mu.Lock()
	defer c.totals.mu.Unlock()
	for i, p := range c.taken {
		c.totals.parts[i].rows += p.rows
		c.totals.parts[i].sum = c.totals.parts[i].sum.Add(p.sum)
	}
	c.taken = sixteenths()
	return nil
}

// Progress and Cut keep nothing of a range that is not complete.
func (c *consumer) Progress(within token.Range) token.Token { return within.Start }

func (c *consumer) Cut(token.Range) error {
	c.taken = sixteenths()
	return nil
}

func (c *consumer) Weight() (int64, bool) { return 0, false }

// sums sweeps a source.
func sums(ctx context.Context, source *files.Source) ([]part, error) {
	selection, err := source.Schema.Selectors(nil)
	if err != nil {
		return nil, err
	}
	var types []*cqltype.Type
	for _, s := range selection {
		types = append(types, s.Type)
	}
	to := &totals{parts: sixteenths()}
	result, err := sweep.Run(
		ctx,
		source.Plan.Splits,
		source.Reader(files.Wanted{
			Read:   selection,
			Query:  driver.Columns(selection),
			Memory: 64 << 20,
			Now:    time.Now(),
		}),
		sweep.Options{Workers: source.Plan.Parallel, Hosts: source.Plan.Hosts},
		func() (sweep.Consumer, error) { return newConsumer(to, types), nil },
	)
	if err != nil {
		return nil, err
	}
	if len(result.Failed) > 0 {
		return nil, result.Failed[0].Err
	}
	return to.parts, source.Plan.Check(result.Done)
}

// opening has the settings that a source is opened with.
type opening struct {
	reading spec.Reading
	conn    spec.Connection
}

// allSums opens all sources at once, sweeps them at once, and returns their sums.
func allSums(t *testing.T, openings ...opening) [][]part {
	t.Helper()
	sources := make([]*files.Source, len(openings))
	var group errgroup.Group
	for i, o := range openings {
		group.Go(func() (err error) {
			sources[i], err = read.Open(
				t.Context(), quiet, &o.reading, &o.conn, orders, plan.Options{}, "", time.Minute,
			)
			return err
		})
	}
	opened := group.Wait()
	for _, s := range sources {
		if s != nil {
			defer s.Close()
		}
	}
	require.NoError(t, opened)
	all := make([][]part, len(sources))
	group = errgroup.Group{}
	for i, s := range sources {
		group.Go(func() (err error) {
			all[i], err = sums(t.Context(), s)
			return err
		})
	}
	require.NoError(t, group.Wait())
	for _, parts := range all {
		total := 0
		for _, p := range parts {
			total += p.rows
		}
		require.Equal(t, rows, total)
	}
	return all
}

func byCQL(conn spec.Connection) opening {
	return opening{reading: spec.NewScan().Reading, conn: conn}
}

func byStreaming(conn spec.Connection) opening {
	o := byCQL(conn)
	o.reading.Via, o.reading.Listen = spec.ViaStream, "127.0.0.1:0"
	return o
}

// Tables of two clusters with other nodes and tokens are read at once. Where a row differs, so do
// the sums of its part.
func TestTwoClustersAtOnce(t *testing.T) {
	const changed = 321
	here, there := startCluster(t, 3, 1), startCluster(t, 5, 2)
	load(t, here, orderRows(-1), "")
	load(t, there, orderRows(changed), "")
	all := allSums(t, byCQL(here), byCQL(there))
	for i, p := range all[0] {
		if p.within.Contains(token.Murmur3.Hash([]byte(customer(changed)))) {
			require.Equal(t, p.rows, all[1][i].rows)
			require.NotEqual(t, p.sum, all[1][i].sum)
			continue
		}
		require.Equal(t, p, all[1][i])
	}
}

// Each source may be read in another way, of the same cluster or of another one.
func TestEachWayAtOnce(t *testing.T) {
	here, there := startCluster(t, 3, 1), startCluster(t, 4, 2)
	text := orderRows(-1)
	load(t, here, text, "")
	load(t, there, text, "")
	folder := filepath.Join(t.TempDir(), "kept")
	load(t, there, text, folder)
	schema := filepath.Join(t.TempDir(), "schema.cql")
	statement := strings.Join([]string{
		"CREATE TABLE shop.orders (customer text, number int, pieces int,",
		"PRIMARY KEY (customer, number));",
	}, " ")
	require.NoError(t, os.WriteFile(schema, []byte(statement), 0o600))
	kept := byCQL(here)
	kept.reading.Via, kept.reading.Schema = spec.ViaFiles, schema
	kept.reading.Inputs = []string{folder}
	all := allSums(
		t, byCQL(here), byCQL(here), byCQL(there), byStreaming(here), byStreaming(there), kept,
	)
	for _, parts := range all[1:] {
		require.Equal(t, all[0], parts)
	}
}

// Two sources that are streamed find a port each.
func TestStreamedTwiceByDefault(t *testing.T) {
	here, there := startCluster(t, 3, 1), startCluster(t, 4, 2)
	load(t, here, orderRows(-1), "")
	load(t, there, orderRows(-1), "")
	first, second := byStreaming(here), byStreaming(there)
	first.reading.Listen, second.reading.Listen = "", ""
	all := allSums(t, first, second)
	require.Equal(t, all[0], all[1])
}
