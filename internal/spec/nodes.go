package spec

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Nodes says which nodes requests are sent to, and where they are reached.
type Nodes struct {
	AddressMap map[string]string // see driver.AddressMap
	Allow      []string          // addresses of the nodes; none: all
	Deny       []string          // addresses of those that are left out
}

const addressMapFlag, allowFlag, denyFlag = "address-map", "allow-nodes", "deny-nodes"

func (n *Nodes) settings(prefix string) setting.List {
	return setting.List{
		{Name: prefix + addressMapFlag, Field: &n.AddressMap},
		{Name: prefix + allowFlag, Field: &n.Allow},
		{Name: prefix + denyFlag, Field: &n.Deny},
	}
}

// lists returns the lists of nodes for the driver.
func (n *Nodes) lists(c *Connection) (lists driver.NodeLists, err error) {
	if len(n.Allow)+len(n.Deny) > 0 {
		for node, to := range n.AddressMap {
			if _, err := netip.ParseAddr(node); err != nil {
				return lists, fmt.Errorf(
					"--%s %s=%s: behind it is any node, so --%s and --%s mean nothing: name the nodes one by one",
					c.name(addressMapFlag), node, to, c.name(allowFlag), c.name(denyFlag),
				)
			}
		}
	}
	if err := n.checkAddressMap(c.name(addressMapFlag)); err != nil {
		return lists, err
	}
	if lists.Allow, err = plainAddresses(c.name(allowFlag), n.Allow); err != nil {
		return lists, err
	}
	if lists.Deny, err = plainAddresses(c.name(denyFlag), n.Deny); err != nil {
		return lists, err
	}
	return lists, nil
}

// plainAddresses returns addresses as the driver writes them.
func plainAddresses(flag string, list []string) (plain []string, err error) {
	for _, text := range list {
		address, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf(
				"--%s %s: %q is not the IP address of a node, as the cluster reports it, without a port",
				flag, strings.Join(list, ","), text,
			)
		}
		plain = append(plain, address.Unmap().String())
	}
	return plain, nil
}

// checkAddressMap refuses a map of addresses whose keys are no addresses of nodes.
func (n *Nodes) checkAddressMap(flag string) error {
	same := make(map[netip.Prefix]string)
	for _, node := range slices.Sorted(maps.Keys(n.AddressMap)) {
		to := n.AddressMap[node]
		subnet, err := driver.ParseSubnet(node)
		other, twice := same[subnet]
		same[subnet] = node
		switch {
		case err == nil && twice:
			return fmt.Errorf("--%s: %s and %s are the same", flag, other, node)
		case err != nil && node != driver.AnyNode:
			return fmt.Errorf(
				"--%s %s=%s: %q is not the IP address of a node, as the cluster reports it, without a port; nor a subnet, nor %s",
				flag, node, to, node, driver.AnyNode,
			)
		case to == "" || strings.ContainsAny(to, "/ ") || !hasPort(to):
			return fmt.Errorf(
				"--%s %s=%s: %q is not a name or an address, with :port or without",
				flag, node, to, to,
			)
		}
	}
	return nil
}
