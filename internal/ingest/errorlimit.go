package ingest

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// LeastShared is the number of rows that are read before a limit in percent may stop a run. So a
// bad row among the first ones does not stop it. At the end of a run there is no least number.
const LeastShared = 1000

// LimitError is the error of a run that stopped because too many rows were rejected. Those rows are
// among the rejects.
type LimitError struct {
	Stage     Stage   // where they were rejected
	Limit     int64   // that was passed, if it is no share
	Percent   float64 // the share of rows that was passed; 0: the limit is none
	Rejected  int64   // rows, of a limit in percent
	Read      int64   // rows that Rejected is a share of
	NearlyAll bool    // the limit is not the user's: nearly all rows were rejected at the stage
}

func (e *LimitError) Error() string {
	switch {
	case e.NearlyAll:
		return fmt.Sprintf(
			"stopped: hardly a row was good, most were rejected with %s errors",
			e.Stage,
		) // the report counts them
	case e.Percent > 0:
		return fmt.Sprintf(
			"stopped: %s for %s, more than %s%%",
			human.Of(e.Rejected, string(e.Stage)+" error"),
			human.Of(e.Read, "row"),
			strconv.FormatFloat(e.Percent, 'f', -1, 64),
		)
	default:
		return "stopped: more than " + human.Of(e.Limit, string(e.Stage)+" error")
	}
}

// Is reports whether other is write.ErrEnough.
func (e *LimitError) Is(other error) bool { return other == write.ErrEnough }

// errorLimit counts the rows rejected at one stage. It is safe for concurrent use.
type errorLimit struct {
	stage   Stage
	most    int64   // negative: no limit in rows
	percent float64 // of the rows read, in place of most; 0: no limit in percent
	seen    atomic.Int64
}

// set reports whether there is a limit.
func (l *errorLimit) set() bool { return l.most >= 0 || l.percent > 0 }

// add counts rows, and returns a *LimitError if there are too many. The caller gives the number of
// rows that were read so far. Some of these may not be parsed or written yet, and may be good. So a
// limit in percent stops a run only if the share of all rows read is above it.
func (l *errorLimit) add(rows, read int64) error {
	n := l.seen.Add(rows)
	switch {
	case l.percent == 0 && l.most >= 0 && n > l.most:
		return &LimitError{Stage: l.stage, Limit: l.most}
	case read >= LeastShared:
		return l.checkShare(n, read)
	default:
		return nil
	}
}

// checkShare returns a *LimitError if the rejected rows are too large a share of those read.
func (l *errorLimit) checkShare(rejected, read int64) error {
	const rounding = 1e-6 // of the product; a row is 100
	if l.percent == 0 || float64(rejected)*100 <= l.percent*float64(read)+rounding {
		return nil
	}
	return &LimitError{Stage: l.stage, Percent: l.percent, Rejected: rejected, Read: read}
}

// checkParseShare checks the limit in percent when all rows are parsed, however few there are. The
// last rows are not written yet, so a load that is stopped can be resumed.
func (r *run) checkParseShare() error {
	return r.parseErrors.checkShare(r.parseErrors.seen.Load(), r.countRead())
}

// checkInsertShare checks the limit in percent when all rows are written or rejected.
func (r *run) checkInsertShare() error {
	return r.insertErrors.checkShare(r.insertErrors.seen.Load(), r.countRead())
}

// countRead returns the number of rows that were read so far, by earlier runs, too.
func (r *run) countRead() int64 {
	return r.earlierRead + r.acceptance.cut.Load() + r.acceptance.lines.Load()
}
