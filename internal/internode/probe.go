package internode

import (
	"context"
	"net/netip"
)

// Probed is what a node's storage port told of itself.
type Probed struct {
	Version int // of the internode protocol, as a session would speak it: 12 or 13
}

// Probe connects to a node's storage port, address and port, and asks for its version; no session
// is begun, and the node's log has nothing of it but a line that somebody offered another version.
// An error is an [*Error], and says why no session could be held: of kind [Unreachable], [Version],
// [TLS], [Deadline] or [Canceled].
func (c *Client) Probe(ctx context.Context, node string) (Probed, error) {
	l, err := c.connect(ctx, node, netip.AddrPort{}, unspoken, false)
	if err != nil {
		return Probed{}, wrap(node, UUID{}, err)
	}
	_ = l.Close()
	return Probed{Version: l.answer.Use}, nil
}

// WritesNB says whether the node writes SSTables of version nb: those of Cassandra 4.0 and 4.1 do,
// and of 5.0 as long as its storage_compatibility_mode is CASSANDRA_4. Others write oa or da.
func (p Probed) WritesNB() bool { return p.Version == minVersion }
