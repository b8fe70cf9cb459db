// Package board keeps what is to be seen of a run besides its counters, for pages and metrics:
// which parts of the ring are done, under way or failed, what was rejected, and what was said.
//
// An operation makes a [Board] only where somebody looks, and tells its [Ring] what becomes of
// token ranges; a [Watch] looks at it, second by second, and gives the whole as a [State], which is
// plain data. What a run tells a ring is added to atomic numbers, without a lock.
package board

import (
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Board is what a run shows while it goes. It is safe for concurrent use; its exported fields do
// not change.
type Board struct {
	Counters *progress.Counters
	Ring     *Ring    // nil: there is nothing to tell of parts of the ring
	Nodes    []Member // in the order in which they are shown

	mu     sync.Mutex
	causes func() []Cause // why rows were rejected; nil: none can be
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

// Cause is a reason for which rows were rejected, with the first of them.
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

// ShowCauses shows why rows were rejected.
func (b *Board) ShowCauses(list func() []Cause) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.causes = list
}

// Causes are why rows were rejected so far.
func (b *Board) Causes() []Cause {
	b.mu.Lock()
	list := b.causes
	b.mu.Unlock()
	if list == nil {
		return nil
	}
	return list()
}
