// Package board keeps what a run shows besides its counters, for pages and metrics. That is which
// parts of the ring are done, in progress or failed, what was rejected, and what was logged.
//
// An operation makes a [Board] only if it is shown, and reports token ranges to its [Ring]. A
// [Watch] reads the board every second, and returns all of it as a [State], which is plain data.
// Reports to a ring are added to atomic numbers, without a lock.
package board

import (
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Board is what a run shows. It is safe for concurrent use. Its exported fields do not change.
type Board struct {
	Counters *progress.Counters
	Ring     *Ring    // nil: the run has no parts of a ring
	Nodes    []Member // in the order in which they are shown

	mu     sync.Mutex
	causes func() []Cause // nil: no row can be rejected
	about  About
	next   string // command that resumes the run
}

// Member is a node of the cluster.
type Member struct {
	ID      string `json:"id"`
	Address string `json:"address"`
	DC      string `json:"dc"`
	Rack    string `json:"rack"`
}

// Cause is a reason for rejected rows, with the first of them.
type Cause struct {
	Rows   int64  `json:"rows"`
	Stage  string `json:"stage"` // parse, insert or in doubt
	Reason string `json:"reason"`
	Column string `json:"column,omitempty"`
	Value  string `json:"value,omitempty"`
	File   string `json:"file"`
	Line   int64  `json:"line"`
	Field  int    `json:"field"` // byte in the line, from 1
}

// ShowCauses sets the function that lists why rows were rejected.
func (b *Board) ShowCauses(list func() []Cause) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.causes = list
}

// Causes returns why rows were rejected so far.
func (b *Board) Causes() []Cause {
	b.mu.Lock()
	list := b.causes
	b.mu.Unlock()
	if list == nil {
		return nil
	}
	return list()
}
