package ingest

import "sync/atomic"

// A load stops if leastRejected rows were rejected at a stage, and there was less than one good row
// for every rejectedPerGood of them.
const (
	leastRejected   = 10_000
	rejectedPerGood = 100
)

// acceptance counts the rows that decide whether a load is stopped because it rejects nearly all of
// them. It is safe for concurrent use.
type acceptance struct {
	cut     atomic.Int64 // records that were cut and are to be parsed
	parsed  atomic.Int64 // of those, records that made rows
	refused atomic.Int64 // of those, records that made none
	lines   atomic.Int64 // lines that are no record
	written atomic.Int64 // rows that the cluster took, or had
	failed  atomic.Int64 // rows that it refused
}

// countParsed counts a chunk's records. It is called once for the whole chunk, so that bad records
// that come first do not decide.
func (r *run) countParsed(good, bad int) error {
	parsed := r.acceptance.parsed.Add(int64(good))
	return r.checkAcceptance(&r.parseErrors, r.acceptance.refused.Add(int64(bad)), parsed)
}

// countBrokenLine counts a line that is no record. Records that were cut before it and are not
// parsed yet may be good.
func (r *run) countBrokenLine() error {
	h := &r.acceptance
	return r.checkAcceptance(&r.parseErrors, h.lines.Add(1), h.cut.Load()-h.refused.Load())
}

// countTaken counts rows that the cluster took, or had already.
func (r *run) countTaken(n int) { r.acceptance.written.Add(int64(n)) }

// countRefused counts rows that the cluster refused. Rows that it did not answer for say nothing
// about the others.
func (r *run) countRefused(n int) error {
	failed := r.acceptance.failed.Add(int64(n))
	return r.checkAcceptance(&r.insertErrors, failed, r.acceptance.written.Load())
}

// checkAcceptance returns a *LimitError if nearly all rows were rejected at a stage.
func (r *run) checkAcceptance(l *errorLimit, bad, good int64) error {
	if r.job.KeepGoing || l.set() || bad < leastRejected || good*rejectedPerGood > bad {
		return nil
	}
	return &LimitError{Stage: l.stage, Limit: bad, NearlyAll: true}
}
