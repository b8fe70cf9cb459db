package progress

import (
	"sync"
	"sync/atomic"
)

// Slice is the work that a streaming run does together. The run reads it, sorts it, and sends or
// writes it. Then it counts as done. The zero value is empty. It is safe for concurrent use.
type Slice struct {
	mu           sync.Mutex
	units        float64 // of work; see Counters.Done
	read         float64 // units that were read
	sorted, sent float64 // shares that were sorted, and sent or written, 0 to 1
}

// Add adds units of work that were read.
func (s *Slice) Add(units int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.units += float64(units)
	s.read += float64(units)
}

// Plan adds units of work that will be read.
func (s *Slice) Plan(units int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.units += float64(units)
}

// Read sets the share of the slice that was read, 0 to 1.
func (s *Slice) Read(part float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = max(s.read, part*s.units)
}

// Deliver sets the shares of the slice that were sorted, and sent or written, 0 to 1. A share that
// is smaller than before is ignored: while the total size is an estimate, it goes up and down.
func (s *Slice) Deliver(sorted, sent float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sorted, s.sent = max(s.sorted, sorted), max(s.sent, sent)
}

// Sent returns the share of the slice that was sent or written, 0 to 1.
func (s *Slice) Sent() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// Restart resets what was sorted and sent: the slice is sent again, or the next one begins.
func (s *Slice) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sorted, s.sent = 0, 0
}

// Complete removes units from the slice, and adds others to those that are done.
func (s *Slice) Complete(units int64, done *atomic.Int64, add int64) {
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

// reached returns the units that are done, and these plus what was read, sorted, and sent of the
// slice.
func (s *Slice) reached(units *atomic.Int64) (done, read, sorted, sent float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	done = float64(units.Load())
	return done, done + s.read, done + s.units*s.sorted, done + s.units*s.sent
}
