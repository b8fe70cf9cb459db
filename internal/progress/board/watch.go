package board

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Intervals of a Watch.
const (
	every = time.Second
)

// points is the largest number of points in the history. If there are more, every second one is
// dropped.
const points = 240

// lines is the number of logged lines that are kept, and lineBytes the largest length of one.
const (
	lines     = 200
	lineBytes = 2000
)

// Watch reads a run's board repeatedly. It begins before the run has a board, while the run
// connects. It is safe for concurrent use.
type Watch struct {
	command string
	version string

	mu      sync.Mutex
	began   time.Time // the start of the run, or of connecting before it
	board   *Board
	table   string
	phase   Phase
	problem string
	line    string  // as typed
	advice  *string // what to do after the end; nil: before the end
	edit    []string
	ended   time.Time
	view    view
	history []Point
	step    int // seconds from one point of the history to the next
	ticks   int
	lines   []Line
	said    int64
	changed chan struct{} // closed at each reading

	last, before     total   // at the last point of the history, and the one before
	lastAt, beforeAt float64 // of these points, in seconds since the run began
}

// view is what the board showed at its last reading. Many clients may request a page, and the view
// of a large cluster is made once for all of them.
type view struct {
	reading progress.Reading
	nodes   []NodeState
	gates   []GateState
	ring    []NodeRing
	rejects []Cause
}

// NewWatch starts to watch a run.
func NewWatch(command, version string) *Watch {
	return &Watch{
		command: command,
		version: version,
		began:   time.Now(),
		phase:   Connecting,
		step:    1,
		changed: make(chan struct{}),
	}
}

// Show sets the table and the board of the run.
func (w *Watch) Show(table string, b *Board) {
	w.mu.Lock()
	defer w.mu.Unlock()
	// time counts from here, as in the summary
	w.board, w.table, w.phase, w.began = b, table, Running, time.Now()
	w.view = view{}
	first := w.viewLocked(w.began, b.Counters.Read).reading
	w.last, w.lastAt = w.totalLocked(first), 0
}

// Say records a line that was shown to the user.
func (w *Watch) Say(text string) {
	if len(text) > lineBytes {
		text = strings.ToValidUTF8(text[:lineBytes], "") + " ..."
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said++
	w.lines = append(w.lines, Line{time.Now().UTC(), text})
	if len(w.lines) > lines {
		w.lines = append(w.lines[:0], w.lines[len(w.lines)-lines:]...)
	}
}

// End records how the run ended, with the reason if there is one, and reads the board once more.
func (w *Watch) End(p Phase, problem string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.phase, w.problem, w.ended = p, problem, time.Now()
	if w.board != nil {
		w.pointLocked(w.viewLocked(w.ended, w.board.Counters.ReadNow).reading, true)
	}
	w.wakeLocked()
}

// Run reads the board every second until the context ends.
func (w *Watch) Run(ctx context.Context) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			w.look(now)
		}
	}
}

// Changed returns a channel that is closed at the next reading.
func (w *Watch) Changed() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

func (w *Watch) wakeLocked() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// look takes a sample, and a point of the history.
func (w *Watch) look(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.wakeLocked()
	if w.board == nil || w.phase.Over() {
		return
	}
	r := w.viewLocked(now, w.board.Counters.Read).reading
	if w.board.Counters.Took() > 0 {
		return // the work has ended, and its last point is made at the end
	}
	if w.ticks++; w.ticks%w.step == 0 {
		w.pointLocked(r, false)
	}
}

// ownOf returns the rows and bytes of this run, without an earlier run's part.
func ownOf(r progress.Reading) [2]float64 {
	return [2]float64{float64(r.Rows - r.Earlier), float64(r.Bytes - r.EarlierBytes)}
}

// viewLocked returns what the board shows. It makes a new view only if there is a new reading.
func (w *Watch) viewLocked(now time.Time, read func(time.Time) progress.Reading) *view {
	r := read(now)
	if r.At.Equal(w.view.reading.At) {
		return &w.view
	}
	b := w.board
	v := view{reading: r, rejects: b.Causes()}
	v.fillNodes(b, now)
	if b.Ring != nil {
		v.ring = b.Ring.State(b.Nodes)
	}
	w.view = v
	return &w.view
}
