package driver

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"syscall"

	"github.com/gocql/gocql"
)

// dialer opens the driver's connections, each with a frameChecker. It replaces the driver's own
// dialer, which cannot put one above TLS. A node's certificate is verified by its address, unless
// the configuration has a name.
type dialer struct {
	net       net.Dialer
	cfg       Config
	nodes     *coordinators
	pageLimit *pageLimit   // of pages
	lz4       *compression // of frames
	warnings  *serverWarnings
}

// DialHost connects to a node.
func (d *dialer) DialHost(ctx context.Context, h *gocql.HostInfo) (*gocql.DialedHost, error) {
	var errs []error
	for _, to := range d.nodes.insteadOf(h) {
		dialed, err := d.dial(ctx, &d.net, to, to.Port())
		if err == nil {
			return dialed, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
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
	if d.cfg.TLS != nil {
		port = h.ScyllaShardAwarePortTLS()
	}
	// What forwards a connection changes its source port, which selects the shard.
	if port == 0 || d.cfg.isForwarded(h) || d.nodes.excludes(h) {
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
	address, secured := d.cfg.route(h, port)
	conn, err := from.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	dialed, err := gocql.WrapTLS(ctx, conn, address, secured)
	if err != nil {
		return nil, err
	}
	dialed.Conn = d.checkFrames(dialed.Conn, h.ConnectAddress().String())
	return dialed, nil
}

// route returns the address at which a node is reached, and the configuration of TLS there.
func (c Config) route(h *gocql.HostInfo, port int) (address string, secured *tls.Config) {
	if c.proxy != nil {
		return c.proxy.address, c.proxy.tlsFor(h.HostID())
	}
	return c.Addresses.address(h.ConnectAddress().String(), port), c.TLS
}

// isForwarded reports whether a node is reached at another address than its own.
func (c Config) isForwarded(h *gocql.HostInfo) bool {
	return c.proxy != nil || c.Addresses.has(h.ConnectAddress().String())
}

// checkFrames adds a frameChecker to what comes in on a connection. What goes out is unchanged: on
// TCP, several requests in one system call.
func (d *dialer) checkFrames(conn net.Conn, node string) net.Conn {
	g := newFrameChecker(conn, d.cfg.Timeout, d.pageLimit)
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
