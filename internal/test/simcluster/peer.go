package simcluster

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Peer is a row of system.peers, and of system.peers_v2, that is not what a member of
// the cluster has there. What is empty is null.
type Peer struct {
	Address  string // the key
	HostID   string
	DC, Rack string
	Client   string // the address that clients reach the node at
	Tokens   []token.Token
}

// peers are rows in nodes' tables of peers that are no members.
type peers struct {
	mu   sync.Mutex
	rows map[int][]Peer // by node
}

// Misinform makes these all the rows that a node's tables of peers have besides those of
// the members, which they come after. A row of the address of a member takes its place. A
// row with an address or a host id that is none makes it panic when it is asked for.
func (c *Cluster) Misinform(node int, rows ...Peer) {
	c.peers.mu.Lock()
	defer c.peers.mu.Unlock()
	if c.peers.rows == nil {
		c.peers.rows = make(map[int][]Peer)
	}
	c.peers.rows[node] = rows
}

// Tokens are the tokens of a node.
func (c *Cluster) Tokens(node int) []token.Token {
	return slices.Clone(c.layout.Load().tokens[node])
}

// misinform adds the rows that a node has been given.
func (n *node) misinform(rows [][][]byte, version []byte) [][][]byte {
	p := &n.cluster.peers
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, peer := range p.rows[n.index] {
		row := peer.row(n.cluster.options.Release, version)
		rows = slices.DeleteFunc(
			rows,
			func(other [][]byte) bool { return bytes.Equal(other[0], row[0]) },
		)
		rows = append(rows, row)
	}
	return rows
}

// row is the peer in the order of the columns of system.peers.
func (p Peer) row(release string, version []byte) [][]byte {
	return [][]byte{
		inet(
			p.Address,
		),
		orNull(p.DC),
		hostID(p.HostID),
		nil,
		orNull(p.Rack),
		text(release),
		inet(p.Client),
		version,
		tokenSet(p.Tokens),
	}
}

func orNull(s string) []byte {
	if s == "" {
		return nil
	}
	return text(s)
}

func inet(address string) []byte {
	if address == "" {
		return nil
	}
	return netip.MustParseAddr(address).AsSlice()
}

func tokenSet(tokens []token.Token) []byte {
	if len(tokens) == 0 {
		return nil
	}
	var all [][]byte
	for _, t := range tokens {
		all = append(all, token.Murmur3.Append(nil, t))
	}
	return list(all...)
}

func hostID(text string) []byte {
	if text == "" {
		return nil
	}
	id, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil {
		panic(err)
	}
	return id
}
