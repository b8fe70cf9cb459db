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

// deadNodes records the nodes that answer neither a read nor a ping, until they answer, and the
// pieces deferred because no other node has them. It is safe for concurrent use. The zero value is
// ready, except for probing.
type deadNodes struct {
	// has an element while a worker pings dead nodes, on behalf of all workers
	probing chan struct{}

	mu       sync.Mutex
	hosts    map[string]*deadNode
	deferred []placedPiece
	inFlight map[*inFlightRequest]bool
}

// inFlightRequest is a request that its node has not answered.
type inFlightRequest struct {
	host string
	end  context.CancelFunc
}

// deadNode is a node that answers neither a read nor a ping.
type deadNode struct {
	since   time.Time
	err     error // of the last read
	givenUp bool  // silent for longer than the patience
}

// placedPiece is a piece and the replica set that has it.
type placedPiece struct {
	piece
	set       int // Split.Set
	deferrals int // how often it was deferred, to wait for its nodes
}

// silentError is the error of a read that got no answer, and whose replicas do not answer a ping
// either.
type silentError struct{ err error }

func (e *silentError) Error() string { return e.err.Error() }
func (e *silentError) Unwrap() error { return e.err }

// addDead records nodes that answered neither a read, which failed with err, nor a ping. It returns
// the nodes that were not known to be dead.
func (d *deadNodes) addDead(hosts []string, err error) (others []string) {
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
	for q := range d.inFlight {
		if slices.Contains(others, q.host) {
			q.end()
		}
	}
	return others
}

// watch returns the context of a request to a node. It ends when the node is found dead, so that no
// other request waits behind this one. The caller must call stop.
func (d *deadNodes) watch(ctx context.Context, host string) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancel(ctx)
	q := &inFlightRequest{host, cancel}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hosts[host] != nil {
		cancel()
	}
	if d.inFlight == nil {
		d.inFlight = make(map[*inFlightRequest]bool)
	}
	d.inFlight[q] = true
	return watched, func() {
		cancel()
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.inFlight, q)
	}
}

// errDead is the error of a request in flight to a node that was found dead.
var errDead = errors.New("the node does not answer")

// answered removes a node that answered.
func (d *deadNodes) answered(host string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.hosts, host)
}

// allDead reports whether all of the nodes are dead. It returns false for an empty list.
func (d *deadNodes) allDead(hosts []string) bool {
	_, dead := d.lastToDie(hosts)
	return dead
}

// lastToDie returns the node of a list that was the last to become silent. It returns false if one
// is not dead.
func (d *deadNodes) lastToDie(hosts []string) (last deadNode, dead bool) {
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

// giveUp records that no worker waits for the nodes any longer.
func (d *deadNodes) giveUp(hosts []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, host := range hosts {
		if n := d.hosts[host]; n != nil {
			n.givenUp = true
		}
	}
}

// deferPieces defers pieces of a split.
func (d *deadNodes) deferPieces(set, times int, pieces ...piece) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range pieces {
		d.deferred = append(d.deferred, placedPiece{p, set, times})
	}
}

// next takes a deferred piece. It returns false if there is none.
func (d *deadNodes) next() (placedPiece, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.deferred) - 1
	if n < 0 {
		return placedPiece{}, false
	}
	p := d.deferred[n]
	d.deferred = d.deferred[:n]
	return p, true
}

// allDead reports whether none of the nodes answers a ping, after a read failed with err. If so, it
// records them as dead.
func (w *worker) allDead(ctx context.Context, hosts []string, err error) bool {
	if w.run.dead.allDead(hosts) { // another worker found out
		return true
	}
	if len(hosts) == 0 || w.run.options.Ping == nil || w.anyAnswers(ctx, hosts...) ||
		ctx.Err() != nil {
		return false
	}
	for _, host := range w.run.dead.addDead(hosts, err) {
		w.run.options.OnSilent(host)
	}
	return true
}

// awaitNode waits until one of the nodes answers. If all are silent for longer than the patience,
// it returns an error that names them. The error has class Fatal if no other node of the cluster
// answers.
func (w *worker) awaitNode(ctx context.Context, hosts []string) error {
	d, patience := &w.run.dead, w.run.options.Patience
	w.run.cluster.liveness.Begin()
	defer w.run.cluster.liveness.End()
	for attempt := 1; ; attempt++ {
		found, last := w.probeDead(ctx, hosts)
		silent := time.Since(last.since)
		switch {
		case found == hostAnswers:
			return nil
		case ctx.Err() != nil:
			return fault.New(fault.Canceled, ctx.Err())
		case found == noNodeAnswers:
			if err := w.run.cluster.noAnswer(last.err); err != nil {
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

// pingResult says which nodes answered a ping of dead nodes.
type pingResult uint8

const (
	noNodeAnswers pingResult = iota
	hostAnswers              // one of the dead nodes
	othersAnswer             // only other nodes
)

// probeDead pings dead nodes, unless they were given up, and then the whole cluster. last is the
// node that was the last to become silent.
func (w *worker) probeDead(ctx context.Context, hosts []string) (found pingResult, last deadNode) {
	d := &w.run.dead
	select {
	case d.probing <- struct{}{}:
	case <-ctx.Done():
		return noNodeAnswers, deadNode{}
	}
	defer func() { <-d.probing }()
	last, dead := d.lastToDie(hosts)
	switch {
	case !dead:
		return hostAnswers, last
	case last.givenUp:
		return othersAnswer, last
	case w.anyAnswers(ctx, hosts...):
		return hostAnswers, last
	case w.run.options.Ping(ctx, "") == nil:
		w.run.cluster.liveness.Answered()
		return othersAnswer, last
	default:
		return noNodeAnswers, last
	}
}

// names returns the names of nodes for an error.
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
