package ingest

import (
	"bytes"
	"context"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// Sampled is what the first records of an input turned out to be.
type Sampled struct {
	Columns []schema.Column // that the fields go to
	Rows    int64           // read, bad ones among them
	Text    int64           // bytes of their text
	Lines   int64           // line ends in that
	Rejects []Reject        // rows that could not be made, without their bytes
}

// sampleSize is the number of bytes that are read at once of an input whose first records are
// wanted.
const sampleSize = 64 << 10

// Sample reads the first records of one input, as Run would, and writes nothing. The job needs no
// target. Its inputs, journal, rejects and limits do not matter, and no rows are skipped. One
// goroutine at a time calls look with each row, whose bytes are valid until it returns. An error is
// that of Run: the input cannot be read, or its fields do not fit (a [*MappingError]).
func (j *Job) Sample(
	ctx context.Context,
	input Input,
	rows int64,
	look func(columns []schema.Column, r *write.Row),
) (Sampled, error) {
	one, to := *j, &sampler{look: look, done: make(chan struct{})}
	one.Inputs, one.Target, one.Rejects, one.Journal = []Input{input}, to, to, nil
	one.SkipRows, one.MaxRows, one.KeepGoing = 0, rows, true
	one.MaxParseErrors, one.MaxInsertErrors = -1, -1
	one.MaxParsePercent, one.MaxInsertPercent = 0, 0
	one.AllBadFields = true
	if j.MaxRows > 0 {
		one.MaxRows = min(rows, j.MaxRows)
	}
	one.ChunkSize, one.Counters, one.Warn = sampleSize, new(progress.Counters), nil
	tally, err := one.Run(ctx)
	s := to.sampled
	s.Rows = tally.Read
	// In an array, text between the rows belongs to none of them.
	s.Text = max(s.Text, to.last.offset-to.first.offset)
	s.Lines = max(s.Lines, to.last.line-to.first.line)
	return s, err
}

// sampler is the target of rows that are only looked at, and what keeps the others.
type sampler struct {
	look func(columns []schema.Column, r *write.Row)
	done chan struct{} // closed: no more rows will come

	mu      sync.Mutex
	sampled Sampled
	// where the first row begins and the last one ends; first.line 0: there is none
	first, last place
}

func (s *sampler) Intake(columns []schema.Column) write.Intake {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sampled.Columns = columns
	return &sampleIntake{s, columns}
}

func (s *sampler) Run(ctx context.Context) error {
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *sampler) MemoryLow(bool)  {}
func (s *sampler) Finish()         { close(s.done) }
func (s *sampler) PiecesHeld() int { return 0 }

// place is a place in an input.
type place struct{ line, offset int64 }

// count counts text of a row that begins at a place. The caller holds the lock.
func (s *sampler) count(raw []byte, at place) {
	text, lines := int64(len(raw)), int64(bytes.Count(raw, []byte{'\n'}))
	s.sampled.Text += text
	s.sampled.Lines += lines
	if s.first.line == 0 || at.offset < s.first.offset {
		s.first = at
	}
	if end := (place{at.line + lines, at.offset + text}); end.offset > s.last.offset {
		s.last = end
	}
}

// Add is a method of Rejects.
func (s *sampler) Add(rejects []Reject) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rejects {
		s.count(r.Raw, place{r.Line, r.Offset})
		r.Raw, r.Header = nil, nil
		s.sampled.Rejects = append(s.sampled.Rejects, r)
	}
	return nil
}

// AddPiece is a method of Rejects.
func (s *sampler) AddPiece(r Reject, _, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(r.Raw, place{r.Line, r.Offset})
	return nil
}

// sampleIntake takes rows of some columns.
type sampleIntake struct {
	*sampler
	columns []schema.Column
}

func (s *sampleIntake) Idempotent() bool { return true }

// PutGroup is a method of write.Intake.
func (s *sampleIntake) PutGroup(ctx context.Context, rows []*write.Row) error {
	return s.Put(ctx, rows)
}

func (s *sampleIntake) Put(_ context.Context, rows []*write.Row) error {
	s.mu.Lock()
	for _, r := range rows {
		s.count(r.Raw, place{r.Line, r.Offset})
		s.look(s.columns, r)
	}
	s.mu.Unlock()
	for _, r := range rows {
		if err := r.Tracker.Written(1, r.Sum); err != nil {
			return err
		}
		r.Tracker.Release(1)
	}
	return nil
}
