package ingest

import (
	"fmt"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// LimitError is the error of a run that stopped because too many rows were rejected. Those rows are
// among the rejects.
type LimitError struct {
	Stage     Stage // where they were rejected
	Limit     int64 // that was passed
	NearlyAll bool  // the limit is not the user's: nearly all rows were rejected at the stage
}

func (e *LimitError) Error() string {
	if e.NearlyAll {
		return fmt.Sprintf(
			"stopped: hardly a row was good, most were rejected with %s errors",
			e.Stage,
		) // the report counts them
	}
	return "stopped: more than " + human.Of(e.Limit, string(e.Stage)+" error")
}

// Is reports whether other is write.ErrEnough.
func (e *LimitError) Is(other error) bool { return other == write.ErrEnough }

// errorLimit counts the rows rejected at one stage. It is safe for concurrent use.
type errorLimit struct {
	stage Stage
	most  int64 // negative: no limit
	seen  atomic.Int64
}

// add counts rows, and returns a *LimitError if there are too many.
func (l *errorLimit) add(rows int64) error {
	if n := l.seen.Add(rows); l.most >= 0 && n > l.most {
		return &LimitError{Stage: l.stage, Limit: l.most}
	}
	return nil
}
