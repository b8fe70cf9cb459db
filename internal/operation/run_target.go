package operation

import "github.com/cqlbulk/cqlbulk/internal/run/recorded"

// target is the cluster that a load writes to.
func (l *Load) target() recorded.Target {
	target := recorded.Target{Cluster: l.t.Cluster.Name}
	if l.t.Connected() {
		target.Hosts = recorded.Contacts(l.spec.Connection.Hosts, l.spec.Connection.Port)
	}
	return target
}
