package driver

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// AddressMap says at which addresses nodes are reached. It is for nodes that cannot be reached at
// their own: behind NAT, port forwarding or a service of Kubernetes. A key is the address of a node
// that the cluster reports (rpc_address), without a port; or a subnet of such addresses; or
// [AnyNode]. The key that says most decides: an address before a subnet, and a small subnet before
// a large one. The value is a name or an address, with or without a port; default that of the node.
//
// Several nodes may be reached at one place, that of a proxy, which passes a connection to any of
// them. Then any node may be the coordinator of a request for another one.
type AddressMap map[string]string

// AnyNode is the key for all nodes without another one.
const AnyNode = "*"

// find returns where a node is reached, if the map has it.
func (m AddressMap) find(node string) (to string, ok bool) {
	address, err := netip.ParseAddr(node)
	if err != nil {
		return "", false
	}
	to, ok = m[AnyNode]
	bits := -1
	for key, value := range m {
		if subnet, err := ParseSubnet(key); err == nil && subnet.Contains(address.Unmap()) &&
			subnet.Bits() > bits {
			to, bits, ok = value, subnet.Bits(), true
		}
	}
	return to, ok
}

// ParseSubnet reads a subnet, such as 10.0.0.0/8, or an address, which is a subnet of one.
func ParseSubnet(s string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(s); err == nil {
		return address.Unmap().Prefix(address.Unmap().BitLen())
	}
	subnet, err := netip.ParsePrefix(s)
	if err == nil && subnet.Addr().Is4In6() {
		err = fmt.Errorf("subnet %s: write it as one of IPv4", s)
	}
	return subnet.Masked(), err
}

// has reports whether a node is reached at another address than its own.
func (m AddressMap) has(node string) bool {
	_, ok := m.find(node)
	return ok
}

// reached returns where a node is reached that reports an address with a port.
func (m AddressMap) reached(node string) string {
	host, port, err := net.SplitHostPort(node)
	number, notNumber := strconv.Atoi(port)
	if err != nil || notNumber != nil {
		return node
	}
	return m.address(host, number)
}

// nodesAt returns the nodes that the map names one by one, and that are reached at an address.
func (m AddressMap) nodesAt(address string, port int) (nodes []string) {
	for key, to := range m {
		if node, err := netip.ParseAddr(key); err == nil && withPort(to, port) == address {
			nodes = append(nodes, node.Unmap().String())
		}
	}
	return nodes
}

// address returns the address to dial for a node.
func (m AddressMap) address(node string, port int) string {
	to, ok := m.find(node)
	if !ok {
		return net.JoinHostPort(node, strconv.Itoa(port))
	}
	return withPort(to, port)
}
