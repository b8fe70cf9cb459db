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
	"github.com/cqlbulk/cqlbulk/internal/sweep/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// brief is a wait that tests do not feel; forever one that they would.
var (
	brief   = pace.Backoff{Base: time.Microsecond, Max: 20 * time.Microsecond}
	forever = pace.Backoff{Base: time.Hour, Max: time.Hour}
)

var (
	errTransient  = fault.New(fault.Transient, errors.New("bootstrapping"))
	errOverloaded = fault.New(fault.Overloaded, errors.New("too much"))
	errUnknown    = fault.New(fault.Unknown, errors.New("no answer in time"))
	errPermanent  = fault.New(fault.Permanent, errors.New("syntax error"))
	errFatal      = fault.New(fault.Fatal, errors.New("no such user"))
)

// taker is a consumer for all workers that keeps what it is given.
type taker struct {
	mu   sync.Mutex
	rows map[token.Range][]string
}

func (k *taker) consumer() (Consumer, error) { return k.take, nil }

func (k *taker) take(within token.Range, p row.Page) error {
	var rows []string
	for p.Next() {
		rows = append(rows, string(p.Cells()[0]))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rows == nil {
		k.rows = make(map[token.Range][]string)
	}
	k.rows[within] = append(k.rows[within], rows...)
	return nil
}

// requireRows checks that each range that is done gave exactly its rows, in
// their order, and that a range that failed gave no row twice.
func (k *taker) requireRows(t *testing.T, table *sweeptest.Table, result Result) {
	t.Helper()
	want := func(within token.Range) []string {
		var rows []string
		for _, r := range table.Rows {
			if within.Contains(r.Token) {
				rows = append(rows, string(r.Cells[0]))
			}
		}
		return rows
	}
	for _, within := range result.Done {
		require.Equal(t, want(within), k.rows[within])
	}
	for _, f := range result.Failed {
		all, got := want(f.Range), k.rows[f.Range]
		require.LessOrEqual(t, len(got), len(all))
		if len(got) > 0 {
			require.Equal(t, all[:len(got)], got)
		}
	}
}

// requireCover checks that what is done and what failed are together the plan.
func requireCover(t *testing.T, splits []token.Split, result Result) {
	t.Helper()
	all := append([]token.Range(nil), result.Done...)
	for _, f := range result.Failed {
		require.Error(t, f.Err)
		all = append(all, f.Range)
	}
	for _, s := range splits {
		var in []token.Range
		for _, r := range all {
			if s.Range.Contains(r.End) {
				in = append(in, r)
			}
		}
		require.NoError(t, token.Cover(token.Murmur3, s.Range, in))
	}
}

// one is a plan of a single split.
func one(within token.Range) []token.Split { return []token.Split{{Range: within}} }

// fixed is a list of hosts for every range.
func fixed(hosts ...string) func(int) []string { return func(int) []string { return hosts } }

// hostsOf lists the hosts of requests in order.
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

// bg is the context of tests that end by themselves.
func bg() context.Context { return context.Background() }
