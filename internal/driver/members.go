package driver

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// witnesses is the number of nodes that are asked which others they know.
const witnesses = 5

// peersPage is the number of peers in a page. Each has up to 256 tokens, so a thousand nodes in one
// frame would be 6 MB.
const peersPage = 64

// nodeAccount is what a node reports about itself and, if it is a witness, about the others.
type nodeAccount struct {
	id     string
	tokens []string // read if there are suspects
	peers  []peerRow
	knows  bool // it is a witness, and returned its peers
}

// peerRow is a row of system.peers or system.peers_v2.
type peerRow struct {
	address string
	id      string // empty: null
	dc      string
	lacks   string // the column that every member has, and this row lacks
}

// membership compares the nodes that the library knows with what the nodes report.
type membership struct {
	filter    *filter
	hosts     []*gocql.HostInfo
	shared    []bool            // by host: another node may answer in its place
	accounts  []nodeAccount     // by host; empty for a node that did not answer
	found     map[string]string // why a row is left out, by the name of the row in the warning
	reconnect bool
}

// inspect finds the rows of peers that are not of members. Such rows remain when a node is removed,
// replaced, or gets another address. Because of them, the library knows a node that does not exist,
// and whose tokens may be another's by now. One warning names the rows that are left out. The
// result reconnect reports that a new session is needed, because the library accepted a wrong row.
//
// A node is a member if it answers at the address in its row, with the host id in its row. A node
// that does not answer is a member under two conditions. At least half of the nodes asked know it,
// and no node that answers has one of its tokens. It is safe to leave out a member that is down.
// Any node can be asked for any row, and the ring is complete without it.
//
// Another node may answer in the place of one that is behind a proxy, or not to be asked. Such a
// node is taken for a member: it is not known who answers there.
func (s *Session) inspect(ctx context.Context) (reconnect bool) {
	in := &membership{filter: s.filter, hosts: s.hosts(), found: make(map[string]string)}
	in.accounts = make([]nodeAccount, len(in.hosts))
	in.shared = s.sharePlaces(in.hosts)
	connections := s.allConnections()
	var asked []int
	var nodes []*gocql.HostInfo
	for i, h := range in.hosts {
		if connections[h.HostID()] > 0 {
			asked, nodes = append(asked, i), append(nodes, h)
		}
	}
	_, silent := s.askAll(ctx, nodes, func(ctx context.Context, i int) error {
		return s.askAccount(ctx, nodes[i], i < witnesses, &in.accounts[asked[i]])
	})
	if len(silent) > 0 {
		s.cfg.Logf(
			"no answer within %s from %s: they are members of the cluster if others know them",
			s.cfg.AskTimeout,
			strings.Join(silent, ", "),
		)
	}
	for i := range in.hosts {
		in.check(i)
	}
	if in.suspects() {
		s.askAll(ctx, nodes, func(ctx context.Context, i int) error {
			return s.each(
				ctx,
				nodes[i].HostID(),
				func() error { return nil },
				[]any{&in.accounts[asked[i]].tokens},
				"SELECT tokens FROM system.local",
			)
		})
		in.checkTokens()
	}
	in.checkIncomplete(s.cfg.DC)
	if in.reconnect {
		return true
	}
	if len(in.found) > 0 {
		var all []string
		for _, row := range slices.Sorted(maps.Keys(in.found)) {
			all = append(all, row+" ("+in.found[row]+")")
		}
		s.cfg.Warnf(
			"system.peers has nodes that are not members of the cluster; they are left out: %s",
			strings.Join(all, ", "),
		)
	}
	return false
}

// sharePlaces reports for each node whether another one may answer in its place. That is so behind
// a proxy for several nodes, and if no connection to the node is opened.
func (s *Session) sharePlaces(hosts []*gocql.HostInfo) []bool {
	places, nodesAt := make([]string, len(hosts)), make(map[string]int)
	for i, h := range hosts {
		places[i] = s.cfg.Addresses.address(h.ConnectAddress().String(), h.Port())
		nodesAt[places[i]]++
	}
	shared := make([]bool, len(hosts))
	for i, h := range hosts {
		shared[i] = s.filter.nodes.excludes(h) ||
			s.cfg.Addresses.has(h.ConnectAddress().String()) && nodesAt[places[i]] > 1
	}
	return shared
}

// suspects reports whether there is a node that does not answer and is not left out yet. One of its
// tokens may be another's.
func (in *membership) suspects() bool {
	for i, h := range in.hosts {
		if !in.member(i) && !in.shared[i] && !in.filter.leavesOut(staleRow{id: h.HostID()}) {
			return true
		}
	}
	return false
}

// askAccount asks a node for its host id and, if it is a witness, for its peers.
func (s *Session) askAccount(
	ctx context.Context,
	h *gocql.HostInfo,
	witness bool,
	a *nodeAccount,
) error {
	var id string
	err := s.each(
		ctx,
		h.HostID(),
		func() error { return nil },
		[]any{&id},
		"SELECT host_id FROM system.local",
	)
	if err != nil {
		return err
	}
	a.id = id
	if witness {
		a.peers, err = s.peersOf(ctx, h)
		a.knows = err == nil
	}
	return err
}

