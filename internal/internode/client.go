package internode

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"time"
)

// Client is how to speak to nodes. Its zero value is usable. It is safe for concurrent use as long
// as it, and what it points to, do not change.
type Client struct {
	// TLS secures connections; nil: plain ones. Without a ServerName the certificate must be for
	// the node's address.
	TLS *tls.Config
	// Dial opens connections; nil: with a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Connections is the number of files of a session that are sent at the same time, each on a
	// connection of its own; 0: 1.
	Connections int
	// KeepAlive is the interval between two KeepAlive messages of a session; 0: a minute.
	KeepAlive time.Duration
	Timeouts  Timeouts
	// Limiter limits the rate of what is sent; nil: no limit.
	Limiter Limiter
}

// Timeouts are how long to wait for a node; 0: the default.
type Timeouts struct {
	// Connect is the time for a connection and its handshakes: 10 seconds.
	Connect time.Duration
	// Prepare is the time until a session is accepted: a minute, or 10 minutes if files are
	// requested, since the node flushes the table first.
	Prepare time.Duration
	// Stall is the time for a node to read 64 KiB from a connection: 5 minutes. It is also the time
	// for a node to send a byte in the middle of a file. Nodes close a connection after 3 minutes
	// (4.0) or 5 without progress.
	Stall time.Duration
	// Received is the time without an acknowledgement while files are sent and not acknowledged: 5
	// minutes.
	Received time.Duration
	// Complete is the time between the acknowledgement of the last file and the end of the session:
	// 30 minutes. The node builds indexes and updates views in it. With Watch.Alive it is how long
	// the node may be silent, at any point of the session, before Alive is called: a minute.
	Complete time.Duration
	// Bring is the time without a file in progress if files are requested, between the node's
	// announcement and the end of the session: 5 minutes. The table is flushed by then. But a node
	// sends at most one file per processor at once, to all nodes together, so files of a repair may
	// come first.
	Bring time.Duration
	// Gossip is the time for a node to answer a gossip request: 10 seconds.
	Gossip time.Duration
}

// Limiter limits the rate of bytes sent over the network; [pace.Limiter] is one. Several goroutines
// use it at the same time.
type Limiter interface {
	// Wait blocks until n more bytes may be sent, or the context ends.
	Wait(ctx context.Context, n int) error
}

// parting is how long a session that has failed waits for the node's message with the reason. The
// client's own last message has the time farewell.
const (
	parting  = 5 * time.Second
	farewell = 100 * time.Millisecond
)

func (t Timeouts) connect() time.Duration  { return cmp.Or(t.Connect, 10*time.Second) }
func (t Timeouts) stall() time.Duration    { return cmp.Or(t.Stall, 5*time.Minute) }
func (t Timeouts) received() time.Duration { return cmp.Or(t.Received, 5*time.Minute) }
func (t Timeouts) bring() time.Duration    { return cmp.Or(t.Bring, 5*time.Minute) }
func (t Timeouts) gossip() time.Duration   { return cmp.Or(t.Gossip, 10*time.Second) }

func (t Timeouts) complete(asked bool) time.Duration {
	if asked {
		return cmp.Or(t.Complete, time.Minute)
	}
	return cmp.Or(t.Complete, 30*time.Minute)
}

// The defaults of Timeouts.Prepare.
const (
	preparedToTake = time.Minute
	preparedToSend = 10 * time.Minute
)

func (t Timeouts) prepare(
	otherwise time.Duration,
) time.Duration {
	return cmp.Or(t.Prepare, otherwise)
}

func (c *Client) keepAlive() time.Duration { return cmp.Or(c.KeepAlive, time.Minute) }

func (c *Client) dial(ctx context.Context, node string) (net.Conn, error) {
	if c.Dial != nil {
		return c.Dial(ctx, "tcp", node)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", node)
}

func (c *Client) wait(ctx context.Context, n int) error {
	if c.Limiter == nil {
		return nil
	}
	return c.Limiter.Wait(ctx, n)
}
