package operation

import (
	"context"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/run"
)

// What to do about a column that was dropped and added again.
const (
	loadFromStart = "load all inputs again with cqlbulk load, in a run directory of its own"
	scanFromStart = "scan the table again, with --force"
)

// droppedMeanwhile returns an error if a column was dropped and added again while rows were loaded.
// If no node can say, the load warns of that and counts as done.
func (l *Load) droppedMeanwhile(ctx context.Context) error {
	if l.spec.DryRun {
		return nil
	}
	now, err := l.t.Drops(ctx)
	if err != nil {
		l.env.Warn("not checked whether a column was dropped while rows were loaded: %v", err)
		return nil
	}
	if what := l.t.Readded(l.dropped, now); what != "" {
		return run.Refused(
			fmt.Errorf(
				"%s while rows were loaded: values that were written before that are null; %s",
				what,
				loadFromStart,
			),
		)
	}
	return nil
}

// gone reports whether the table was dropped. It does not if no node can say.
func (l *Load) gone(ctx context.Context) bool {
	_, err := l.t.Session.Table(ctx, l.t.Schema.Keyspace, l.t.Schema.Name)
	return errors.Is(err, driver.ErrNotFound)
}

// droppedMeanwhile returns the error of a scan, which is err if no column was dropped while rows
// were read. Else a scan that failed cannot be resumed, and a scan that is done warns.
func (s *Scan) droppedMeanwhile(ctx context.Context, err error) error {
	now, unknown := s.t.Drops(ctx)
	if unknown != nil {
		return err
	}
	what := s.t.Readded(s.begunWith.Dropped, now)
	switch {
	case what == "":
		return err
	case err == nil:
		s.env.Warn("%s while rows were read: rows that were read after that lack its values", what)
		return nil
	}
	return run.Refused(
		fmt.Errorf(
			"%s while rows were read: the scan cannot be resumed; %s (%w)",
			what,
			scanFromStart,
			err,
		),
	)
}
