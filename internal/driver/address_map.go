package driver

import (
	"net"
	"strconv"
)

// AddressMap says at which addresses nodes are reached. It is for nodes that cannot be reached at
// their own: behind NAT, port forwarding or a service of Kubernetes. The key is the address of a
// node that the cluster reports (rpc_address), without a port. The value is a name or an address,
// with or without a port; default that of the node.
type AddressMap map[string]string

// of returns the host and the port to dial for a node, and whether the map has them.
func (m AddressMap) of(node string, port int) (host, dialed string, mapped bool) {
	to, ok := m[node]
	if !ok {
		return node, strconv.Itoa(port), false
	}
	if host, port, err := net.SplitHostPort(to); err == nil {
		return host, port, true
	}
	return to, strconv.Itoa(port), true
}

// address returns the address to dial for a node.
func (m AddressMap) address(node string, port int) string {
	host, dialed, _ := m.of(node, port)
	return net.JoinHostPort(host, dialed)
}
