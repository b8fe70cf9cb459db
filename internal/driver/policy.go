package driver

import (
	"context"
	"fmt"
	"sync"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// policy chooses the node of each request. One whose context carries a pin goes
// to the pinned node, and nowhere else: when that fails the caller hears of it at
// once, as which replica is next and when is the pipelines' affair. Any other goes
// where the wrapped policy sends it.
//
// The driver's own way to one node (SetHostID) is not used: it asks a node that
// has no connections five times, with sleeps between, and it gives no token, so
// that on ScyllaDB a connection to any shard serves.
type policy struct {
	gocql.HostSelectionPolicy
	tokens libraryTokens

	mu    sync.RWMutex
	hosts map[string]*gocql.HostInfo // by id
}

func newPolicy(wrapped gocql.HostSelectionPolicy) *policy {
	return &policy{
		HostSelectionPolicy: wrapped,
		tokens:              newLibraryTokens(),
		hosts:               make(map[string]*gocql.HostInfo),
	}
}

// AddHost is called by the driver for each node that it gets to know.
func (p *policy) AddHost(h *gocql.HostInfo) {
	p.mu.Lock()
	p.hosts[h.HostID()] = h
	p.mu.Unlock()
	p.HostSelectionPolicy.AddHost(h)
}

// AddHosts is called by the driver with the nodes that it finds at first, so that
// the wrapped policy makes its ring once and not for each of them.
func (p *policy) AddHosts(hosts []*gocql.HostInfo) {
	all, ok := p.HostSelectionPolicy.(interface{ AddHosts([]*gocql.HostInfo) })
	if !ok {
		for _, h := range hosts {
			p.AddHost(h)
		}
		return
	}
	p.mu.Lock()
	for _, h := range hosts {
		p.hosts[h.HostID()] = h
	}
	p.mu.Unlock()
	all.AddHosts(hosts)
}

// RemoveHost is called by the driver for each node that has left the cluster. A
// node that changed its address may have been added anew before.
func (p *policy) RemoveHost(h *gocql.HostInfo) {
	p.mu.Lock()
	if p.hosts[h.HostID()] == h {
		delete(p.hosts, h.HostID())
	}
	p.mu.Unlock()
	p.HostSelectionPolicy.RemoveHost(h)
}

// Pick gives the nodes to try, in order.
func (p *policy) Pick(q gocql.ExecutableQuery) gocql.NextHost {
	if q != nil {
		if chosen, ok := q.Context().Value(chosenNodeKey{}).(*chosenNode); ok {
			return chosen.once()
		}
	}
	return p.HostSelectionPolicy.Pick(q)
}

func (p *policy) host(id string) *gocql.HostInfo {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.hosts[id]
}

// chosenNode is the only node a request may go to, and what decides between its
// connections. It is what the driver calls a selected host.
type chosenNode struct {
	host  *gocql.HostInfo
	token gocql.Token // nil: the least busy connection
}

type chosenNodeKey struct{}

func (p *chosenNode) Info() *gocql.HostInfo { return p.host }
func (p *chosenNode) Token() gocql.Token    { return p.token }
func (p *chosenNode) Mark(error)            {}

func (p *chosenNode) once() gocql.NextHost {
	given := false
	return func() gocql.SelectedHost {
		if given {
			return nil
		}
		given = true
		return p
	}
}

// chooseNode makes the context of a request that is for one node only (any node when id
// is empty). On ScyllaDB the request also goes to the shard that holds token at of
// the table; the zero token stands for none. The error for a node that is not
// there or down is of class Transient.
func (s *Session) chooseNode(
	ctx context.Context,
	id, table string,
	at token.Token,
) (context.Context, error) {
	if id == "" {
		return ctx, nil
	}
	h := s.policy.host(id)
	if h == nil {
		return nil, fault.New(fault.Transient, fmt.Errorf("node %s is not in the cluster", id))
	}
	chosen := &chosenNode{host: h}
	if features := h.ScyllaFeatures(); features.ShardsCount() > 0 && at != (token.Token{}) {
		split := sharding{count: features.ShardsCount(), ignoreMSB: uint(features.MSBIgnore())}
		if shard, tablet, ok := s.tablet(table, id, at); ok {
			// The driver may know tablets too, those it was told of when a request
			// went astray, and goes by them first. So the token stays in its tablet.
			at = split.near(at, shard, tablet)
		}
		chosen.token = s.policy.tokens.of(at)
	}
	return context.WithValue(ctx, chosenNodeKey{}, chosen), nil
}

// firstToken is the lowest token of a range, by which a range's pages find their
// shard on ScyllaDB; zero for the zero Range, which stands for a whole table.
//
// Whatever the shard, the answer is the same: the shard that is asked gathers the
// rows from the others of its node. The one that has the first token has all the
// rows of a range within one slice of its stripe or within one tablet, which then
// need not cross over to another. Of a longer range it has at least the first
// rows, which are the first page's. The pages after it stay with that shard: where
// they start is known to the server alone, and the readers that it keeps open
// between two pages are found again from there. Ranges start anywhere in a
// stripe, so that a plan's requests spread evenly over the shards.
func firstToken(within token.Range) token.Token {
	if within == (token.Range{}) {
		return token.Token{}
	}
	first := within.Start
	first.Lo++
	if first.Lo == 0 {
		first.Hi++
	}
	return first
}
