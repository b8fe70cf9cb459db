package driver

import (
	"context"
	"fmt"
	"sync"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// policy chooses the node of each request. If the request's context has a chosenNode, it goes to
// that node only. If that fails, the caller gets the error at once: the pipelines decide which
// replica is next, and when. Any other request goes where the wrapped policy sends it.
//
// The driver's own way to address one node (SetHostID) is not used. It asks a node without
// connections five times, with sleeps between. It also has no token, so that on ScyllaDB any shard
// may get the request.
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

// AddHost is called by the driver for each node that it learns of.
func (p *policy) AddHost(h *gocql.HostInfo) {
	p.mu.Lock()
	p.hosts[h.HostID()] = h
	p.mu.Unlock()
	p.HostSelectionPolicy.AddHost(h)
}

// AddHosts adds the nodes that the driver finds first. The wrapped policy makes its ring once then,
// and not for each of them.
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

// RemoveHost is called by the driver for each node that has left the cluster. A node that changed
// its address may have been added again before.
func (p *policy) RemoveHost(h *gocql.HostInfo) {
	p.mu.Lock()
	if p.hosts[h.HostID()] == h {
		delete(p.hosts, h.HostID())
	}
	p.mu.Unlock()
	p.HostSelectionPolicy.RemoveHost(h)
}

// Pick returns the nodes to try, in order.
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

// chosenNode is the only node that a request may go to, and the token that selects its connection.
// It is a selected host in the driver's terms.
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

// chooseNode returns the context of a request that goes to one node only (to any node if id is
// empty). On ScyllaDB the request also goes to the shard of the table's token at; the zero token
// selects none. If the node does not exist or is down, the error has class Transient.
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
			// The driver may know tablets too, from requests that came to the wrong replica, and it
			// prefers them. So the token stays in its tablet.
			at = split.near(at, shard, tablet)
		}
		chosen.token = s.policy.tokens.of(at)
	}
	return context.WithValue(ctx, chosenNodeKey{}, chosen), nil
}

// firstToken returns the lowest token of a range, which selects the shard on ScyllaDB. It returns
// zero for the zero Range, which is a whole table.
//
// The answer does not depend on the shard: the shard that is asked gathers the rows from the others
// of its node. The shard of the first token has all rows of a range within one slice of its stripe,
// or within one tablet, and then asks no other shard. Of a longer range it has at least the first
// rows, which are in the first page. The pages after it stay with that shard: only the server knows
// where they start, and it keeps readers open there between two pages. Ranges start anywhere in a
// stripe, so a plan's requests spread evenly over the shards.
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
