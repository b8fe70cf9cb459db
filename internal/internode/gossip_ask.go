package internode

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"time"
)

// gossipRound is a gossip request that waits for its answer.
type gossipRound struct {
	node   netip.Addr
	answer chan Ack // has a buffer of one
}

// Gossip asks a node (address and storage port) for what it knows by gossip of all nodes, including
// itself. The node answers over a connection that it opens to the listener. The node records
// nothing except metrics of the listener's address. If the cluster or the partitioner of syn is not
// its own, it does not answer, and logs a line.
//
// An error is an [*Error], whose Kind says what went wrong.
func (c *Client) Gossip(
	ctx context.Context,
	node string,
	l *Listener,
	syn Syn,
) ([]Endpoint, error) {
	endpoints, err := c.gossip(ctx, node, l, syn)
	return endpoints, wrap(node, UUID{}, err)
}

func (c *Client) gossip(
	ctx context.Context,
	node string,
	l *Listener,
	syn Syn,
) ([]Endpoint, error) {
	from, err := waitedAt(l.at, node)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	link, err := c.connect(ctx, node, from, gossiped, false)
	if err != nil {
		return nil, err
	}
	defer link.cut()
	at, _ := netip.ParseAddrPort(link.RemoteAddr().String())
	r := &gossipRound{unmapped(at).Addr(), make(chan Ack, 1)}
	if !l.await(r) {
		return nil, listenerClosed()
	}
	defer l.done(r)
	within := c.Timeouts.gossip()
	_ = link.SetWriteDeadline(time.Now().Add(within))
	if _, err := link.Write(AppendFrames(nil, AppendSyn(nil, syn, time.Now()))); err != nil {
		return nil, lost(err)
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case ack := <-r.answer:
		return ack.Endpoints, nil
	case <-ctx.Done():
		return nil, canceled(ctx)
	case <-l.closed:
		return nil, listenerClosed()
	case <-timer.C:
	}
	if refused, ok := l.refusedSince(begun); ok {
		return nil, problemf(
			Unreached,
			"the node was asked by gossip, and a connection from %s to %s, where its answer is waited for, was refused: %w",
			refused.from,
			from,
			refused.err,
		)
	}
	return nil, problemf(
		Unreached,
		"the node was asked by gossip, and did not answer at %s within %s: can it reach that address, or is a firewall between? "+
			"Is its cluster %q, as its log would deny?",
		from,
		within,
		syn.Cluster,
	)
}

// await registers a request that waits for an answer. It returns false if the listener is closed.
func (l *Listener) await(r *gossipRound) bool {
	return l.whileOpen(func() { l.rounds = append(l.rounds, r) })
}

func (l *Listener) done(r *gossipRound) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rounds = slices.DeleteFunc(l.rounds, func(one *gossipRound) bool { return one == r })
}

// hearGossip reads the answer of a node that has connected, and passes it to the goroutine that
// asked that node.
func (l *Listener) hearGossip(link *link) error {
	r := NewFrames(link.in, link.came.Framing)
	for {
		m, err := ReadGossip(r)
		if err != nil {
			return err
		}
		ack, ok := m.(Ack)
		if !ok {
			continue // the node also sends other messages to nodes that it knows
		}
		from := []netip.Addr{unmapped(link.came.From).Addr()}
		if host, _, err := net.SplitHostPort(link.RemoteAddr().String()); err == nil {
			if at, err := netip.ParseAddr(host); err == nil {
				from = append(from, at.Unmap().WithZone(""))
			}
		}
		l.mu.Lock()
		for _, one := range l.rounds {
			if slices.Contains(from, one.node) {
				select {
				case one.answer <- ack:
				default:
				}
			}
		}
		l.mu.Unlock()
		return nil
	}
}
