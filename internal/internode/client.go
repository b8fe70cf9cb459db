package internode

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"time"
)

// Client says how nodes are spoken to. Its zero value is of use. It is safe for concurrent use as
// long as nobody changes it, and so is what it points to.
type Client struct {
	// TLS is what connections are secured with; nil for plain ones. Without a ServerName the
	// certificate must be for the node's address.
	TLS *tls.Config
	// Dial opens connections; nil for those of a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Connections is how many files of a session may be on their way at the same time, each on a
	// connection of its own; 0 for 1.
	Connections int
	// KeepAlive is the time between two signs of life that a session gives; 0 for a minute.
	KeepAlive time.Duration
	Timeouts  Timeouts
	// Limiter holds back what is sent; nil lets all pass.
	Limiter Limiter
}

// Timeouts are how long a node is waited for; 0 stands for the default.
type Timeouts struct {
	// Connect is the time for a connection with its handshakes: 10 seconds.
	Connect time.Duration
	// Prepare is the time until a session is accepted: a minute; 10 minutes where files are asked
	// for, since the node flushes the table first.
	Prepare time.Duration
	// Stall is the time that a node may take to read 64 KiB from a connection, or to send a byte in
	// the midst of a file: 5 minutes. Nodes give up a connection that moves nothing for 3 minutes
	// (4.0) or 5.
	Stall time.Duration
	// Received is the time without word of any file that is sent and not acknowledged: 5 minutes.
	Received time.Duration
	// Complete is the time in which the node says nothing after it has acknowledged the last
	// file, while it builds indexes and feeds views: 30 minutes. With Watch.Alive it is the time
	// in which the node says nothing at any point of the session, until that is asked: a minute.
	Complete time.Duration
	// Bring is the time in which no file is on its way where files are asked for, from when the
	// node has said what it will bring until the session is complete: 5 minutes. The table is
	// flushed by then; but a node sends no more files at once, to all, than it has processors, so
	// that those of a repair of its own may come before.
	Bring time.Duration
	// Gossip is the time until a node has answered what it was asked by gossip: 10 seconds.
	Gossip time.Duration
}

// Limiter holds back bytes that are to be sent, as they go over the network; pace.Limiter is one.
// It is used by several goroutines at the same time.
type Limiter interface {
	// Wait blocks until n more bytes may be sent, or the context ends.
	Wait(ctx context.Context, n int) error
}

// parting is how long a session that is over waits for what the node may still have to say
// of it, and how long it takes to say so itself.
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
