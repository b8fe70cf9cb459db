package progress

import (
	"sync/atomic"
	"time"
)

// Stage is what a streaming run is doing. It reads a slice of its rows, sorts them or writes them
// to SSTables, and sends or writes those, before it reads the next slice. The zero value is a run
// without stages. It is safe for concurrent use.
type Stage struct {
	names atomic.Pointer[[2]string] // of the stages after reading; nil: the run has no stages
	now   atomic.Int32
	done  atomic.Int64 // in bytes, of the stages after reading
	total atomic.Int64
	moved atomic.Int64 // bytes that the last stage has sent or written, of all slices
	waits atomic.Bool  // waits for nodes, after the last stage
}

const (
	atReading int32 = iota
	atMiddle
	atLast
	atEnd
)

// The names of stages.
const (
	StageReading = "reading"
	StageSorting = "sorting"
	StageMaking  = "making" // SSTables
	StageSending = "sending"
	StageWriting = "writing" // SSTables into a folder
)

// StageTitle returns the name of a stage as it is shown. For StageMaking, it adds what is made.
func StageTitle(name string) string {
	if name == StageMaking {
		return "making SSTables"
	}
	return name
}

// Begin gives the run stages. middle and last are the names of the two stages after reading.
func (s *Stage) Begin(middle, last string) { s.names.Store(&[2]string{middle, last}) }

// Has reports whether the run has stages.
func (s *Stage) Has() bool { return s.names.Load() != nil }

// Read enters the stage of reading.
func (s *Stage) Read() { s.now.Store(atReading) }

// Deliver sets how much of a slice has been sorted, and how much sent or written, in bytes of
// total. The stage is sorting until all is sorted or something is sent.
func (s *Stage) Deliver(sorted, sent, total int64) {
	s.total.Store(total)
	if sent == 0 && sorted < total {
		s.done.Store(sorted)
		s.now.Store(atMiddle)
		return
	}
	before := int64(0)
	if s.now.Load() == atLast {
		before = s.done.Load()
	}
	s.moved.Add(max(sent-before, 0))
	s.done.Store(sent)
	s.now.Store(atLast)
}

// Moved returns the bytes that the last stage has sent or written, of all slices.
func (s *Stage) Moved() int64 { return s.moved.Load() }

// Wait records that all was written, and that nodes have to import it.
func (s *Stage) Wait() { s.waits.Store(true) }

// end ends the last stage.
func (s *Stage) end() { s.now.Store(atEnd) }

// Staged is the state of a stage at a moment.
type Staged struct {
	Name string `json:"name"` // reading, sorting, making, sending or writing
	// of the whole work that this stage has done, 0 to 1; nil: unknown
	Share     *float64 `json:"share,omitempty"`
	Done      int64    `json:"done"`  // rows for reading, else bytes of the slice
	Total     int64    `json:"total"` // of the same units; 0: unknown
	PerSecond float64  `json:"per_second"`
	// an estimate for this stage only; 0: unknown
	Left float64 `json:"left_seconds,omitempty"`
	// all of the slice was sent or written, and nodes have not taken it
	Waiting bool `json:"waiting,omitempty"`
}

// at returns the stage; nil: the run has none. rows is the number that has been read.
func (s *Stage) at(rows int64, r reached) *Staged {
	names := s.names.Load()
	if names == nil {
		return nil
	}
	share := func(part float64) *float64 {
		if !r.known {
			return nil
		}
		part = min(part, 1)
		return &part
	}
	switch s.now.Load() {
	case atReading:
		return &Staged{Name: StageReading, Share: share(r.read), Done: rows}
	case atMiddle:
		return &Staged{
			Name:  names[0],
			Share: share(r.sorted),
			Done:  s.done.Load(),
			Total: s.total.Load(),
		}
	case atLast:
		last := &Staged{
			Name:  names[1],
			Share: share(r.sent),
			Done:  s.done.Load(),
			Total: s.total.Load(),
		}
		last.Waiting = s.waits.Load() ||
			last.Name == StageSending && last.Total > 0 && last.Done >= last.Total
		return last
	default:
		return nil
	}
}

// stageMeter measures the speed of stages.
type stageMeter struct {
	name string // of the measured stage
	from int64  // Done when the stage began
	work speed
	left timeLeft // of the stage
}

// read completes a stage with its speed and the time that is left.
func (m *stageMeter) read(now time.Time, s *Staged, r reached) {
	// the beginning of a stage, or a wait for work, does not count for the speed
	if s.Name != m.name || s.Done == m.from {
		m.name, m.from = s.Name, s.Done
		m.work.begin(now, float64(s.Done))
		m.left.begin(now, r.own(s))
	}
	if s.PerSecond = m.work.observe(
		now,
		float64(s.Done),
		Window,
	); s.Total > 0 &&
		s.Done >= s.Total {
		s.PerSecond = 0 // nothing moves, though the stage has not ended
	}
	if s.Share == nil {
		return
	}
	end := r.read // sorting, making and sending end with the slice
	if s.Name == StageReading {
		end = 1
	}
	if s.Left = m.left.observe(now, r.own(s), max(end-*s.Share, 0)); s.Waiting {
		s.Left = 0 // it is unknown how long nodes take
	}
}

// own returns the share of the whole work that a stage has done in this run.
func (r reached) own(s *Staged) float64 {
	if s.Share == nil {
		return 0
	}
	return *s.Share - r.before
}
