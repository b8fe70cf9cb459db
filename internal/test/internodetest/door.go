package internodetest

import (
	"context"
	"net"
	"net/netip"
	"sync"
)

// Door is a listener without a network, for an [internode.Listener]: what its Dial opens, it
// accepts.
type Door struct {
	at     netip.AddrPort
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewDoor makes a door of that address.
func NewDoor(at netip.AddrPort) *Door {
	return &Door{at: at, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept waits for a connection.
func (d *Door) Accept() (net.Conn, error) {
	select {
	case conn := <-d.conns:
		return conn, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

// Close has Accept and Dial fail.
func (d *Door) Close() error {
	d.once.Do(func() { close(d.closed) })
	return nil
}

// Addr is the door's address.
func (d *Door) Addr() net.Addr { return net.TCPAddrFromAddrPort(d.at) }

// Dial opens a connection to the door, as from the address [Own], whatever address it is given.
func (d *Door) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case d.conns <- pipe{far, net.TCPAddrFromAddrPort(Own)}:
		return pipe{near, d.Addr()}, nil
	case <-d.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
