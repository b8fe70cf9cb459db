package internode

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// Nodes keep metrics of every address and port that ever streamed to them. So the announced port,
// at which nothing listens, is always the same. A node that has that port itself gets another one:
// it would take a session with its own address for its own.
const (
	announcedPort = 7099
	otherPort     = 7098
)

// link is a connection after its handshake. Close ends it in order.
type link struct {
	net.Conn
	raw    net.Conn // below TLS
	from   netip.AddrPort
	answer Answer
	// For a connection that the node has opened: in and waits read it, and came is its first
	// message. Otherwise in and waits are nil.
	in    *bufio.Reader
	waits *timedConn
	came  Offer
}

// cut closes the connection at once, even while another goroutine is inside a Write.
func (l *link) cut() { _ = l.raw.Close() }

// versions is a range of versions of the protocol, and their use.
type versions struct {
	min, max int
	messages Messages // 0: a session
}

var (
	// spoken is the offer for a session.
	spoken = versions{min: minVersion, max: maxVersion}
	// gossiped is the offer for gossip.
	gossiped = versions{min: minVersion, max: maxVersion, messages: Urgent}
	// unspoken is a version that no node speaks. So the node answers with its latest version, and
	// closes the connection itself. If it accepted a connection for streaming that ended without a
	// session, it would log an error.
	unspoken = versions{min: 0xff, max: 0xff}
)

// connect opens a connection to a node and makes the handshake, with an offer of versions. It
// announces the address from, or the connection's own if that is not valid. further: the node has
// accepted another connection of the session.
func (c *Client) connect(
	ctx context.Context,
	node string,
	from netip.AddrPort,
	offer versions,
	further bool,
) (*link, error) {
	within := c.Timeouts.connect()
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	raw, err := c.dial(limited, node)
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, canceled(ctx)
		case limited.Err() != nil || unanswered(err):
			return nil, problemf(
				Unreachable,
				"no connection within %s: the node is down, or a firewall drops what is sent to that port",
				within,
			)
		default:
			return nil, problemf(Unreachable, "cannot connect: %w", plainly(err))
		}
	}
	l, err := c.shake(limited, raw, node, from, offer)
	if err == nil {
		return l, nil
	}
	_ = raw.Close()
	var p *problem
	switch {
	case ctx.Err() != nil:
		return nil, canceled(ctx)
	case errors.As(err, &p):
		return nil, err
	case limited.Err() != nil || timedOut(err):
		return nil, problemf(
			Deadline,
			"it took the connection, and did not answer the handshake within %s",
			within,
		)
	case further:
		return nil, lost(err)
	case c.TLS == nil && c.wantsTLS(ctx, node):
		return nil, problemf(TLS, "the node wants TLS: its internode encryption is on")
	default:
		return nil, problemf(
			Version,
			"no handshake: %w: is that the storage port of a Cassandra 4.0 to 5.0?",
			err,
		)
	}
}

// shake makes a link of an open connection. An error that is not a problem is one of a plain
// handshake.
func (c *Client) shake(
	ctx context.Context,
	raw net.Conn,
	node string,
	from netip.AddrPort,
	offer versions,
) (l *link, err error) {
	// A deadline in the past wakes the goroutine in the handshake, which then fails.
	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		if !stop() && err == nil {
			err = ctx.Err() // it came too late, and the connection has that deadline
		}
	}()
	l = &link{Conn: raw, raw: raw, from: from}
	if !from.IsValid() {
		if l.from, err = announced(raw); err != nil {
			return nil, err
		}
	}
	if c.TLS == nil {
		return l, l.offer(offer)
	}
	settings, asked := c.settings(node)
	secured := tls.Client(raw, settings)
	l.Conn = secured
	if err = secured.HandshakeContext(ctx); err == nil {
		// With TLS 1.3 only the first answer shows that the node accepted the client's certificate.
		err = l.offer(offer)
	}
	var p *problem
	if err == nil || errors.As(err, &p) || ctx.Err() != nil {
		return l, err
	}
	return nil, c.explain(ctx, node, *asked, err)
}

// offer makes the handshake, over TLS or not.
func (l *link) offer(offer versions) error {
	o := Offer{
		Use:      minVersion,
		Min:      offer.min,
		Max:      offer.max,
		From:     l.from,
		Messages: offer.messages,
	}
	if o.Messages != 0 {
		o.Framing = CRC
	}
	if _, err := l.Write(AppendOffer(nil, o)); err != nil {
		return err
	}
	var err error
	if l.answer, err = ReadAnswer(l); err != nil {
		return err
	}
	if err := l.answer.check(); err != nil {
		return &problem{Version, err}
	}
	return nil
}

// announced returns the address of a connection, with the port announced for all.
func announced(conn net.Conn) (netip.AddrPort, error) {
	local, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("the connection has no address: %w", err)
	}
	port := uint16(announcedPort)
	if remote, err := netip.ParseAddrPort(
		conn.RemoteAddr().String(),
	); err == nil &&
		remote.Port() == port {
		port = otherPort
	}
	return netip.AddrPortFrom(local.Addr().Unmap().WithZone(""), port), nil
}
