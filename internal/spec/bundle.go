package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

// bundleFlag is the name of the setting of a secure connect bundle, as DSBulk's driver names it.
const bundleFlag = "secure-connect-bundle"

// loadBundle reads the bundle, if one is given, and refuses other settings that say where the
// cluster is.
func (c *Connection) loadBundle(env Environment) (*driver.Bundle, error) {
	if c.Bundle == "" {
		return nil, nil
	}
	flag := "--" + c.name(bundleFlag)
	unset := NewConnection("")
	var others []string
	for name, given := range map[string]bool{
		"hosts":        !slices.Equal(c.Hosts, unset.Hosts),
		"port":         c.Port != unset.Port,
		addressMapFlag: len(c.Nodes.AddressMap) > 0,
		"ssl":          c.TLS.On,
	} {
		if given {
			others = append(others, "--"+c.name(name))
		}
	}
	if len(others) > 0 {
		slices.Sort(others)
		return nil, fmt.Errorf(
			"%s: the bundle says where the cluster is, and secures the connections: leave out %s",
			flag, strings.Join(others, ", "),
		)
	}
	bundle, err := driver.LoadBundle(c.Bundle)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	env.WarnReadable(flag, c.Bundle)
	return bundle, nil
}

// checkStream refuses what does not go with streaming, which is to or from all replicas, at their
// storage ports.
func (c *Connection) checkStream(via string) error {
	switch {
	case via != ViaStream:
		return nil
	case c.Bundle != "":
		return fmt.Errorf(
			"--%s: the proxy of a bundle has no storage ports, which --via %s needs",
			bundleFlag, via,
		)
	case len(c.Nodes.Allow)+len(c.Nodes.Deny) > 0:
		return fmt.Errorf(
			"--%s and --%s choose the nodes that requests are sent to, and --via %s sends none",
			allowFlag, denyFlag, via,
		)
	default:
		return nil
	}
}
