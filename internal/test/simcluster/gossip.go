package simcluster

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/datastax/go-cassandra-native-protocol/datatype"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// appStates are the states of a node that gossip carries, in the order of Cassandra's
// ApplicationState, as the columns of system_views.gossip_info are named.
var appStates = []string{
	"status",
	"load",
	"schema",
	"dc",
	"rack",
	"release_version",
	"removal_coordinator",
	"internal_ip",
	"rpc_address",
	"x_11_padding",
	"severity",
	"net_version",
	"host_id",
	"tokens",
	"rpc_ready",
	"internal_address_and_port",
	"native_address_and_port",
	"status_with_port",
	"sstable_versions",
	"disk_usage",
	"index_status",
	"x1",
	"x2",
	"x3",
	"x4",
	"x5",
	"x6",
	"x7",
	"x8",
	"x9",
	"x10",
}

// endpoint is the state of a node in gossip.
type endpoint struct {
	node   *node
	states map[string]string // by name
	epoch  int               // of the layout that they have
}

// version returns that of the state at an index of appStates. A later layout has later versions.
func (e endpoint) version(state int) int { return e.epoch*len(appStates) + state + 1 }

// gossip is what a node has heard of all nodes, itself included.
func (n *node) gossip() []endpoint {
	l := n.view()
	var all []endpoint
	for i, of := range l.nodes {
		now, ported := l.status(i)
		if now == "" {
			continue
		}
		c := n.cluster
		states := map[string]string{
			"status": now, "status_with_port": ported, "tokens": gossipTokens(l.tokens[i]),
			"host_id": of.id.String(), "dc": of.dc, "rack": of.rack,
			"schema":          uuid(c.schema.schemaVersion()).String(),
			"release_version": c.options.Release, "net_version": "12", "sstable_versions": "big-nb",
			"load": "100000.0", "rpc_ready": strconv.FormatBool(!of.joining.Load()),
			"internal_ip": of.address.String(), "rpc_address": of.address.String(),
			"internal_address_and_port": hostPort(of.address, c.options.StoragePort),
			"native_address_and_port":   hostPort(of.address, c.port),
		}
		if ch := l.change; ch != nil && ch.Kind == Removing && ch.Node == i {
			states["removal_coordinator"] = status("REMOVER", l.nodes[ch.Other].id.String())
		}
		all = append(all, endpoint{of, states, l.epoch})
	}
	return all
}

// gossips is how the node's storage port answers gossip.
func (n *node) gossips() *internodetest.Gossip {
	return &internodetest.Gossip{
		Cluster:     clusterName,
		Partitioner: partitioner,
		Address:     n.storageAddress(),
		Endpoints:   n.endpoints,
	}
}

func (n *node) storageAddress() netip.AddrPort {
	return netip.AddrPortFrom(
		netip.AddrFrom4([4]byte(n.address)),
		uint16(n.cluster.options.StoragePort),
	)
}

// endpoints is what the node answers by gossip.
func (n *node) endpoints() (all []internode.Endpoint) {
	for _, e := range n.gossip() {
		told := internode.Endpoint{
			Address:    e.node.storageAddress(),
			Generation: generation,
			Heartbeat:  heartbeat,
		}
		for i, name := range appStates {
			if e.states[name] != "" {
				state := internode.AppState{
					State:   internode.State(i),
					Value:   e.states[name],
					Version: int32(e.version(i)),
				}
				told.States = append(told.States, state)
			}
		}
		all = append(all, told)
	}
	return all
}

// status is the state of a node by VersionedValueFactory, without ports and with them; empty if
// gossip does not have the node.
func (l *layout) status(i int) (string, string) {
	both := func(text string) (string, string) { return text, text }
	if ch := l.change; ch != nil && ch.Node == i && ch.Kind != Altering {
		first := tokenText(l.tokens[i])
		switch ch.Kind {
		case Joining:
			return both(status("BOOT", first))
		case Leaving:
			return both(status("LEAVING", first))
		case Moving:
			return both(status("MOVING", tokenText(ch.after.tokens[i])))
		case Removing:
			return both(status("removing", l.nodes[i].id.String()))
		case Replacing:
			of := l.nodes[ch.Other]
			ported := hostPort(of.address, of.cluster.options.StoragePort)
			return status("BOOT_REPLACE", of.address.String()), status("BOOT_REPLACE", ported)
		}
	}
	if l.member[i] {
		return both(status("NORMAL", tokenText(l.tokens[i])))
	}
	return both(l.left[i])
}

func status(parts ...string) string { return strings.Join(parts, ",") }

func gossipTokens(tokens []token.Token) string {
	var wire [][]byte
	for _, t := range tokens {
		wire = append(wire, token.Murmur3.AppendWire(nil, t))
	}
	return internode.TokensValue(wire)
}

func hostPort(address net.IP, port int) string {
	return net.JoinHostPort(address.String(), strconv.Itoa(port))
}

// hasGossipInfo reports whether nodes have system_views.gossip_info (CASSANDRA-17002: since 4.1).
func (c *Cluster) hasGossipInfo() bool {
	r := c.options.Release
	return c.options.Shards == 0 && !strings.HasPrefix(r, "3.") && !strings.HasPrefix(r, "4.0")
}

// gossipInfo is system_views.gossip_info (GossipInfoTable): of tokens it has the version only.
func (n *node) gossipInfo() *relation {
	r := &relation{columns: []column{
		{
			"address",
			datatype.Inet,
			true,
		},
		{"port", datatype.Int, false},
		{"hostname", textType, false},
		{"generation", datatype.Int, false},
		{"heartbeat", datatype.Int, false},
	}}
	for _, name := range appStates {
		if name != "tokens" {
			r.columns = append(r.columns, column{name, textType, false})
		}
	}
	for _, name := range appStates {
		r.columns = append(r.columns, column{name + "_version", datatype.Int, false})
	}
	for _, e := range n.gossip() {
		row := [][]byte{
			[]byte(
				e.node.address.To4(),
			),
			integer(n.cluster.options.StoragePort),
			text(e.node.address.String()),
			integer(generation),
			integer(heartbeat),
		}
		for _, name := range appStates {
			if name != "tokens" {
				row = append(row, orNull(e.states[name]))
			}
		}
		for i, name := range appStates {
			var version []byte
			if e.states[name] != "" {
				version = integer(e.version(i))
			}
			row = append(row, version)
		}
		r.rows = append(r.rows, row)
	}
	return r
}

const (
	clusterName = "simulated"
	generation  = 1700000000 // when each node started, in seconds since the epoch
	heartbeat   = 1000
)
