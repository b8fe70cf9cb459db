package simcluster

import (
	"slices"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
)

// Rule is a fault by script: what happens to which requests.
type Rule struct {
	// Match says which requests it is for, by what is known before they are
	// carried out; nil: all of the cluster's tables. It is asked by one goroutine
	// at a time, and must not call the cluster.
	Match    func(Request) bool
	Prepares bool // it is for PREPARE requests, and not for any other
	Skip     int  // the rule begins after this number of matches
	Times    int  // it ends after this number of faults; 0: never

	Fault    Fault
	Error    message.Error // what Answer answers; nothing is written
	Rows     int           // what ShortPage leaves of a page, default 1
	Delay    time.Duration // before the request is carried out
	Warnings []string      // in the answer
	// Do is called, if it is not nil, before the request is carried out, and may
	// call the cluster.
	Do func()
}

// Injected is a rule at work.
type Injected struct {
	cluster *Cluster
	rule    Rule
	matched int
}

// Inject adds a rule. Of several that match, the one that was added first counts,
// until it is used up.
func (c *Cluster) Inject(r Rule) *Injected {
	i := &Injected{cluster: c, rule: r}
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	c.faults.rules = append(c.faults.rules, i)
	return i
}

// Hits is how many requests the rule has met.
func (i *Injected) Hits() int {
	i.cluster.faults.mu.Lock()
	defer i.cluster.faults.mu.Unlock()
	hits := max(i.matched-i.rule.Skip, 0)
	if i.rule.Times > 0 {
		hits = min(hits, i.rule.Times)
	}
	return hits
}

// Remove ends the rule.
func (i *Injected) Remove() {
	w := &i.cluster.faults
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rules = slices.DeleteFunc(w.rules, func(other *Injected) bool { return other == i })
}

// ruled finds the rule for a request. The caller holds the lock.
func (w *weather) ruled(r Request, system bool) *Rule {
	for _, i := range w.rules {
		rule := &i.rule
		if rule.Prepares != r.Prepare || rule.Times > 0 && i.matched >= rule.Skip+rule.Times {
			continue
		}
		if rule.Match == nil && system || rule.Match != nil && !rule.Match(r) {
			continue
		}
		if i.matched++; i.matched > rule.Skip {
			return rule
		}
	}
	return nil
}
