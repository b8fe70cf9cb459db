package operation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/records"
)

// drops asks when columns of the table were dropped. Without a cluster it returns nil: that is not
// known.
func (t *tableSession) drops(ctx context.Context) (drops records.Drops, err error) {
	if !t.connected() {
		return nil, nil
	}
	err = insist(ctx, func() error {
		times, err := t.session.Dropped(ctx, t.table.Keyspace, t.table.Name)
		drops = records.DropsOf(times)
		return err
	})
	return drops, err
}

// readded names a column of the table that was dropped, since the times in then, and added again;
// empty: there is none.
func (t *tableSession) readded(then, now records.Drops) string {
	if then == nil {
		return ""
	}
	for _, column := range slices.Sorted(maps.Keys(now)) {
		if _, there := t.table.Column(column); there && now[column] > then[column] {
			return fmt.Sprintf("column %q of table %s was dropped at %s and added again", column, t.table, now[column].Time().Format(time.RFC3339))
		}
	}
	return ""
}

// refuseDropped refuses to continue a run after a column was dropped and added again. Servers hide the
// values of the column that have a timestamp before the drop: those that the run wrote or read before
// it, and rows that the run would write again with their timestamps.
func (t *tableSession) refuseDropped(ctx context.Context, then records.Drops, anew string) error {
	now, err := t.drops(ctx)
	if err != nil {
		return err
	}
	if what := t.readded(then, now); what != "" {
		return fmt.Errorf("%s after the run began: its values from before that are gone, and the run cannot go on; %s", what, anew)
	}
	return nil
}

// What to do about a column that was dropped and added again.
const (
	loadAnew = "load all inputs anew with cqlbulk load, in a run directory of its own"
	scanAnew = "scan the table anew"
)

// droppedMeanwhile returns an error if a column was dropped and added again while rows were loaded. If
// no node tells, the load reports that and counts as done.
func (l *Load) droppedMeanwhile(ctx context.Context) error {
	if l.spec.DryRun {
		return nil
	}
	now, err := l.t.drops(ctx)
	if err != nil {
		l.env.Warn("not checked whether a column was dropped while rows were loaded: %v", err)
		return nil
	}
	if what := l.t.readded(l.dropped, now); what != "" {
		return refused(fmt.Errorf("%s while rows were loaded: values that were written before that are null; %s", what, loadAnew))
	}
	return nil
}
