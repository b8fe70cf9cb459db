package internodetest

import (
	"net"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/internode"
)

// largeMessage is the size above which a message has a connection of its own kind
// (OutboundConnections.LARGE_MESSAGE_THRESHOLD).
const largeMessage = 64 << 10

// gossip takes the messages of a connection that is not for streaming. A SYN is answered on a connection
// of the node's own to the address that the client announced, as GossipDigestSynVerbHandler does.
func (c *connection) gossip(offer internode.Offer) error {
	r := internode.NewFrames(c.r, offer.Framing)
	for {
		m, err := internode.ReadGossip(r)
		if err != nil {
			return err
		}
		syn, ok := m.(internode.Syn)
		if !ok || c.node.Gossip == nil {
			continue
		}
		ack, ok := c.node.Gossip(syn)
		if !ok {
			continue // a node answers nothing to one of another cluster
		}
		if err := c.harm(Gossip); err != nil {
			return err
		}
		if err := c.acknowledge(offer, ack); err != nil {
			return err
		}
	}
}

// acknowledge sends an answer.
func (c *connection) acknowledge(offer internode.Offer, ack internode.Ack) error {
	from := Own
	if at, ok := c.conn.LocalAddr().(*net.TCPAddr); ok {
		from = at.AddrPort()
	}
	message := internode.AppendAck(nil, ack, time.Now())
	kind := internode.Urgent
	if len(message) > largeMessage {
		kind = internode.Large
	}
	version := c.node.version()
	own, err := c.node.dial(c.ctx, offer.From.String())
	if err != nil {
		return err
	}
	defer func() { _ = own.Close() }()
	first := internode.AppendOffer(nil, internode.Offer{
		Use: version, Min: version, Max: version, From: from, Messages: kind, Framing: internode.CRC,
	})
	if _, err := own.Write(first); err != nil {
		return err
	}
	if _, err := internode.ReadAnswer(own); err != nil {
		return err
	}
	_, err = own.Write(internode.AppendFrames(nil, message))
	return err
}
