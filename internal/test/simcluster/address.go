package simcluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// base is the address of the first node.
func (o *Options) base() (uint32, error) {
	if o.Base == Anywhere {
		// Addresses above 127.64 are free; 50 nodes find room below the next.
		return 127<<24 | 64<<16 | rand.Uint32N(0x7fff)<<7 | 1, nil
	}
	base := net.ParseIP(o.Base).To4()
	if base == nil {
		return 0, errors.New("simcluster: the base is no IPv4 address: " + o.Base)
	}
	return binary.BigEndian.Uint32(base), nil
}

// makeNodes makes the nodes that the cluster starts with.
func (c *Cluster) makeNodes() error {
	base, err := c.options.base()
	if err != nil {
		return err
	}
	next := &layout{factor: c.options.Factor, left: make(map[int]string)}
	for i := range c.options.Nodes {
		rack := i / len(c.options.DCs)
		if c.options.Racks > 0 {
			rack %= c.options.Racks
		}
		next.add(
			c.newNode(
				base+uint32(i),
				i,
				c.options.DCs[i%len(c.options.DCs)],
				fmt.Sprint("r", rack+1),
			),
			c.drawTokens(),
		)
	}
	return c.place(next)
}

func (c *Cluster) newNode(address uint32, index int, dc, rack string) *node {
	n := &node{
		cluster: c, index: index,
		address: binary.BigEndian.AppendUint32(nil, address),
		dc:      dc,
		rack:    rack,
		id:      uuid{0: 0xc1, 6: 0x40, 8: 0x80, 14: byte((index + 1) >> 8), 15: byte(index + 1)},
		conns:   make(map[*conn]struct{}),
	}
	copy(n.id[1:5], n.address) // nodes of two clusters are others
	return n
}

func (c *Cluster) drawTokens() []token.Token {
	tokens := make([]token.Token, c.options.Tokens)
	for i := range tokens {
		tokens[i].Lo = c.random.Uint64()
	}
	return tokens
}

// listen opens the ports: all nodes have the same, as in a real cluster.
func (c *Cluster) listen(nodes []*node) error {
	var err error
	for range 20 { // a port that is free at one address may be taken at another
		if err = c.listenOnce(nodes); err == nil {
			return nil
		}
		for _, n := range nodes {
			n.unlisten()
		}
		c.port, c.awarePort = 0, 0
	}
	return err
}

func (c *Cluster) listenOnce(nodes []*node) error {
	for _, n := range nodes {
		if err := n.listen(); err != nil {
			return err
		}
		c.port = port(n.plain)
		if n.aware != nil {
			c.awarePort = port(n.aware)
		}
	}
	return nil
}

func port(l *net.TCPListener) int { return l.Addr().(*net.TCPAddr).Port }
