package driver

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/gocql/gocql"
)

// dialer opens the driver's connections, each with a frameChecker. It replaces the driver's own
// dialer, which cannot put one above TLS. A node's certificate is verified by its address, unless
// the configuration has a name.
type dialer struct {
	net       net.Dialer
	tls       *tls.Config
	addresses AddressMap
	nodes     *coordinators
	wait      time.Duration // for the rest of a frame that has begun
	pageLimit *pageLimit    // of pages
	lz4       *compression  // of frames
	warnings  *serverWarnings
}

// DialHost connects to a node.
func (d *dialer) DialHost(ctx context.Context, h *gocql.HostInfo) (*gocql.DialedHost, error) {
	h = d.nodes.insteadOf(h)
	return d.dial(ctx, &d.net, h, h.Port())
}

// A client of ScyllaDB chooses a shard by its source port. It is one of these.
const firstSource, lastSource = 0x8000, 0xffff

// DialShard connects to a shard of a ScyllaDB node. Connections to the shard-aware port go to the
// shard that their source port selects. If there is no such port, or no connection to it, DialShard
// connects to any shard.
func (d *dialer) DialShard(
	ctx context.Context,
	h *gocql.HostInfo,
	shard, shards int,
) (*gocql.DialedHost, error) {
	port := h.ScyllaShardAwarePort()
	if d.tls != nil {
		port = h.ScyllaShardAwarePortTLS()
	}
	// What forwards a connection changes its source port, which selects the shard.
	if port == 0 || d.addresses.has(h.ConnectAddress().String()) || d.nodes.excludes(h) {
		return d.DialHost(ctx, h)
	}
	source := firstSource + (shard-firstSource%shards+shards)%shards
	for ; source <= lastSource; source += shards {
		from := d.net
		from.LocalAddr = &net.TCPAddr{Port: source}
		dialed, err := d.dial(ctx, &from, h, int(port))
		if err == nil {
			return dialed, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return d.DialHost(ctx, h)
}

func (d *dialer) dial(
	ctx context.Context,
	from *net.Dialer,
	h *gocql.HostInfo,
	port int,
) (*gocql.DialedHost, error) {
	node := h.ConnectAddress().String()
	address := d.addresses.address(node, port)
	conn, err := from.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	dialed, err := gocql.WrapTLS(ctx, conn, address, d.tls)
	if err != nil {
		return nil, err
	}
	dialed.Conn = d.checkFrames(dialed.Conn, node)
	return dialed, nil
}

// checkFrames adds a frameChecker to what comes in on a connection. What goes out is unchanged: on
// TCP, several requests in one system call.
func (d *dialer) checkFrames(conn net.Conn, node string) net.Conn {
	g := newFrameChecker(conn, d.wait, d.pageLimit)
	g.node, g.lz4, g.warnings = node, d.lz4, d.warnings
	if tcp, ok := conn.(*net.TCPConn); ok {
		return checkedTCP{tcp, g}
	}
	return checkedConn{conn, g}
}

type checkedTCP struct {
	*net.TCPConn
	frames *frameChecker
}

func (c checkedTCP) Read(b []byte) (int, error) { return c.frames.Read(b) }

type checkedConn struct {
	net.Conn
	frames *frameChecker
}

func (c checkedConn) Read(b []byte) (int, error) { return c.frames.Read(b) }
