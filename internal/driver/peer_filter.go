package driver

import (
	"sync"

	"github.com/gocql/gocql"
)

// filter decides which rows about nodes, in system.local and the peers, the library accepts. It
// refuses:
//
//   - rows of other data centers if one was given: their nodes may not be reachable
//   - rows of peers about the node that was asked
//   - rows without any address, which make the library panic
//   - rows that [Session.inspect] found to be of no member
//
// It is safe for concurrent use.
type filter struct {
	dc    string // empty: all
	nodes *coordinators

	mu    sync.Mutex
	asked string // host id of the node whose rows these are
	stale map[staleRow]bool
}

// staleRow is a row of peers; with an empty peer, of any address.
type staleRow struct{ id, peer string }

// Accept is called by the library for each row, that of system.local first.
func (f *filter) Accept(h *gocql.HostInfo) bool {
	f.nodes.see(h)
	accepted := f.accepts(h)
	if accepted {
		f.nodes.add(h)
	}
	return accepted
}

func (f *filter) accepts(h *gocql.HostInfo) bool {
	if f.dc != "" && h.DataCenter() != f.dc {
		return false
	}
	id, peer := h.HostID(), h.Peer()
	f.mu.Lock()
	defer f.mu.Unlock()
	if peer == nil { // only rows of peers have it
		f.asked = id
		return true
	}
	return id != f.asked && !h.UntranslatedConnectAddress().IsUnspecified() &&
		!f.stale[staleRow{id: id}] && !f.stale[staleRow{id, peer.String()}]
}

// leaveOut refuses a row from now on.
func (f *filter) leaveOut(r staleRow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stale == nil {
		f.stale = make(map[staleRow]bool)
	}
	f.stale[r] = true
}

// leavesOut reports whether a row is refused.
func (f *filter) leavesOut(r staleRow) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stale[r]
}

// hosts returns the nodes that the library knows, without those found to be no members since.
func (s *Session) hosts() []*gocql.HostInfo {
	var hosts []*gocql.HostInfo
	for _, h := range s.s.GetHosts() {
		if !s.filter.leavesOut(staleRow{id: h.HostID()}) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}
