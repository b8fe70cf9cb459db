package sweep

import (
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// deadNodes knows the nodes on which a range has used up its attempts without a sign of
// life, until they answer, and the splits that are put off because nobody else has them.
// It is safe for concurrent use; the zero value is ready.
type deadNodes struct {
	mu     sync.Mutex
	hosts  map[string]bool
	putOff []token.Split
}

// died notes nodes that gave no sign of life.
func (d *deadNodes) died(hosts []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hosts == nil {
		d.hosts = make(map[string]bool)
	}
	for _, host := range hosts {
		d.hosts[host] = true
	}
}

// lives notes a node that answered.
func (d *deadNodes) lives(host string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.hosts, host)
}

// all says whether every one of the nodes is dead; no nodes are not.
func (d *deadNodes) all(hosts []string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(hosts) > 0 && !slices.ContainsFunc(hosts, func(host string) bool { return !d.hosts[host] })
}

// later puts a split off.
func (d *deadNodes) later(s token.Split) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.putOff = append(d.putOff, s)
}

// next takes a split that was put off; false when there is none.
func (d *deadNodes) next() (token.Split, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.putOff) - 1
	if n < 0 {
		return token.Split{}, false
	}
	s := d.putOff[n]
	d.putOff = d.putOff[:n]
	return s, true
}
