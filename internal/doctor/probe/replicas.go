package probe

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// downShown is the number of nodes that are named.
const downShown = 5

// AwaitReplicas warns if too few replicas are up for the consistency level of a load by CQL. If no
// row can be written for that, it waits for the patience, and then refuses to begin: each row would
// be rejected. It refuses at once where there are too few nodes anyway. If only some rows cannot be
// written, the load rejects these and writes all others.
func AwaitReplicas(
	ctx context.Context,
	env spec.Environment,
	t *table.Table,
	o *spec.Load,
) error {
	short := Replication(t, o.DC).Short()
	if short == nil || !unavailable(ctx, t, short.Ranges) {
		return nil
	}
	if short.Forever() && len(short.Ranges) == short.All {
		return table.ErrTooManyReplicas(
			t.Consistency,
			short.Need,
			short.Most,
			t.Replication,
			len(t.Cluster.Nodes),
		)
	}
	var down []string
	for _, n := range short.Down[:min(len(short.Down), downShown)] {
		down = append(down, n.Address)
	}
	what := fmt.Sprintf("%s, and too few are up: %s", short.Waits(), strings.Join(down, ", "))
	if more := len(short.Down) - downShown; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	what += " " + human.Verb(len(short.Down), "is", "are") + " down"
	if len(short.Ranges) < short.All {
		env.Warn(
			"%s: rows of %s of %s are rejected unless they come back soon; all others are written",
			what,
			human.Count(len(short.Ranges)),
			human.Of(short.All, "token range"),
		)
		return nil
	}
	env.Warn(
		"%s: no row can be written; the load waits up to %s for them (--patience)",
		what,
		o.Patience,
	)
	begun := time.Now()
	for attempt := 1; ; attempt++ {
		if err := pace.Sleep(ctx, pace.Backoff{Max: mostWait}.Delay(attempt)); err != nil {
			return fault.New(fault.Canceled, err)
		}
		missing := unavailable(ctx, t, short.Ranges)
		if err := ctx.Err(); err != nil {
			return fault.New(fault.Canceled, err)
		}
		if !missing {
			env.Warn("enough replicas are up: the load begins")
			return nil
		}
		if time.Since(begun) >= o.Patience {
			return fault.New(
				fault.Fatal,
				fmt.Errorf(
					"%s: nothing was written; start nodes, or give another --%s",
					what,
					spec.ConsistencyFlag,
				),
			)
		}
	}
}

// mostWait is the longest time between two questions whether enough replicas are up.
const mostWait = time.Second

// samples is the number of token ranges that are asked for.
const samples = 3

// unavailable reports whether nodes answer for each of some ranges that too few replicas are up.
// The nodes may be connected to replicas that this host is not connected to.
func unavailable(ctx context.Context, t *table.Table, ranges []token.Range) bool {
	p := t.Plan.Partitioner()
	if p == nil {
		return false
	}
	key := t.Schema.OfKind(schema.PartitionKey)[0]
	selection, err := t.Schema.Selectors([]string{key.Name})
	if err != nil {
		return false
	}
	reader := t.Session.Reader(t.Schema, driver.Columns(selection), p)
	var enough atomic.Bool
	var asking sync.WaitGroup
	for i := 0; i < len(ranges); i += max(len(ranges)/samples, 1) {
		asking.Go(func() {
			if !answersUnavailable(ctx, t, reader, ranges[i]) {
				enough.Store(true)
			}
		})
	}
	asking.Wait()
	return !enough.Load()
}

// answersUnavailable reports whether too few replicas of a range are up. It asks local nodes in
// turn until one returns rows, or answers that too few are up.
func answersUnavailable(
	ctx context.Context,
	t *table.Table,
	reader *driver.Reader,
	within token.Range,
) bool {
	asked := 0
	for _, n := range t.Cluster.Local() {
		if !n.Up || asked == table.Asks {
			continue
		}
		asked++
		page, err := reader.Page(ctx, n.ID, within, nil, 1)
		if err == nil {
			page.Close()
			return false
		}
		if driver.Unavailable(err) {
			return true
		}
	}
	return false
}
