package ingest

import "sync/atomic"

// A load stops if that many rows were rejected at a stage, and fewer than one good row in
// hopelessShare passed it.
const (
	hopelessRows  = 10_000
	hopelessShare = 100
)

// hopes counts what decides whether a load is hopeless. It is safe for concurrent use.
type hopes struct {
	cut     atomic.Int64 // records that were cut and are to be parsed
	parsed  atomic.Int64 // of those, records that made rows
	refused atomic.Int64 // of those, records that made none
	lines   atomic.Int64 // lines that are no record
	written atomic.Int64 // rows that the cluster took, or had
	failed  atomic.Int64 // rows that it refused
}

// parsedChunk counts a chunk's records. It is called once for the whole chunk, so that bad records
// that come first do not decide.
func (r *run) parsedChunk(good, bad int) error {
	parsed := r.hopes.parsed.Add(int64(good))
	return r.hopeless(&r.parseErrors, r.hopes.refused.Add(int64(bad)), parsed)
}

// brokenLine counts a line that is no record. Records that were cut before it and are not parsed
// yet may be good.
func (r *run) brokenLine() error {
	h := &r.hopes
	return r.hopeless(&r.parseErrors, h.lines.Add(1), h.cut.Load()-h.refused.Load())
}

// tookRows counts rows that the cluster took, or had already.
func (r *run) tookRows(n int) { r.hopes.written.Add(int64(n)) }

// notTaken counts rows that the cluster refused. Rows that it did not answer for say nothing about
// the others.
func (r *run) notTaken(n int) error {
	return r.hopeless(&r.insertErrors, r.hopes.failed.Add(int64(n)), r.hopes.written.Load())
}

// hopeless returns a *LimitError if nearly all rows were rejected at a stage.
func (r *run) hopeless(l *errorLimit, bad, good int64) error {
	if r.job.KeepGoing || l.most >= 0 || bad < hopelessRows || good*hopelessShare > bad {
		return nil
	}
	return &LimitError{Stage: l.stage, Limit: bad, Hopeless: true}
}
