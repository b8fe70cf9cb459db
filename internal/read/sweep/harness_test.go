package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// brief is a wait that tests do not notice; forever is one that they would.
var (
	brief   = pace.Backoff{Base: time.Microsecond, Max: 20 * time.Microsecond}
	forever = pace.Backoff{Base: time.Hour, Max: time.Hour}
)

var (
	errTransient = &fault.Error{
		Class:    fault.Transient,
		Err:      errors.New("bootstrapping"),
		Answered: true,
	}
	errOverloaded = &fault.Error{
		Class:    fault.Overloaded,
		Err:      errors.New("too much"),
		Answered: true,
	}
	errUnknown = &fault.Error{
		Class:    fault.Unknown,
		Err:      errors.New("no answer in time"),
		Answered: true,
	}
	errPermanent = fault.New(fault.Permanent, errors.New("syntax error"))
	errFatal     = fault.New(fault.Fatal, errors.New("no such user"))
)

// taker makes consumers that keep rows as a scan does. A row is kept for good when its range is
// done, or is cut behind its token. All workers share it.
type taker struct {
	at map[string]token.Token // token of each row, by name; nil: consumers report no progress

	mu     sync.Mutex
	rows   map[token.Range][]string // by range that is done
	misuse error
}

// take makes a taker for a table's rows.
func take(table *sweeptest.Table) *taker {
	k := blind()
	k.at = make(map[string]token.Token, len(table.Rows))
	for _, r := range table.Rows {
		k.at[string(r.Cells[0])] = r.Token
	}
	return k
}

// blind makes a taker whose consumers report no progress.
func blind() *taker { return &taker{rows: make(map[token.Range][]string)} }

func (k *taker) consumer() (Consumer, error) { return &taking{taker: k}, nil }

// taking is the consumer of one worker.
type taking struct {
	taker  *taker
	busy   bool // in the middle of range within
	within token.Range
	rows   []string
}

func (c *taking) Page(within token.Range, p row.Page) error {
	c.enter(within)
	for p.Next() {
		c.rows = append(c.rows, string(p.Cells()[0]))
	}
	return nil
}

// enter records that a range begins or continues. A range must not begin before the one before it
// has ended.
func (c *taking) enter(within token.Range) {
	if c.busy && c.within != within {
		c.taker.mu.Lock()
		defer c.taker.mu.Unlock()
		c.taker.misuse = fmt.Errorf("%v came before %v ended", within, c.within)
	}
	c.busy, c.within = true, within
}

func (c *taking) Done(within token.Range) error {
	c.enter(within)
	c.keep(within, len(c.rows))
	return nil
}

// whole returns the number of rows of complete partitions, and the token where they end.
func (c *taking) whole(within token.Range) (int, token.Token) {
	if c.taker.at == nil || len(c.rows) == 0 {
		return 0, within.Start
	}
	n := len(c.rows)
	current := c.taker.at[c.rows[n-1]]
	for n > 0 && c.taker.at[c.rows[n-1]] == current {
		n--
	}
	if n == 0 {
		return 0, within.Start
	}
	return n, c.taker.at[c.rows[n-1]]
}

func (c *taking) Progress(within token.Range) token.Token {
	_, last := c.whole(within)
	return last
}

func (c *taking) Weight() (int64, bool) { return 0, false }

func (c *taking) Cut(within token.Range) error {
	c.enter(within)
	n, last := c.whole(within)
	if n == 0 {
		c.busy, c.rows = false, nil
		return nil
	}
	c.keep(token.Range{Start: within.Start, End: last}, n)
	return nil
}

func (c *taking) keep(done token.Range, rows int) {
	c.taker.mu.Lock()
	defer c.taker.mu.Unlock()
	if _, twice := c.taker.rows[done]; twice {
		c.taker.misuse = fmt.Errorf("%v is done twice", done)
	}
	c.taker.rows[done] = c.rows[:rows]
	c.busy, c.rows = false, nil
}

// requireRows checks that each range that is done gave exactly its rows, in order, and that no
// other range gave any.
func (k *taker) requireRows(t *testing.T, table *sweeptest.Table, result Result) {
	t.Helper()
	require.NoError(t, k.misuse)
	for _, within := range result.Done {
		var want []string
		for _, r := range table.Rows {
			if within.Contains(r.Token) || within == (token.Range{}) {
				want = append(want, string(r.Cells[0]))
			}
		}
		got, ok := k.rows[within]
		require.True(t, ok)
		require.Len(t, got, len(want))
		if len(want) > 0 {
			require.Equal(t, want, got)
		}
	}
	require.Len(t, k.rows, len(result.Done))
}

// requireCover checks that the done and failed ranges are together the plan.
func requireCover(t *testing.T, splits []token.Split, result Result) {
	t.Helper()
	all := append([]token.Range(nil), result.Done...)
	for _, f := range result.Failed {
		require.Error(t, f.Err)
		all = append(all, f.Range)
	}
	var planned []token.Range
	for _, s := range splits {
		planned = append(planned, s.Range)
	}
	for _, p := range token.Merge(planned) {
		var in []token.Range
		for _, r := range all {
			if p.Contains(r.End) {
				in = append(in, r)
			}
		}
		require.NoError(t, token.Cover(token.Murmur3, p, in))
	}
}

// one returns a plan of a single split.
func one(within token.Range) []token.Split { return []token.Split{{Range: within}} }

// fixed returns Options.Hosts with the same hosts for every range.
func fixed(hosts ...string) func(int) []string { return func(int) []string { return hosts } }

// hostsOf returns the hosts of requests, in order.
func hostsOf(requests []sweeptest.Request) []string {
	var hosts []string
	for _, r := range requests {
		hosts = append(hosts, r.Host)
	}
	return hosts
}

// failTimes fails the first n requests for a page of each range.
func failTimes(err error, page, n int) func(context.Context, sweeptest.Request) error {
	var mu sync.Mutex
	failed := make(map[string]int)
	return func(_ context.Context, r sweeptest.Request) error {
		mu.Lock()
		defer mu.Unlock()
		key := fmt.Sprint(r.Within, r.Page)
		if r.Page != page || failed[key] == n {
			return nil
		}
		failed[key]++
		return err
	}
}

// rowsOf returns the numbers of rows that were requested.
func rowsOf(requests []sweeptest.Request) []int {
	var rows []int
	for _, r := range requests {
		rows = append(rows, r.Rows)
	}
	return rows
}

// withPage is a consumer with a single method.
type withPage func(within token.Range, p row.Page) error

func (f withPage) Page(within token.Range, p row.Page) error { return f(within, p) }
func (f withPage) Done(token.Range) error                    { return nil }
func (f withPage) Progress(within token.Range) token.Token   { return within.Start }
func (f withPage) Cut(token.Range) error                     { return nil }
func (f withPage) Weight() (int64, bool)                     { return 0, false }

// bg is the context of tests that end on their own.
func bg() context.Context { return context.Background() }
