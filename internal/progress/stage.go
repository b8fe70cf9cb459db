package progress

import (
	"sync/atomic"
	"time"
)

// Stage is what a run by streaming is doing: it reads a slice of its rows, sorts them or makes
// SSTables of them, and sends or writes those, before it reads the next slice. The zero value is
// that of a run without stages. It is safe for concurrent use.
type Stage struct {
	names atomic.Pointer[[2]string] // of the stages after reading; nil: the run has no stages
	now   atomic.Int32
	done  atomic.Int64 // bytes, of the stages after reading
	total atomic.Int64
	moved atomic.Int64 // bytes that the last stage did, of all slices
	waits atomic.Bool  // for nodes, after the last stage
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

// StageTitle returns the name of a stage as it is shown. It adds what is made to StageMaking.
func StageTitle(name string) string {
	if name == StageMaking {
		return "making SSTables"
	}
	return name
}

// Begin gives the run stages: the names are those of the two stages after reading.
func (s *Stage) Begin(middle, last string) { s.names.Store(&[2]string{middle, last}) }

// Has reports whether the run has stages.
func (s *Stage) Has() bool { return s.names.Load() != nil }

// Read enters the stage of reading.
func (s *Stage) Read() { s.now.Store(atReading) }

// Deliver reports how much of a slice has been sorted, and how much sent or written, in bytes of
// total. The stage is that of sorting until all is sorted or something is sent.
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

// Wait reports that all was written, and that nodes are to import it.
func (s *Stage) Wait() { s.waits.Store(true) }

// end ends the last stage.
func (s *Stage) end() { s.now.Store(atEnd) }

// Staged is a stage at a moment.
type Staged struct {
	Name      string   `json:"name"`            // reading, sorting, making, sending or writing
	Share     *float64 `json:"share,omitempty"` // of the whole work that this stage has done, 0 to 1; nil: unknown
	Done      int64    `json:"done"`            // rows of reading; of the others bytes of the slice
	Total     int64    `json:"total"`           // of those; 0: not known
	PerSecond float64  `json:"per_second"`
	Left      float64  `json:"left_seconds,omitempty"` // a guess of what the stage alone takes; 0: there is too little to go by
	Waiting   bool     `json:"waiting,omitempty"`      // all of the slice was sent or written, and nodes have not taken it
}

// at returns the stage; nil if the run has none. rows is the number that has been read.
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
	name string // of the stage that work is of
	from int64  // Done of the stage when it began
	work speed
	left timeLeft // of the stage
}

// read completes a stage with its speed and the time that is left.
func (m *stageMeter) read(now time.Time, s *Staged, r reached) {
	// neither another stage nor a wait for work says how fast this one is
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
		s.PerSecond = 0 // nothing moves, though the stage is not over
	}
	if s.Share == nil {
		return
	}
	end := r.read // sorting, making and sending come to the end of the slice
	if s.Name == StageReading {
		end = 1
	}
	if s.Left = m.left.observe(now, r.own(s), max(end-*s.Share, 0)); s.Waiting {
		s.Left = 0 // how long nodes take is not known
	}
}

// own returns the part of the whole work that a stage has done in this run.
func (r reached) own(s *Staged) float64 {
	if s.Share == nil {
		return 0
	}
	return *s.Share - r.before
}
