package manifest

// HostsOption names the contact points among the options of a manifest.
const HostsOption = "hosts"

// Hosts returns the contact points of the run, with ports that are not the default of CQL.
// Manifests of early versions have none.
func (m Manifest) Hosts() (hosts []string) {
	list, _ := m.Options[HostsOption].([]any)
	for _, one := range list {
		if host, ok := one.(string); ok {
			hosts = append(hosts, host)
		}
	}
	return hosts
}
