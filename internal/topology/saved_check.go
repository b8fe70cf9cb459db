package topology

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// uuid is what servers call a node (host_id).
var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// check refuses what no server would report. Such a file may come from others, and its
// names become folders and lines of commands.
func (f *savedFile) check() error {
	if err := checkText("cluster", f.Cluster); err != nil {
		return err
	}
	known := make(map[string]int)
	for i, n := range f.Nodes {
		if !uuid.MatchString(n.ID) {
			return fmt.Errorf("node %d: id %q is not a UUID", i+1, n.ID)
		}
		id := strings.ToLower(n.ID)
		if other, ok := known[id]; ok {
			return fmt.Errorf("nodes %d and %d have the same id %s", other, i+1, n.ID)
		}
		known[id] = i + 1
		if err := n.check(); err != nil {
			return fmt.Errorf("node %s: %w", n.ID, err)
		}
	}
	for name, options := range f.Keyspaces {
		if err := schema.CheckKeyspaceName(name); err != nil {
			return err
		}
		for option, value := range options {
			if err := checkText("keyspace "+name+": replication", option+value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *savedNode) check() error {
	host, port, err := net.SplitHostPort(n.Address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	address, badAddress := netip.ParseAddr(host)
	if err != nil || badAddress != nil || address.Zone() != "" {
		return fmt.Errorf("address %q: must be an IP address with a port", n.Address)
	}
	for _, c := range []struct{ name, value string }{
		{"data center", n.Datacenter}, {"rack", n.Rack}, {"version", n.Version},
	} {
		if c.value == "" && c.name != "version" {
			return fmt.Errorf("%s: is empty", c.name)
		}
		if err := checkText(c.name, c.value); err != nil {
			return err
		}
	}
	return nil
}

// mostText is the most bytes of a name that has no limit of the servers.
const mostText = 1024

// checkText refuses text that is no name for a person to read.
func checkText(name, text string) error {
	if len(text) > mostText {
		return fmt.Errorf("%s: has %d bytes, more than %d", name, len(text), mostText)
	}
	if safetext.Line(text) != text {
		return fmt.Errorf("%s %q: has control characters", name, text)
	}
	return nil
}
