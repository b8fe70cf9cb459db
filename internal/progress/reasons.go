package progress

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Reason is why requests to a node were retried.
type Reason struct {
	Node  string `json:"node"` // empty: any node, chosen by the driver
	Text  string `json:"reason"`
	Times int64  `json:"times"`
}

// Reasons count why requests were retried. The zero value is empty. It is safe for concurrent use.
type Reasons struct {
	mu    sync.Mutex
	times map[Reason]int64
	late  string // the last reason
	first func(node, text string)
}

// mostReasons is the largest number of different reasons. It bounds the memory, whatever servers
// answer. All others count as one.
const mostReasons = 100

// otherReasons is the text for all others.
const otherReasons = "other reasons"

// OnNew sets a function that is called for each reason when it first occurs.
func (r *Reasons) OnNew(first func(node, text string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first = first
}

func (r *Reasons) note(node, text string) {
	key := Reason{Node: node, Text: text}
	r.mu.Lock()
	if r.times == nil {
		r.times = make(map[Reason]int64)
	}
	if r.times[key] == 0 && len(r.times) >= mostReasons {
		key = Reason{Text: otherReasons}
	}
	r.times[key]++
	r.late = text
	isFirst, first := r.times[key] == 1, r.first
	r.mu.Unlock()
	if isFirst && first != nil {
		first(key.Node, key.Text)
	}
}

// last returns the text of the last reason.
func (r *Reasons) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.late
}

// List returns all reasons, the most frequent first.
func (r *Reasons) List() []Reason {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Reason, 0, len(r.times))
	for _, key := range slices.Collect(maps.Keys(r.times)) {
		list = append(list, Reason{key.Node, key.Text, r.times[key]})
	}
	slices.SortFunc(list, func(a, b Reason) int {
		return cmp.Or(
			cmp.Compare(b.Times, a.Times),
			cmp.Compare(a.Node, b.Node),
			cmp.Compare(a.Text, b.Text),
		)
	})
	return list
}

// Retried records that a request is retried, which node failed, and why.
func (c *Counters) Retried(node string, err error) {
	c.Retries.Add(1)
	c.Reasons.note(c.Requests.name(node), err.Error())
}
