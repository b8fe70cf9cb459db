package web

import (
	"cmp"
	"net"
	"net/netip"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// namesOf returns how the page names the nodes: by their addresses, without the port if all nodes
// have the same.
func namesOf(s board.State) func(address string) string {
	ports := make(map[string]bool)
	note := func(address string) {
		if _, port, err := net.SplitHostPort(address); err == nil {
			ports[port] = true
		}
	}
	for _, n := range s.Nodes {
		note(n.Address)
	}
	for _, n := range s.Ring {
		note(n.Node)
	}
	return func(address string) string {
		if host, _, err := net.SplitHostPort(address); err == nil && len(ports) == 1 {
			return host
		}
		return address
	}
}

// compareNames orders names of nodes: addresses by their numbers, before other names.
func compareNames(a, b string) int {
	first, _ := netip.ParseAddr(a)
	second, _ := netip.ParseAddr(b)
	switch {
	case first.IsValid() && second.IsValid():
		return first.Compare(second)
	case first.IsValid() != second.IsValid():
		if first.IsValid() {
			return -1
		}
		return 1
	default:
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}
}
