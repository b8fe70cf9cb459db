package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// What each node reports about itself is returned for each. A node that is down has an error, at
// once.
func TestNodesAreLookedAt(t *testing.T) {
	c, err := simcluster.Start(
		simcluster.Options{
			Base:     simcluster.Anywhere,
			Rows:     1,
			Settings: map[string]string{"a": "b"},
		},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	c.SetClock(1, time.Hour)
	c.Disagree(2, true)
	s, err := Connect(t.Context(), Config{Hosts: c.Hosts(), Port: c.Port()})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	cluster, err := s.Topology(t.Context())
	require.NoError(t, err)
	at := make(map[string]int)
	for i, n := range cluster.Nodes {
		at[n.ID] = i
	}
	first, second, third := at[c.HostID(0)], at[c.HostID(1)], at[c.HostID(2)]

	took, errs := s.PingAll(t.Context(), cluster.Nodes)
	require.Equal(t, []error{nil, nil, nil}, errs)
	require.Positive(t, took[first])
	trips, errs := s.Trips(t.Context(), cluster.Nodes)
	require.Equal(t, []error{nil, nil, nil}, errs)
	require.Positive(t, trips[first])
	clocks, errs := s.Clocks(t.Context(), cluster.Nodes)
	require.Equal(t, []error{nil, nil, nil}, errs)
	near := func(want time.Duration, c Clock) {
		require.LessOrEqual(
			t,
			(c.Ahead - want).Abs(),
			c.Error+2*time.Millisecond,
			"milliseconds are reported",
		)
	}
	near(0, clocks[first])
	near(time.Hour, clocks[second])
	versions, errs := s.SchemaVersions(t.Context(), cluster.Nodes)
	require.Equal(t, []error{nil, nil, nil}, errs)
	require.Equal(t, versions[first], versions[second])
	require.NotEqual(t, versions[first], versions[third])
	settings, errs := s.SettingsOf(t.Context(), cluster.Nodes)
	require.Equal(t, []error{nil, nil, nil}, errs)
	require.Equal(t, map[string]string{"a": "b"}, settings[third])
	usage, err := s.DiskUsage(t.Context())
	require.NoError(t, err)
	require.Equal(
		t,
		map[string]string{c.HostID(0): "", c.HostID(1): "", c.HostID(2): ""},
		usage,
		"no guardrail is set",
	)

	cluster.Nodes[second].Up = false
	_, errs = s.Trips(t.Context(), cluster.Nodes)
	require.EqualError(t, errs[second], "there is no connection to it")
	_, errs = s.Clocks(t.Context(), cluster.Nodes)
	require.EqualError(t, errs[second], "there is no connection to it")
	require.NoError(t, errs[first])
}

// A user who logged in without a name lacks no right. If a node does not answer, rights are not
// known.
func TestRights(t *testing.T) {
	c, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Rows: 1, User: "joe", Password: "secret"},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	cfg := Config{Hosts: c.Hosts(), Port: c.Port(), User: "joe", Password: "wrong"}
	_, err = Connect(t.Context(), cfg)
	require.ErrorContains(t, err, `the cluster refused user "joe"`)
	cfg.Password = "secret"
	s, err := Connect(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	_, err = s.Rights(t.Context(), "ks", "t")
	require.Error(t, err)
	require.False(t, Unauthorized(err))
}

// The certificates of nodes are read, including expired ones.
func TestNodeCertificates(t *testing.T) {
	ca := newAuthority(t, "ca", nil)
	soon, past := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	c, _, port := secured(
		t,
		of(ca.issueUntil(t, soon, "127.0.77.1")),
		of(ca.issueUntil(t, past, "127.0.77.2")),
	)
	mine := ca.issueUntil(t, soon, "client")
	cfg := Config{Port: port, TLS: trusting(t, ca, &mine, "")}
	all := NodeCertificates(t.Context(), cfg, append(c.Hosts(), "127.0.77.1:1"))
	require.NoError(t, all[0].Err)
	require.WithinDuration(t, soon, all[0].Ends, time.Second)
	require.ErrorContains(t, all[1].Err, "is not valid: x509: certificate has expired")
	require.WithinDuration(t, past, all[1].Ends, time.Second)
	require.ErrorContains(t, all[2].Err, "nothing listens on 127.0.77.1:1")
	require.Zero(t, all[2].Ends)
	require.WithinDuration(t, soon, ClientEnds(cfg.TLS), time.Second)
	require.Zero(t, ClientEnds(nil))
}
