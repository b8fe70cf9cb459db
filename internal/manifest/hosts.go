package manifest

// HostsOption names the contact points among the options of a manifest.
const HostsOption = "hosts"

// Hosts returns the contact points of the run, with the port where it is not that of CQL by default.
func (m Manifest) Hosts() (hosts []string) {
	list, _ := m.Options[HostsOption].([]any)
	for _, one := range list {
		if host, ok := one.(string); ok {
			hosts = append(hosts, host)
		}
	}
	return hosts
}
