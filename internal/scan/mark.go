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

// marks makes the marks of a scan. What is in the output is told by tokens, so
// nothing may be half written at a mark: a worker shares the gate from its first
// write of a partition until it has noted how far it has come, and a mark has the
// gate for itself. A worker takes its slot first, so that nobody waits for a slot
// inside. All methods that workers call do nothing when there are no marks (nil).
type marks struct {
	job     *Job
	every   time.Duration
	bytes   int64
	gate    sync.RWMutex
	workers []*worker
	full    chan struct{} // has one when there is so much text that a mark is due

	mu    sync.Mutex // for those that share the gate
	since Point      // the last mark
	torn  bool       // a write failed: a part of a partition may be in the output
}

// newMarks gives nil for a job without marks.
func newMarks(j *Job) *marks {
	if j.Mark == nil || j.Limit > 0 || j.Partitioner == nil {
		return nil
	}
	m := &marks{job: j, every: j.MarkEvery, bytes: j.MarkBytes, full: make(chan struct{}, 1)}
	if m.every <= 0 {
		m.every = defaultMarkEvery
	}
	if m.bytes <= 0 {
		m.bytes = defaultMarkBytes
	}
	return m
}

// join adds a worker.
func (m *marks) join(w *worker) {
	if m == nil {
		return
	}
	m.gate.Lock()
	defer m.gate.Unlock()
	m.workers = append(m.workers, w)
}

// enter waits while a mark is made. Until it leaves, the caller may not enter again.
func (m *marks) enter() {
	if m != nil {
		m.gate.RLock()
	}
}

// leave lets marks be made.
func (m *marks) leave() {
	if m != nil {
		m.gate.RUnlock()
	}
}

// wrote notes what a slot has written since it was noted last. It is called
// between enter and leave.
func (m *marks) wrote(s *slot) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since.Rows += s.fresh.rows
	m.since.Sum = m.since.Sum.Add(s.fresh.sum)
	m.since.TextBytes += int64(s.fresh.bytes)
	m.torn = m.torn || s.torn
	s.fresh = tally{}
	if m.since.TextBytes >= m.bytes {
		select {
		case m.full <- struct{}{}:
		default:
		}
	}
}

// cover notes that the rows of a range have been written, if it is one. It is
// called between enter and leave, or by a mark.
func (m *marks) cover(r token.Range) {
	if m == nil || !r.Start.Less(r.End) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.since.Ranges = append(m.since.Ranges, r)
}

// start makes marks until finish is called, which makes the last one. When a mark
// fails, there are no more, fail is called, and finish gives the error.
func (m *marks) start(fail func()) (finish func() error) {
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

func (m *marks) run(stop <-chan struct{}) error {
	ticker := time.NewTicker(m.every)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return m.mark()
		case <-ticker.C:
		case <-m.full:
		}
		if err := m.mark(); err != nil {
			return err
		}
		ticker.Reset(m.every)
	}
}

// mark makes one mark, if there is anything to tell.
func (m *marks) mark() error {
	point, keep, err := m.capture()
	if err != nil || keep == nil {
		return err
	}
	return keep(point)
}

// capture makes the part of a mark that no worker may write beside. Once a write
// has failed there is nothing to capture: only the marks before still hold.
func (m *marks) capture() (Point, func(Point) error, error) {
	m.gate.Lock()
	defer m.gate.Unlock()
	select {
	case <-m.full:
	default:
	}
	if m.torn {
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

// outcome is the error of a scan whose sweep and whose marks ended so. A sweep
// that was cancelled though ctx was not has ended because of the marks.
func outcome(ctx context.Context, swept, marked error) error {
	switch {
	case marked == nil:
		return swept
	case swept == nil, fault.ClassOf(swept) == fault.Canceled && ctx.Err() == nil:
		return marked
	default:
		return errors.Join(swept, marked)
	}
}
