package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// deadNodes knows the nodes that answer neither a read nor a small question, until they answer, and
// what is put off because no other node has it. It is safe for concurrent use; the zero value is
// ready but for probing.
type deadNodes struct {
	// has an element while a worker asks a node whether it lives, for all workers
	probing chan struct{}

	mu     sync.Mutex
	hosts  map[string]*deadNode
	putOff []part
	asked  map[*underWay]bool
}

// underWay is a request that a node has not answered.
type underWay struct {
	host string
	end  context.CancelFunc
}

// deadNode is a node that gives no sign of life.
type deadNode struct {
	since   time.Time
	err     error // of the last read
	givenUp bool  // it was silent for longer than the patience
}

// part is a piece with the nodes that have it.
type part struct {
	piece
	set   int // Split.Set
	times int // how often it was put off, to wait for its nodes
}

// silentError says that a read got no answer, and that none of the nodes which could answer it
// gives a sign of life.
type silentError struct{ err error }

func (e *silentError) Error() string { return e.err.Error() }
func (e *silentError) Unwrap() error { return e.err }

// died records nodes that gave no sign of life after a read failed with err. It returns those that
// were not known to be dead.
func (d *deadNodes) died(hosts []string, err error) (others []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hosts == nil {
		d.hosts = make(map[string]*deadNode)
	}
	for _, host := range hosts {
		if d.hosts[host] == nil {
			d.hosts[host] = &deadNode{since: time.Now()}
			others = append(others, host)
		}
		d.hosts[host].err = err
	}
	for q := range d.asked {
		if slices.Contains(others, q.host) {
			q.end()
		}
	}
	return others
}

// watch returns the context of a request to a node. It ends when the node is found dead, so that no
// other request waits for its turn behind it. stop must be called.
func (d *deadNodes) watch(ctx context.Context, host string) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancel(ctx)
	q := &underWay{host, cancel}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hosts[host] != nil {
		cancel()
	}
	if d.asked == nil {
		d.asked = make(map[*underWay]bool)
	}
	d.asked[q] = true
	return watched, func() {
		cancel()
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.asked, q)
	}
}

// errDead is the error of a request that was under way to a node when it was found dead.
var errDead = errors.New("the node does not answer")

// lives records a node that answered.
func (d *deadNodes) lives(host string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.hosts, host)
}

// all reports whether every one of the nodes is dead. It returns false without nodes.
func (d *deadNodes) all(hosts []string) bool {
	_, dead := d.last(hosts)
	return dead
}

// last returns the node of a list that was the last to fall silent. It returns false if one lives.
func (d *deadNodes) last(hosts []string) (last deadNode, dead bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, host := range hosts {
		n := d.hosts[host]
		if n == nil {
			return deadNode{}, false
		}
		if last.since.Before(n.since) {
			last = *n
		}
	}
	return last, len(hosts) > 0
}

// giveUp records that nobody waits for the nodes any longer.
func (d *deadNodes) giveUp(hosts []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, host := range hosts {
		if n := d.hosts[host]; n != nil {
			n.givenUp = true
		}
	}
}

// later puts pieces of a split off.
func (d *deadNodes) later(set, times int, pieces ...piece) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range pieces {
		d.putOff = append(d.putOff, part{p, set, times})
	}
}

// next takes what was put off; false when there is nothing.
func (d *deadNodes) next() (part, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.putOff) - 1
	if n < 0 {
		return part{}, false
	}
	p := d.putOff[n]
	d.putOff = d.putOff[:n]
	return p, true
}

// silent reports whether none of the nodes gives a sign of life, after a read failed with err. If
// so, it records that.
func (w *worker) silent(ctx context.Context, hosts []string, err error) bool {
	if w.run.dead.all(hosts) { // another worker found it
		return true
	}
	if len(hosts) == 0 || w.run.options.Ping == nil || w.lives(ctx, hosts...) || ctx.Err() != nil {
		return false
	}
	for _, host := range w.run.dead.died(hosts, err) {
		w.run.options.OnSilent(host)
	}
	return true
}

// await waits until one of the nodes answers. If all are silent for longer than the patience, it
// returns an error that names them; one of class Fatal if no other node of the cluster answers.
func (w *worker) await(ctx context.Context, hosts []string) error {
	d, patience := &w.run.dead, w.run.options.Patience
	w.run.silence.pulse.Begin()
	defer w.run.silence.pulse.End()
	for attempt := 1; ; attempt++ {
		found, last := w.probe(ctx, hosts)
		silent := time.Since(last.since)
		switch {
		case found == hostAnswers:
			return nil
		case ctx.Err() != nil:
			return fault.New(fault.Canceled, ctx.Err())
		case found == nobodyAnswers:
			if err := w.run.silence.lasts(last.err); err != nil {
				return err
			}
		case last.givenUp || silent >= patience:
			d.giveUp(hosts)
			return fmt.Errorf(
				"%s has answered nothing for %s: %w",
				w.run.names(hosts),
				silent.Round(time.Second),
				last.err,
			)
		}
		wait := w.run.options.Backoff.Delay(attempt)
		if silent < patience {
			wait = min(wait, patience-silent)
		}
		if err := pace.Sleep(ctx, wait); err != nil {
			return fault.New(fault.Canceled, err)
		}
	}
}

// sign is who answered when dead nodes were asked.
type sign uint8

const (
	nobodyAnswers sign = iota
	hostAnswers        // one of the dead nodes
	othersAnswer       // other nodes alone
)

// probe asks nodes that are dead whether one of them lives, unless they were given up, and else the
// whole cluster. last is the one that was the last to fall silent.
func (w *worker) probe(ctx context.Context, hosts []string) (found sign, last deadNode) {
	d := &w.run.dead
	select {
	case d.probing <- struct{}{}:
	case <-ctx.Done():
		return nobodyAnswers, deadNode{}
	}
	defer func() { <-d.probing }()
	last, dead := d.last(hosts)
	switch {
	case !dead:
		return hostAnswers, last
	case last.givenUp:
		return othersAnswer, last
	case w.lives(ctx, hosts...):
		return hostAnswers, last
	case w.run.options.Ping(ctx, "") == nil:
		w.run.silence.pulse.Answered()
		return othersAnswer, last
	default:
		return nobodyAnswers, last
	}
}

// names names nodes.
func (r *run) names(hosts []string) string {
	names := make([]string, len(hosts))
	for i, host := range hosts {
		names[i] = cmp.Or(r.options.NodeName(host), host)
	}
	slices.Sort(names)
	if len(names) == 1 {
		return "node " + names[0]
	}
	return "each of the nodes " + strings.Join(names, ", ")
}
