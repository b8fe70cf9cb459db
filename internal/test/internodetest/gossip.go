package internodetest

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/internode"
)

// Gossip is how a node answers what it is asked by gossip.
type Gossip struct {
	// Cluster and Partitioner are the node's; it does not answer nodes of others.
	Cluster, Partitioner string
	// Address is what it announces; default [Own].
	Address netip.AddrPort
	// Endpoints gives what it has heard.
	Endpoints func() []internode.Endpoint
}

// gossip takes messages of gossip, and answers them over a connection to the address that was
// announced.
func (c *connection) gossip(offer internode.Offer) error {
	r := internode.NewFrames(c.r, offer.Framing)
	for {
		m, err := internode.ReadGossip(r)
		if err != nil {
			return err
		}
		g := c.node.Gossip
		syn, ok := m.(internode.Syn)
		if !ok || g == nil || syn.Cluster != g.Cluster || syn.Partitioner != g.Partitioner {
			continue
		}
		if err := c.node.answer(c.ctx, offer.From); err != nil {
			return err
		}
	}
}

// answer sends what the node has heard.
func (n *Node) answer(ctx context.Context, to netip.AddrPort) error {
	connect := n.Connect
	if connect == nil {
		connect = new(net.Dialer).DialContext
	}
	raw, err := connect(ctx, "tcp", to.String())
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	defer func() { _ = raw.Close() }()
	conn := raw
	if n.ConnectTLS != nil {
		conn = tls.Client(raw, n.ConnectTLS)
	}
	g, version := n.Gossip, n.version()
	from := g.Address
	if !from.IsValid() {
		from = Own
	}
	offer := internode.Offer{
		Use:      version,
		Min:      version,
		Max:      version,
		From:     from,
		Messages: internode.Urgent,
		Framing:  internode.CRC,
	}
	if _, err := conn.Write(internode.AppendOffer(nil, offer)); err != nil {
		return err
	}
	r := bufio.NewReader(conn)
	if _, err := internode.ReadAnswer(r); err != nil {
		return err
	}
	if _, err := conn.Write(
		internode.AppendFrames(
			nil,
			internode.AppendAck(nil, internode.Ack{Endpoints: g.Endpoints()}, time.Now()),
		),
	); err != nil {
		return err
	}
	_, _ = r.ReadByte() // until the other side has closed it
	return nil
}