// peersOf reads the same table of peers as the library.
func (s *Session) peersOf(ctx context.Context, h *gocql.HostInfo) ([]peerRow, error) {
	if !h.ScyllaFeatures().IsPresent() {
		rows, err := s.peersIn(ctx, h, "system.peers_v2", "native_address")
		if !refused(err) {
			return rows, err
		}
	}
	return s.peersIn(ctx, h, "system.peers", "rpc_address")
}

func (s *Session) peersIn(
	ctx context.Context,
	h *gocql.HostInfo,
	table, addressColumn string,
) ([]peerRow, error) {
	var rows []peerRow
	var peer, address net.IP
	var id gocql.UUID
	var dc, rack string
	var tokens cell
	err := s.eachBy(ctx, h.HostID(), 0, peersPage, func() error {
		row := peerRow{address: peer.String(), dc: dc}
		count, _ := cqlwire.Count(tokens.bytes)
		if id != (gocql.UUID{}) {
			row.id = id.String()
		}
		for _, c := range []struct {
			name string
			null bool
		}{
			{"host_id", row.id == ""}, {addressColumn, len(address) == 0}, {"data_center", dc == ""}, {"rack", rack == ""},
			{"tokens", count == 0},
		} {
			if c.null {
				row.lacks = c.name
				break
			}
		}
		if row.lacks == "" && address.IsUnspecified() && peer.IsUnspecified() {
			row.lacks = "address"
		}
		rows = append(rows, row)
		return nil
	}, []any{&peer, &id, &address, &dc, &rack, &tokens}, "SELECT peer, host_id, "+addressColumn+", data_center, rack, tokens FROM "+table, nil)
	return rows, err
}

// name returns the name of a row in warnings.
func name(address, id string) string {
	if id == "" {
		return address
	}
	return "node " + id + " at " + address
}

// member reports whether the node answered for itself.
func (in *membership) member(i int) bool { return in.accounts[i].id == in.hosts[i].HostID() }

// address returns the key of a node's row in the peers of others; no valid address if the node does
// not report it.
func address(h *gocql.HostInfo) string {
	if peer := h.Peer(); peer != nil {
		return peer.String()
	}
	return h.BroadcastAddress().String()
}

func (in *membership) leaveOut(row staleRow, at, why string) {
	in.filter.leaveOut(row)
	in.found[name(at, row.id)] = why
}

// check checks whether the witnesses know a node, and at which address.
func (in *membership) check(i int) {
	h := in.hosts[i]
	id, here := h.HostID(), address(h)
	known := net.ParseIP(here) != nil
	var all, know int
	others := make(map[string]bool) // other addresses of the same host id
	for _, a := range in.accounts {
		if !a.knows {
			continue
		}
		all++
		knows := a.id == id
		for _, p := range a.peers {
			if p.id != id || p.lacks != "" {
				continue
			}
			knows = true
			if known && p.address != here {
				others[p.address] = true
			}
		}
		if knows {
			know++
		}
	}
	switch {
	case in.member(i):
		for at := range others {
			in.leaveOut(staleRow{id, at}, at, "that node is at "+here)
		}
	case in.shared[i]: // what answers at its address says nothing of it
	case 2*know < all:
		in.leaveOut(
			staleRow{id: id},
			here,
			fmt.Sprintf("it does not answer, and only %d of %d nodes know it", know, all),
		)
	default:
		for at := range others {
			if !in.filter.leavesOut(staleRow{id, at}) {
				// this may be the node's address
				in.filter.leaveOut(staleRow{id, here})
				in.reconnect = true
				return
			}
			in.found[name(at, id)] = "that node does not answer there, and has another row"
		}
	}
}

// checkTokens finds tokens that two nodes have. If one of the nodes answers that they are its own,
// the other is left out.
func (in *membership) checkTokens() {
	owner := make(map[string]int)
	for i := range in.hosts {
		if in.member(i) && !in.shared[i] {
			for _, t := range in.accounts[i].tokens {
				owner[t] = i
			}
		}
	}
	for i, h := range in.hosts {
		if in.member(i) || in.shared[i] || in.filter.leavesOut(staleRow{id: h.HostID()}) {
			continue
		}
		for _, t := range h.Tokens() {
			if j, owned := owner[t]; owned {
				in.leaveOut(
					staleRow{id: h.HostID()},
					address(h),
					fmt.Sprintf(
						"it does not answer, and its token %s is that of node %s",
						t,
						in.hosts[j].HostID(),
					),
				)
				break
			}
		}
	}
}

// checkIncomplete finds the rows that the library made no node of.
func (in *membership) checkIncomplete(dc string) {
	ids, addresses := make(map[string]bool), make(map[string]bool)
	for _, h := range in.hosts {
		ids[h.HostID()], addresses[address(h)] = true, true
	}
	for _, a := range in.accounts {
		for _, p := range a.peers {
			if p.lacks == "" || dc != "" && p.dc != "" && p.dc != dc || addresses[p.address] ||
				ids[p.id] {
				continue
			}
			in.found[name(p.address, p.id)] = "its row has no " + p.lacks
		}
	}
}
