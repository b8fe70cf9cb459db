package table

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
)

// Drops asks when columns of the table were dropped. Without a cluster it returns nil: not known.
func (t *Table) Drops(ctx context.Context) (drops records.Drops, err error) {
	if !t.Connected() {
		return nil, nil
	}
	err = AskAll(ctx, func() error {
		times, err := t.Session.Dropped(ctx, t.Schema.Keyspace, t.Schema.Name)
		drops = records.DropsOf(times)
		return err
	})
	return drops, err
}

// HiddenUntil maps columns to the time of their last drop, in microseconds since the epoch. Without
// a cluster the times are those of the schema that was read, if it has them.
func (t *Table) HiddenUntil(drops records.Drops) map[string]int64 {
	if t.Connected() {
		return drops.Micros()
	}
	times := make(map[string]int64)
	for _, d := range t.Dropped {
		if d.Time != reconcile.Forever {
			times[d.Name] = max(times[d.Name], d.Time)
		}
	}
	return times
}

// Readded describes a column that the table had when it was opened, and that was dropped after the
// times in then. Since the table was opened after the drop, the column was added again. Readded is
// empty if there is no such column.
func (t *Table) Readded(then, now records.Drops) string {
	if then == nil {
		return ""
	}
	for _, column := range slices.Sorted(maps.Keys(now)) {
		if _, there := t.Schema.Column(column); there && now[column] > then[column] {
			return fmt.Sprintf(
				"column %q of table %s was dropped at %s",
				column,
				t.Schema,
				now[column].Time().Format(time.RFC3339),
			)
		}
	}
	return ""
}

// RefuseDropped refuses to continue a run after a column was dropped and added again. Servers hide
// the values of the column with a timestamp before the drop. These are the values that the run
// wrote or read before the drop, and those that it would write again with their old timestamps. The
// advice says what to do instead.
func (t *Table) RefuseDropped(ctx context.Context, then records.Drops, advice string) error {
	now, err := t.Drops(ctx)
	if err != nil {
		return err
	}
	if what := t.Readded(then, now); what != "" {
		return fmt.Errorf(
			"%s and added again, after the run began: "+
				"its values from before that are gone, and the run cannot be resumed; %s",
			what,
			advice,
		)
	}
	return nil
}
