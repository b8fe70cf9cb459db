package scan

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var brief = pace.Backoff{Base: time.Microsecond, Max: 20 * time.Microsecond}

func int32Cell(n int32) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// placed is a partitioner for keys whose first eight bytes are the token.
type placed struct{ token.Partitioner }

func (placed) Hash(key []byte) token.Token { return token.Token{Lo: binary.BigEndian.Uint64(key)} }

var ring = placed{token.Murmur3}

// The columns of the tests' table: a partition key, a number, a text.
func tableColumns(t testing.TB) []schema.Selector { return tabletest.Selectors("blob", "int", "text") }

// partition is a number of rows with one key at one place on the ring, with texts of one width.
// Several partitions may have the same place.
type partition struct {
	at          uint64
	rows, width int
}

// tableOf makes a table of these partitions, in the order of the ring.
func tableOf(partitions ...partition) *sweeptest.Table {
	slices.SortStableFunc(
		partitions,
		func(a, b partition) int { return (token.Token{Lo: a.at}).Compare(token.Token{Lo: b.at}) },
	)
	table := &sweeptest.Table{}
	n := 0
	for i, p := range partitions {
		key := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, p.at), uint32(i))
		for range p.rows {
			text := strings.Repeat(string(rune('a'+n%26)), p.width)
			table.Rows = append(
				table.Rows,
				sweeptest.Row{
					Token: token.Token{Lo: p.at},
					Cells: [][]byte{key, int32Cell(int32(n)), []byte(text)},
				},
			)
			n++
		}
	}
	return table
}

// numbered makes a table of n partitions of one row.
func numbered(n, width int) *sweeptest.Table {
	partitions := make([]partition, n)
	for i := range partitions {
		partitions[i] = partition{^uint64(0)/uint64(n)*uint64(i) + 1, 1, width}
	}
	return tableOf(partitions...)
}

// mixed makes a table of random partitions: most of them small, some of many rows, some at the
// place of another.
func mixed(r *rand.Rand, n, width int) *sweeptest.Table {
	var partitions []partition
	for range n {
		at := 1 + r.Uint64N(^uint64(0)-1)
		for range 1 + r.IntN(6)/5 {
			rows := 1 + r.IntN(3)
			if r.IntN(15) == 0 {
				rows = 1 + r.IntN(120)
			}
			partitions = append(partitions, partition{at, rows, r.IntN(width + 1)})
		}
	}
	return tableOf(partitions...)
}

// output is the output of the workers. Its values must not have line breaks.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	most int // rows of one write
	fail func(rows int, text []byte) error

	misuse error
}

func (o *output) Write(rows int, text []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail != nil {
		if err := o.fail(rows, text); err != nil {
			return err
		}
	}
	if rows < 1 || bytes.Count(text, []byte{'\n'}) != rows || text[len(text)-1] != '\n' {
		o.misuse = fmt.Errorf("%d rows are said to be in %q", rows, text)
	}
	o.most = max(o.most, rows)
	o.text.Write(text)
	return nil
}

func (o *output) lines() []string {
	all := strings.Split(o.text.String(), "\n")
	return all[:len(all)-1]
}

// newJob makes a scan of the tests' table by some workers.
func newJob(t testing.TB, table *sweeptest.Table, workers int) (*Job, *output) {
	out := &output{}
	columns := tableColumns(t)
	sum := Checksum{Cells: []int{0, 1, 2}}
	for _, c := range columns {
		sum.Types = append(sum.Types, c.Type)
	}
	return &Job{
		Reader:      table,
		Splits:      sweeptest.Splits(20, rand.New(rand.NewPCG(1, 2))),
		Sweep:       sweep.Options{Workers: workers, PageRows: 7, Backoff: brief},
		Output:      delimited(t, columns),
		NewWriter:   func() Writer { return out },
		Checksum:    sum,
		Partitioner: ring,
		Key:         []int{0},
		Counters:    &progress.Counters{},
	}, out
}

// delimited returns the output of columns as CSV.
func delimited(t testing.TB, columns []schema.Selector) format.Output {
	o, err := format.Delimited{Format: dsv.DefaultFormat}.Output(columns, format.OutputOptions{})
	require.NoError(t, err)
	return o
}

// jsonLines returns the output of columns as JSON lines.
func jsonLines(t testing.TB, columns []schema.Selector) format.Output {
	o, err := format.JSON{}.Output(columns, format.OutputOptions{})
	require.NoError(t, err)
	return o
}

// lineOf returns the line of a row.
func lineOf(r sweeptest.Row) string {
	text := string(r.Cells[2])
	if text == "" {
		text = `""`
	}
	return fmt.Sprintf("0x%x,%d,%s", r.Cells[0], int32(binary.BigEndian.Uint32(r.Cells[1])), text)
}

// within lists the rows of some ranges; a zero Range has all.
func within(table *sweeptest.Table, ranges []token.Range) []sweeptest.Row {
	var rows []sweeptest.Row
	for _, r := range table.Rows {
		for _, in := range ranges {
			if in == (token.Range{}) || in.Contains(r.Token) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// requireRows checks that output, number, checksum and counters are those of exactly these rows.
func requireRows(t *testing.T, job *Job, rows []sweeptest.Row, out *output, result Result) {
	t.Helper()
	require.NoError(t, out.misuse)
	var want []string
	var sum rowsum.Sum
	hasher := job.Checksum.hasher()
	for _, r := range rows {
		want = append(want, lineOf(r))
		sum = sum.Add(hasher.row(r.Cells))
	}
	got := out.lines()
	slices.Sort(got)
	slices.Sort(want)
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i])
	}
	require.EqualValues(t, len(rows), result.Rows)
	require.Equal(t, sum, result.Sum)
	require.EqualValues(t, len(rows), job.Counters.Rows.Load())
	require.EqualValues(t, out.text.Len(), job.Counters.Bytes.Load())
	if job.WriteRows > 0 {
		require.LessOrEqual(t, int64(out.most), job.WriteRows)
	}
}

// requireEmpty checks that a folder is empty.
func requireEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// faults fails requests at random with retryable errors, often out of ten times.
func faults(seed uint64, often int) func(context.Context, sweeptest.Request) error {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(seed, 77))
	classes := []fault.Class{fault.Unknown, fault.Unknown, fault.Transient, fault.Overloaded}
	return func(context.Context, sweeptest.Request) error {
		mu.Lock()
		defer mu.Unlock()
		if r.IntN(10) < often {
			return &fault.Error{
				Class:    classes[r.IntN(len(classes))],
				Err:      errors.New("no answer"),
				Answered: true,
			}
		}
		return nil
	}
}
