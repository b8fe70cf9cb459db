package progress

import (
	"sync"
	"sync/atomic"
)

// Slice is the work that a run by streaming does at once: what it reads, sorts, and sends or writes
// before it counts as done. The zero value is empty. It is safe for concurrent use.
type Slice struct {
	mu           sync.Mutex
	units        float64 // of work; see Counters.Done
	read         float64 // of those, units that were read
	sorted, sent float64 // of those, the parts that were sorted, and sent or written, 0 to 1
}

// Add adds units of work that were read.
func (s *Slice) Add(units int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.units += float64(units)
	s.read += float64(units)
}

// Plan adds units of work that are yet to be read.
func (s *Slice) Plan(units int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.units += float64(units)
}

// Read reports the part of the slice that was read, 0 to 1.
func (s *Slice) Read(part float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = max(s.read, part*s.units)
}

// Deliver reports the parts of the slice that were sorted, and sent or written, 0 to 1. A part that
// is smaller than before is ignored: while the size of the whole is a guess, it goes up and down.
func (s *Slice) Deliver(sorted, sent float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sorted, s.sent = max(s.sorted, sorted), max(s.sent, sent)
}

// Sent returns the part of the slice that was sent or written, 0 to 1.
func (s *Slice) Sent() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// Restart reports that nothing of the slice counts as sorted or sent: it is sent again, or it is
// the next one.
func (s *Slice) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sorted, s.sent = 0, 0
}

// Settle takes units out of the slice, and adds others to those that are done.
func (s *Slice) Settle(units int64, done *atomic.Int64, add int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.units, s.read = max(s.units-float64(units), 0), max(s.read-float64(units), 0)
	done.Add(add)
}

// End empties the slice, and adds units to those that are done.
func (s *Slice) End(done *atomic.Int64, add int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.units, s.read, s.sorted, s.sent = 0, 0, 0, 0
	done.Add(add)
}

// drop empties the slice.
func (s *Slice) drop() { s.End(new(atomic.Int64), 0) }

// reached returns the units that are done, and those with what of the slice was read, was sorted,
// and was sent.
func (s *Slice) reached(units *atomic.Int64) (done, read, sorted, sent float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	done = float64(units.Load())
	return done, done + s.read, done + s.units*s.sorted, done + s.units*s.sent
}
