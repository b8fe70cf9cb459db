package internode

import (
	"context"
	"net/netip"
)

// Probed is what a node's storage port reported.
type Probed struct {
	Version int // of the internode protocol, as a session would use it: 12 or 13
}

// Probe connects to a node's storage port (address and port), and asks for its version. It begins
// no session. The node only logs that a client offered another version. An error is an [*Error] of
// kind [Unreachable], [Version], [TLS], [Deadline] or [Canceled]. It says why no session would be
// possible.
func (c *Client) Probe(ctx context.Context, node string) (Probed, error) {
	l, err := c.connect(ctx, node, netip.AddrPort{}, unspoken, false)
	if err != nil {
		return Probed{}, wrap(node, UUID{}, err)
	}
	_ = l.Close()
	return Probed{Version: l.answer.Use}, nil
}

// WritesNB reports whether the node writes SSTables of version nb. Those of Cassandra 4.0 and 4.1
// do, and of 5.0 while its storage_compatibility_mode is CASSANDRA_4. Others write oa or da.
func (p Probed) WritesNB() bool { return p.Version == minVersion }
