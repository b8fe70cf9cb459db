package driver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/gocql/gocql"
)

// NodeLists limits the nodes that requests are sent to. A node is listed by its address, without a
// port, as the cluster reports it. The zero value allows all nodes.
type NodeLists struct {
	Allow []string // empty: all nodes
	Deny  []string // of those, the nodes that no request is sent to
}

// Excludes reports whether a node with these addresses is not to be a coordinator.
func (l NodeLists) Excludes(addresses ...string) bool {
	listed := func(list []string) bool {
		return slices.ContainsFunc(
			addresses,
			func(a string) bool { return slices.Contains(list, a) },
		)
	}
	return len(l.Allow) > 0 && !listed(l.Allow) || listed(l.Deny)
}

// coordinators are the nodes that requests may be sent to. A connection to an excluded node is
// opened to one of these nodes instead, which then is the coordinator of its requests. So a token
// range whose replicas are all excluded can still be read and written. It is safe for concurrent
// use.
type coordinators struct {
	lists NodeLists

	mu      sync.Mutex
	allowed map[string]*gocql.HostInfo // by host id
	dials   map[string]int             // in the place of excluded nodes, by host id
	found   map[string]bool            // listed addresses that a node of the cluster has
}

func newCoordinators(lists NodeLists) *coordinators {
	return &coordinators{
		lists:   lists,
		allowed: make(map[string]*gocql.HostInfo),
		dials:   make(map[string]int),
		found:   make(map[string]bool),
	}
}

// excludes reports whether a node is not to be a coordinator.
func (c *coordinators) excludes(h *gocql.HostInfo) bool {
	return c.lists.Excludes(addressesOf(h)...)
}

// addressesOf returns all addresses of a node. It may be reached at another one than it reports.
func addressesOf(h *gocql.HostInfo) []string {
	return []string{
		h.UntranslatedConnectAddress().String(),
		h.RPCAddress().String(),
		h.BroadcastAddress().String(),
		h.Peer().String(),
	}
}

// see notes that the cluster has a node.
func (c *coordinators) see(h *gocql.HostInfo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, address := range addressesOf(h) {
		c.found[address] = true
	}
}

// add adds a node of the session.
func (c *coordinators) add(h *gocql.HostInfo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.excludes(h) {
		delete(c.allowed, h.HostID()) // it may have been added by another of its addresses
		return
	}
	c.allowed[h.HostID()] = h
}

// insteadOf returns the nodes to connect to for a node, the first that answers. That is the node
// itself, unless it is excluded. For an excluded one, a node comes first that is of the same data
// center and has taken few connections of such nodes. While no node is known, which is when the
// session begins, it is the contact point h.
func (c *coordinators) insteadOf(h *gocql.HostInfo) []*gocql.HostInfo {
	if !c.excludes(h) {
		return []*gocql.HostInfo{h}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.SortedFunc(maps.Values(c.allowed), func(a, b *gocql.HostInfo) int {
		return cmp.Or(
			cmp.Compare(distance(a, h), distance(b, h)),
			cmp.Compare(c.dials[a.HostID()], c.dials[b.HostID()]),
			strings.Compare(a.HostID(), b.HostID()),
		)
	})
	if len(all) == 0 {
		return []*gocql.HostInfo{h}
	}
	c.dials[all[0].HostID()]++
	return all
}

// distance is 0 for nodes of one data center, otherwise 1.
func distance(a, b *gocql.HostInfo) int {
	if a.DataCenter() == b.DataCenter() {
		return 0
	}
	return 1
}

// check returns an error if the lists name an address that no node has, or leave no node.
func (c *coordinators) check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, list := range []struct {
		flag  string
		nodes []string
	}{{"--allow-nodes", c.lists.Allow}, {"--deny-nodes", c.lists.Deny}} {
		for _, address := range list.nodes {
			if !c.found[address] {
				return fmt.Errorf("%s %s: no node of the cluster has this address", list.flag, address)
			}
		}
	}
	if len(c.allowed) == 0 {
		return fmt.Errorf(
			"no node is left to send requests to: --allow-nodes %q, --deny-nodes %q",
			strings.Join(c.lists.Allow, ","),
			strings.Join(c.lists.Deny, ","),
		)
	}
	return nil
}

// allowedContacts returns the contact points that are not of excluded nodes. One that stands for
// several addresses is replaced by those of them that are left. The address of a map is that of the
// node which is reached there.
func (c Config) allowedContacts(ctx context.Context) ([]string, error) {
	if c.proxy != nil || len(c.Nodes.Allow)+len(c.Nodes.Deny) == 0 {
		return c.Hosts, nil
	}
	var left []string
	for _, contact := range c.Hosts {
		address := withPort(contact, c.Port)
		if nodes := c.Addresses.nodesAt(address, c.Port); len(nodes) > 0 {
			if !c.Nodes.Excludes(nodes...) {
				left = append(left, contact)
			}
			continue
		}
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			left = append(left, contact) // the probe explains it
			continue
		}
		for _, ip := range found {
			if plain := ip.Unmap().String(); !c.Nodes.Excludes(plain) {
				left = append(left, net.JoinHostPort(plain, port))
			}
		}
	}
	if len(left) == 0 {
		return nil, fmt.Errorf(
			"--hosts %s: all contact points are excluded by --allow-nodes or --deny-nodes",
			strings.Join(c.Hosts, ","),
		)
	}
	return left, nil
}
