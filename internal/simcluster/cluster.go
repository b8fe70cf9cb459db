// Package simcluster is a small simulated cluster for tests: each node is a real
// TCP server that speaks CQL native protocol version 4 on an address of its own,
// and all of them know one table, k bigint PRIMARY KEY and v text, with rows made
// from a seed. Nodes can be like Cassandra's or like ScyllaDB's: with shards, a
// shard-aware port, and tablets.
//
// Start with [Start]. A cluster writes down each statement that comes in, with the
// node and the shard that it came to ([Cluster.Requests]); what is written by it is
// kept apart ([Cluster.Written]) and not read back. [Options.Refuse] makes
// requests fail, [Cluster.Stop] ends a node. Every node holds all rows and answers
// for any, as a coordinator does; who ought to have been asked is for the test to
// compare with [Cluster.Replicas].
//
// All methods are safe for concurrent use. What they return is the caller's,
// except the values of rows, which must not be changed. Only tests import this.
//
// Sources: native protocol specification, version 4; ScyllaDB's
// docs/dev/protocol-extensions.md and docs/dev/system_keyspace.md; the columns of
// the system tables are those of Cassandra 5.0 and ScyllaDB that drivers ask for.
package simcluster

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"

	"github.com/datastax/go-cassandra-native-protocol/message"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Options describe a cluster; zero values take the defaults.
type Options struct {
	Base      string   // address of the first node, default 127.0.77.1; the others count up from it
	Nodes     int      // default 3
	DCs       []string // data centers, which the nodes are dealt out to in turn; default dc1
	Factor    int      // replicas in each data center, default 2
	Tokens    int      // vnode tokens of each node, default 8
	Shards    int      // of each node, which is then ScyllaDB's; 0: Cassandra
	IgnoreMSB int      // default 12
	Tablets   int      // number of tablets of the table; 0: it is placed by the ring
	Colocated bool     // the tablets are kept under another table's id
	Keyspace  string   // default ks
	Table     string   // default t
	Rows      int      // default 1000
	Seed      uint64   // of tokens, tablets and rows

	// Refuse is asked before each statement is answered, from several goroutines;
	// Rows of a read is then still 0. What it returns, unless nil, is the answer.
	Refuse func(Request) message.Error
}

func (o Options) withDefaults() Options {
	o.Base = cmp.Or(o.Base, "127.0.77.1")
	o.Nodes = cmp.Or(o.Nodes, 3)
	if len(o.DCs) == 0 {
		o.DCs = []string{"dc1"}
	}
	o.Factor = cmp.Or(o.Factor, 2)
	o.Tokens = cmp.Or(o.Tokens, 8)
	o.IgnoreMSB = cmp.Or(o.IgnoreMSB, 12)
	o.Keyspace = cmp.Or(o.Keyspace, "ks")
	o.Table = cmp.Or(o.Table, "t")
	o.Rows = cmp.Or(o.Rows, 1000)
	if o.Refuse == nil {
		o.Refuse = func(Request) message.Error { return nil }
	}
	return o
}

// Cluster is a running simulated cluster.
type Cluster struct {
	options   Options
	nodes     []*node
	placement *token.Placement // by the ring or by tablets
	tablets   []tablet
	data      *relation // the table's rows in the order of their tokens
	tokens    []token.Token
	log       log
	handlers  sync.WaitGroup
}

// Start makes a cluster whose nodes all listen.
func Start(o Options) (*Cluster, error) {
	c := &Cluster{options: o.withDefaults()}
	random := rand.New(rand.NewPCG(c.options.Seed, 1))
	if err := c.makeNodes(random); err != nil {
		return nil, err
	}
	if err := c.place(random); err != nil {
		return nil, err
	}
	c.makeRows(random)
	if err := c.listen(); err != nil {
		return nil, err
	}
	for _, n := range c.nodes {
		n.serve()
	}
	return c, nil
}

// Close ends all nodes and waits until nothing of them runs any more.
func (c *Cluster) Close() {
	for i := range c.nodes {
		c.Stop(i)
	}
	c.handlers.Wait()
}

// Stop ends a node: it takes no more connections, and those it has are closed.
func (c *Cluster) Stop(node int) { c.nodes[node].stop() }

// Hosts lists the addresses of the nodes.
func (c *Cluster) Hosts() []string {
	hosts := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		hosts[i] = n.address.String()
	}
	return hosts
}

// Port is the port that all nodes listen on.
func (c *Cluster) Port() int { return port(c.nodes[0].plain) }

// HostID is the host id of a node.
func (c *Cluster) HostID(node int) string { return c.nodes[node].id.String() }

// listen opens the ports: all nodes have the same, as in a real cluster.
func (c *Cluster) listen() error {
	var err error
	for range 20 { // a port that is free at one address may be taken at another
		if err = c.listenOnce(); err == nil {
			return nil
		}
		for _, n := range c.nodes {
			n.unlisten()
		}
	}
	return err
}

func (c *Cluster) listenOnce() error {
	plain, aware := 0, 0
	for _, n := range c.nodes {
		if err := n.listen(plain, aware); err != nil {
			return err
		}
		plain = port(n.plain)
		if n.aware != nil {
			aware = port(n.aware)
		}
	}
	return nil
}

func port(l *net.TCPListener) int { return l.Addr().(*net.TCPAddr).Port }

// makeNodes makes the nodes, each in a rack of its own.
func (c *Cluster) makeNodes(random *rand.Rand) error {
	base := net.ParseIP(c.options.Base).To4()
	if base == nil {
		return errors.New("simcluster: the base is no IPv4 address: " + c.options.Base)
	}
	for i := range c.options.Nodes {
		n := &node{
			cluster: c, index: i,
			address: net.IPv4(base[0], base[1], base[2], base[3]+byte(i)),
			dc:      c.options.DCs[i%len(c.options.DCs)],
			rack:    fmt.Sprint("r", i/len(c.options.DCs)+1),
			id:      uuid{0: 0xc1, 6: 0x40, 8: 0x80, 15: byte(i + 1)},
			conns:   make(map[*conn]struct{}),
		}
		for range c.options.Tokens {
			n.tokens = append(n.tokens, token.Token{Lo: random.Uint64()})
		}
		c.nodes = append(c.nodes, n)
	}
	return nil
}
