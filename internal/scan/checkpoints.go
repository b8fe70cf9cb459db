package scan

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Point is what came into the output between two checkpoints. The points of a run up to any
// checkpoint together have exactly the rows that were in the output then. The receiver owns its
// slice.
type Point struct {
	// Ranges are those whose rows have all come, in no order, including ranges without rows. No two
	// ranges of a run overlap. They are pieces of splits. One point may have several pieces of a
	// split.
	Ranges    []token.Range
	Rows      int64
	Sum       rowsum.Sum // of those rows
	TextBytes int64      // of those rows, as given to the writers
}

const (
	defaultCheckpointEvery = 2 * time.Second
	defaultCheckpointBytes = 256 << 20
)

// checkpoints makes the checkpoints of a scan. Tokens say what is in the output, so no partition
// may be half written at a checkpoint. A worker locks the gate shared from its first write of a
// partition until it has recorded its progress. A checkpoint locks it exclusively. A worker takes
// its encode buffer first, so that it does not wait for one inside. If there are no checkpoints
// (nil), all methods that workers call do nothing.
type checkpoints struct {
	job     *Job
	every   time.Duration
	bytes   int64
	gate    sync.RWMutex
	workers []*worker
	full    chan struct{} // has an element when a checkpoint is due because of the amount of text

	mu          sync.Mutex // for those that share the gate
	since       Point      // since the last checkpoint
	partWritten bool       // a write failed: a part of a partition may be in the output
}

// newCheckpoints returns nil for a job without checkpoints.
func newCheckpoints(j *Job) *checkpoints {
	if j.Checkpoint == nil || j.Limit > 0 || j.Partitioner == nil ||
		j.Output.Marks() != format.MarkAfterRow {
		return nil
	}
	m := &checkpoints{
		job:   j,
		every: j.CheckpointEvery,
		bytes: j.CheckpointBytes,
		full:  make(chan struct{}, 1),
	}
	if m.every <= 0 {
		m.every = defaultCheckpointEvery
	}
	if m.bytes <= 0 {
		m.bytes = defaultCheckpointBytes
	}
	return m
}

// addWorker adds a worker.
func (m *checkpoints) addWorker(w *worker) {
	if m == nil {
		return
	}
	m.gate.Lock()
	defer m.gate.Unlock()
	m.workers = append(m.workers, w)
}

// lockShared waits while a checkpoint is made. The caller must not call it again before
// unlockShared.
func (m *checkpoints) lockShared() {
	if m != nil {
		m.gate.RLock()
	}
}

// unlockShared allows checkpoints.
func (m *checkpoints) unlockShared() {
	if m != nil {
		m.gate.RUnlock()
	}
}

// addWritten records what an encode buffer has written since the last call. It must be called
// between lockShared and unlockShared.
func (m *checkpoints) addWritten(s *encodeBuffer) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since.Rows += s.uncheckpointed.rows
	m.since.Sum = m.since.Sum.Add(s.uncheckpointed.sum)
	m.since.TextBytes += int64(s.uncheckpointed.bytes)
	m.partWritten = m.partWritten || s.partWritten
	s.uncheckpointed = tally{}
	if m.since.TextBytes >= m.bytes {
		select {
		case m.full <- struct{}{}:
		default:
		}
	}
}

// addRange records that the rows of a range were written, if the range is not empty. It must be
// called between lockShared and unlockShared, or by a checkpoint.
func (m *checkpoints) addRange(r token.Range) {
	if m == nil || !r.Start.Less(r.End) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since.Ranges = append(m.since.Ranges, r)
}

// start makes checkpoints until finish is called. finish makes the last one. If a checkpoint fails,
// there are no more: fail is called, and finish returns the error.
func (m *checkpoints) start(fail func()) (finish func() error) {
	if m == nil {
		return func() error { return nil }
	}
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		err := m.run(stop)
		if err != nil {
			fail()
		}
		ended <- err
	}()
	return func() error {
		close(stop)
		return <-ended
	}
}

func (m *checkpoints) run(stop <-chan struct{}) error {
	ticker := time.NewTicker(m.every)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return m.checkpoint()
		case <-ticker.C:
		case <-m.full:
		}
		if err := m.checkpoint(); err != nil {
			return err
		}
		ticker.Reset(m.every)
	}
}

// checkpoint makes one checkpoint, if there is anything to record.
func (m *checkpoints) checkpoint() error {
	point, keep, err := m.capture()
	if err != nil || keep == nil {
		return err
	}
	return keep(point)
}

// capture makes the part of a checkpoint during which no worker may write. If a write has failed it
// does nothing: only the checkpoints before are valid.
func (m *checkpoints) capture() (Point, func(Point) error, error) {
	m.gate.Lock()
	defer m.gate.Unlock()
	select {
	case <-m.full:
	default:
	}
	if m.partWritten {
		return Point{}, nil, nil
	}
	for _, w := range m.workers {
		if w.begun {
			w.cover(w.last)
		}
	}
	if len(m.since.Ranges) == 0 {
		return Point{}, nil, nil
	}
	keep, err := m.job.Checkpoint()
	if err != nil {
		return Point{}, nil, err
	}
	point := m.since
	m.since = Point{}
	return point, keep, nil
}

// scanError returns the error of a scan, from the errors of its sweep and its checkpoints. If the
// sweep was canceled and ctx was not, the checkpoints have ended it.
func scanError(ctx context.Context, swept, marked error) error {
	switch {
	case marked == nil:
		return swept
	case swept == nil, fault.ClassOf(swept) == fault.Canceled && ctx.Err() == nil:
		return marked
	default:
		return errors.Join(swept, marked)
	}
}
