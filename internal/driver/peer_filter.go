package driver

import (
	"sync"

	"github.com/gocql/gocql"
)

// filter says which of the rows that tell of nodes, in system.local and the peers, are
// taken: not those of other data centers when one was asked for, whose nodes may not even
// be reachable from here; not what the peers say of the very node that was asked; not one
// without any address, at which the library panics; nor those that [Session.inspect] found to
// be of no member. It is safe for concurrent use.
type filter struct {
	dc string // empty: all

	mu    sync.Mutex
	asked string // host id of the node whose rows these are
	stale map[staleRow]bool
}

// staleRow is a row of peers; of any address when peer is empty.
type staleRow struct{ id, peer string }

// Accept is asked by the library for each row, system.local's first.
func (f *filter) Accept(h *gocql.HostInfo) bool {
	if f.dc != "" && h.DataCenter() != f.dc {
		return false
	}
	id, peer := h.HostID(), h.Peer()
	f.mu.Lock()
	defer f.mu.Unlock()
	if peer == nil { // only the peers have it
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

// leavesOut says whether a row was refused before.
func (f *filter) leavesOut(r staleRow) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stale[r]
}

// hosts are the nodes that the library knows, but for those found to be no members since
// it read of them.
func (s *Session) hosts() []*gocql.HostInfo {
	var hosts []*gocql.HostInfo
	for _, h := range s.s.GetHosts() {
		if !s.filter.leavesOut(staleRow{id: h.HostID()}) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}
