package progress

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Reason is why requests to a node were sent again.
type Reason struct {
	Node  string `json:"node"` // empty: whichever the driver chose
	Text  string `json:"reason"`
	Times int64  `json:"times"`
}

// Reasons are why requests were sent again. The zero value has none. It is safe for
// concurrent use.
type Reasons struct {
	mu    sync.Mutex
	times map[Reason]int64
	late  string // the last one
	first func(node, text string)
}

// mostReasons bounds the memory that reasons take, whatever servers say. All others are
// told as one.
const mostReasons = 100

// otherReasons is what the others are told as.
const otherReasons = "other reasons"

// Tell has each reason told when it comes up for the first time.
func (r *Reasons) Tell(first func(node, text string)) {
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

// last returns the text of the last one.
func (r *Reasons) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.late
}

// List gives all of them, the most frequent first.
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

// Retried notes that a request is sent again, which node failed, and why.
func (c *Counters) Retried(node string, err error) {
	c.Retries.Add(1)
	c.Reasons.note(c.Requests.name(node), err.Error())
}
