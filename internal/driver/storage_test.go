package driver

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

func TestStorageAddressesOfAllNodes(t *testing.T) {
	for name, c := range map[string]struct {
		options simcluster.Options
		port    string
	}{
		"Cassandra":                   {simcluster.Options{}, "7000"},
		"Cassandra with another port": {simcluster.Options{StoragePort: 7777}, "7777"},
		"ScyllaDB, which has none":    {simcluster.Options{Shards: 2}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Base = simcluster.Anywhere
			c.options.Rows = 1
			cluster, err := simcluster.Start(c.options)
			require.NoError(t, err)
			defer cluster.Close()
			s, err := Connect(
				t.Context(),
				Config{Hosts: cluster.Hosts()[:1], Port: cluster.Port(), Logf: t.Logf},
			)
			require.NoError(t, err)
			defer s.Close()
			want := map[string]string{}
			for i, host := range cluster.Hosts() {
				if c.port != "" {
					want[cluster.HostID(i)] = net.JoinHostPort(host, c.port)
				}
			}
			got, err := s.StorageAddresses(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

// The address of a node that is down is known from the others.
func TestStorageAddressOfANodeThatIsDown(t *testing.T) {
	cluster, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Rows: 1})
	require.NoError(t, err)
	defer cluster.Close()
	s, err := Connect(
		t.Context(),
		Config{Hosts: cluster.Hosts()[:1], Port: cluster.Port(), Logf: t.Logf},
	)
	require.NoError(t, err)
	defer s.Close()
	cluster.Stop(2)
	got, err := s.StorageAddresses(t.Context())
	require.NoError(t, err)
	require.Equal(t, net.JoinHostPort(cluster.Hosts()[2], "7000"), got[cluster.HostID(2)])
}

// If all nodes were silent, they are asked again: there are no others.
func TestStorageAddressesAfterSilence(t *testing.T) {
	cluster, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Rows: 1})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	s, err := Connect(
		t.Context(),
		Config{
			Hosts:      cluster.Hosts()[:1],
			Port:       cluster.Port(),
			Logf:       t.Logf,
			Warnf:      t.Errorf,
			AskTimeout: answering,
		},
	)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	silence := cluster.Inject(simcluster.Rule{
		Match: func(r simcluster.Request) bool { return strings.Contains(r.Statement, "broadcast_port") },
		Fault: simcluster.Silence,
	})
	_, err = s.StorageAddresses(t.Context())
	require.ErrorContains(t, err, "no answer from node ")
	require.Equal(t, fault.Unknown, fault.ClassOf(err))
	require.Positive(t, silence.Hits())
	silence.Remove()
	got, err := s.StorageAddresses(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 3)
}
