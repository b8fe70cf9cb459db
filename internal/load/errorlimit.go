package load

import (
	"fmt"
	"sync/atomic"
)

// LimitError says that a run was stopped since too many rows were rejected. Those
// rows are among the rejects.
type LimitError struct {
	Stage Stage // where they were rejected
	Limit int64 // that was passed
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("stopped: more than %d %s errors", e.Limit, e.Stage)
}

// errorLimit counts the rows rejected at one stage. It is safe for concurrent use.
type errorLimit struct {
	stage Stage
	most  int64 // negative: no limit
	seen  atomic.Int64
}

// add counts rows and says whether they are too many.
func (l *errorLimit) add(rows int64) error {
	if n := l.seen.Add(rows); l.most >= 0 && n > l.most {
		return &LimitError{l.stage, l.most}
	}
	return nil
}
