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

// witnesses is how many nodes are asked which others they know.
const witnesses = 5

// peersPage is the number of peers that are asked for at once: each has up to 256 tokens, and all
// of a thousand nodes are 6 MB in a frame.
const peersPage = 64

// nodeAccount is what a node tells of itself and, of a witness, of the others.
type nodeAccount struct {
	id     string
	tokens []string // asked for if there are suspects
	peers  []peerRow
	knows  bool // it is a witness, and told its peers
}

// peerRow is a row of system.peers or system.peers_v2.
type peerRow struct {
	address string
	id      string // empty: null
	dc      string
	lacks   string // the column that every member has and this row has not
}

// membership is the comparison of the nodes that the library knows with what nodes tell.
type membership struct {
	filter    *filter
	hosts     []*gocql.HostInfo
	accounts  []nodeAccount     // by host; empty for one that did not answer
	found     map[string]string // why a row is left out, by the row as it is named to the user
	reconnect bool
}

// inspect finds the rows of peers that tell of no member: they stay behind when a node is
// removed, replaced or gets another address, and have the library know a node that is not
// there, whose tokens may be another's by now. What was left out is said in one warning. again
// says that the library took a wrong row for a right one, so that a new session is needed.
//
// A node that answers, at the address in its row and with the host id in it, is a member.
// Of any other more than half of the nodes asked must know, and no node that answers may
// say that a token of it is its own. It is safe to leave out one that is a member after
// all, and down: any node can be asked for any row, and the ring is whole without it.
func (s *Session) inspect(ctx context.Context) (again bool) {
	in := &membership{filter: s.filter, hosts: s.hosts(), found: make(map[string]string)}
	in.accounts = make([]nodeAccount, len(in.hosts))
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
			"system.peers tells of what is no member of the cluster, and is left out: %s",
			strings.Join(all, ", "),
		)
	}
	return false
}

// suspects reports whether a node does not answer for itself and is not left out yet: a token of it
// may be another's.
func (in *membership) suspects() bool {
	for i, h := range in.hosts {
		if !in.member(i) && !in.filter.leavesOut(staleRow{id: h.HostID()}) {
			return true
		}
	}
	return false
}

// askAccount asks a node for itself and, if it is to be a witness, for its peers.
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

// peersOf reads the table of peers that the library reads.
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

// name is a row as the user is told of it.
func name(address, id string) string {
	if id == "" {
		return address
	}
	return "node " + id + " at " + address
}

// member says whether the node answered for itself.
func (in *membership) member(i int) bool { return in.accounts[i].id == in.hosts[i].HostID() }

// address is what a node's row in the peers of the others has for its key; no address when
// the node does not tell.
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

// check looks at one node: do the witnesses know it, and where?
func (in *membership) check(i int) {
	h := in.hosts[i]
	id, here := h.HostID(), address(h)
	known := net.ParseIP(here) != nil
	var all, know int
	others := make(map[string]bool) // other addresses of the same host id
	for j, a := range in.accounts {
		if !a.knows {
			continue
		}
		all++
		knows := i == j
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
	case 2*know < all:
		in.leaveOut(
			staleRow{id: id},
			here,
			fmt.Sprintf("it does not answer, and only %d of %d nodes know it", know, all),
		)
	default:
		for at := range others {
			if !in.filter.leavesOut(staleRow{id, at}) {
				// It may be the node's address.
				in.filter.leaveOut(staleRow{id, here})
				in.reconnect = true
				return
			}
			in.found[name(at, id)] = "that node does not answer there, and has another row"
		}
	}
}

// checkTokens looks for tokens of two nodes, of which one answers for itself and says
// that they are its own.
func (in *membership) checkTokens() {
	owner := make(map[string]int)
	for i := range in.hosts {
		if in.member(i) {
			for _, t := range in.accounts[i].tokens {
				owner[t] = i
			}
		}
	}
	for i, h := range in.hosts {
		if in.member(i) || in.filter.leavesOut(staleRow{id: h.HostID()}) {
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

// checkIncomplete tells of the rows that no node was made of.
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
