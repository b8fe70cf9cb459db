package scan

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Point is what came into the output between two marks of a scan. The points of a
// run up to any mark hold together exactly the rows that were in the output then.
// Who is given a point owns its slice.
type Point struct {
	// Ranges are those all of whose rows have come, in no order; ranges without a
	// row are among them. No two of a run overlap. They are pieces of splits, and
	// of a split there may be several, also at one point.
	Ranges    []token.Range
	Rows      int64
	Sum       rowsum.Sum // of those rows
	TextBytes int64      // of those rows, as given to the writers
}

const (
	defaultMarkEvery = 2 * time.Second
	defaultMarkBytes = 256 << 20
)

// checkpoints makes the marks of a scan. What is in the output is told by tokens, so
// nothing may be half written at a mark: a worker shares the gate from its first
// write of a partition until it has noted how far it has come, and a mark has the
// gate for itself. A worker takes its slot first, so that nobody waits for a slot
// inside. All methods that workers call do nothing when there are no marks (nil).
type checkpoints struct {
	job     *Job
	every   time.Duration
	bytes   int64
	gate    sync.RWMutex
	workers []*worker
	full    chan struct{} // has one when there is so much text that a mark is due

	mu          sync.Mutex // for those that share the gate
	since       Point      // the last mark
	partWritten bool       // a write failed: a part of a partition may be in the output
}

// newCheckpoints gives nil for a job without marks.
func newCheckpoints(j *Job) *checkpoints {
	if j.Mark == nil || j.Limit > 0 || j.Partitioner == nil {
		return nil
	}
	m := &checkpoints{job: j, every: j.MarkEvery, bytes: j.MarkBytes, full: make(chan struct{}, 1)}
	if m.every <= 0 {
		m.every = defaultMarkEvery
	}
	if m.bytes <= 0 {
		m.bytes = defaultMarkBytes
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

// lockShared waits while a mark is made. Until it leaves, the caller may not enter again.
func (m *checkpoints) lockShared() {
	if m != nil {
		m.gate.RLock()
	}
}

// unlockShared lets marks be made.
func (m *checkpoints) unlockShared() {
	if m != nil {
		m.gate.RUnlock()
	}
}

// addWritten notes what a slot has written since it was noted last. It is called
// between enter and leave.
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

// addRange notes that the rows of a range have been written, if it is one. It is
// called between enter and leave, or by a mark.
func (m *checkpoints) addRange(r token.Range) {
	if m == nil || !r.Start.Less(r.End) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since.Ranges = append(m.since.Ranges, r)
}

// start makes marks until finish is called, which makes the last one. When a mark
// fails, there are no more, fail is called, and finish gives the error.
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

// checkpoint makes one mark, if there is anything to tell.
func (m *checkpoints) checkpoint() error {
	point, keep, err := m.capture()
	if err != nil || keep == nil {
		return err
	}
	return keep(point)
}

// capture makes the part of a mark that no worker may write beside. Once a write
// has failed there is nothing to capture: only the marks before still hold.
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
	keep, err := m.job.Mark()
	if err != nil {
		return Point{}, nil, err
	}
	point := m.since
	m.since = Point{}
	return point, keep, nil
}

// scanError is the error of a scan whose sweep and whose marks ended so. A sweep
// that was cancelled though ctx was not has ended because of the marks.
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
