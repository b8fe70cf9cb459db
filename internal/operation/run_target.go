package operation

import (
	"net"
	"strconv"

	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// RunTarget is the cluster of a run.
type RunTarget struct {
	Cluster string // its name; empty: not known
	// contact points, with the port where it is another than that of CQL; none: no node was asked,
	// or not known
	Hosts []string
}

// portOfCQL is the port of nodes that needs no mention.
const portOfCQL = 9042

func contactsOf(hosts []string, port int) []string {
	contacts := make([]string, len(hosts))
	for i, host := range hosts {
		if _, _, err := net.SplitHostPort(host); err != nil && port != portOfCQL {
			host = net.JoinHostPort(host, strconv.Itoa(port))
		}
		contacts[i] = host
	}
	return contacts
}

// target is the cluster of a run that a run directory records, by its name there.
func (r recorded) target(cluster string) RunTarget {
	if schema := r.Flags["schema"]; len(schema) > 0 && schema[0] != "" {
		return RunTarget{Cluster: cluster} // files describe the table
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
	return RunTarget{Cluster: cluster, Hosts: contactsOf(c.Hosts, c.Port)}
}

// target is the cluster that a load writes to.
func (l *Load) target() RunTarget {
	target := RunTarget{Cluster: l.t.Cluster.Name}
	if l.t.Connected() {
		target.Hosts = contactsOf(l.spec.Connection.Hosts, l.spec.Connection.Port)
	}
	return target
}
