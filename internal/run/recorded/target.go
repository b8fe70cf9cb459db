package recorded

import (
	"net"
	"strconv"

	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Target is the cluster of a run.
type Target struct {
	Cluster string // its name; empty: not known
	// contact points, with the port where it is another than that of CQL; none: no node was asked,
	// or not known
	Hosts []string
}

// Target returns the cluster of the run. Its name is what the run directory has beside the spec.
func (r Spec) Target(cluster string) Target {
	if schema := r.Flags["schema"]; len(schema) > 0 && schema[0] != "" {
		return Target{Cluster: cluster} // files describe the table
	}
	c := spec.NewConnection("")
	if hosts, ok := r.Flags["hosts"]; ok {
		c.Hosts = hosts
	}
	if port := r.Flags["port"]; len(port) == 1 {
		if n, err := strconv.Atoi(port[0]); err == nil {
			c.Port = n
		}
	}
	return Target{Cluster: cluster, Hosts: Contacts(c.Hosts, c.Port)}
}

// portOfCQL is the port of nodes that needs no mention.
const portOfCQL = 9042

// Contacts returns the addresses of nodes, with the port where it is not that of CQL by default.
func Contacts(hosts []string, port int) []string {
	contacts := make([]string, len(hosts))
	for i, host := range hosts {
		if _, _, err := net.SplitHostPort(host); err != nil && port != portOfCQL {
			host = net.JoinHostPort(host, strconv.Itoa(port))
		}
		contacts[i] = host
	}
	return contacts
}
