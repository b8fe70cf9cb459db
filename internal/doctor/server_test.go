package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// placed is a ring of nodes in data centers, and the replicas of a keyspace on it.
func placed(
	t *testing.T,
	level string,
	options map[string]string,
	down string,
	dcs ...string,
) Replication {
	t.Helper()
	c := topology.Cluster{Partitioner: "Murmur3Partitioner", LocalDC: dcs[0]}
	for i, dc := range dcs {
		id := string(rune('a' + i))
		c.Nodes = append(
			c.Nodes,
			topology.Node{
				ID:     id,
				DC:     dc,
				Rack:   id,
				Up:     id != down,
				Tokens: []token.Token{token.Murmur3Token(uint64(i) << 60)},
			},
		)
	}
	p, err := c.PlaceAll(options)
	require.NoError(t, err)
	return Replication{
		Options:   options,
		Level:     level,
		LocalDC:   c.LocalDC,
		Nodes:     c.Nodes,
		Placement: p,
		AllDCs:    true,
	}
}

func TestReplicas(t *testing.T) {
	three := map[string]string{
		"class": "org.apache.cassandra.locator.NetworkTopologyStrategy",
		"dc1":   "3",
		"dc2":   "1",
	}
	simple := func(factor string) map[string]string {
		return map[string]string{"class": "SimpleStrategy", "replication_factor": factor}
	}
	both := map[string]string{"class": "NetworkTopologyStrategy", "dc1": "3", "dc2": "3"}
	dcs := []string{
		"dc1",
		"dc1",
		"dc1",
		"dc2",
	}
	six := []string{
		"dc1",
		"dc1",
		"dc1",
		"dc2",
		"dc2",
		"dc2",
	}
	for _, tc := range []struct {
		name  string
		r     Replication
		want  State
		found string
	}{
		{"a majority here", placed(t, "LOCAL_QUORUM", three, "", dcs...), OK, "LOCAL_QUORUM waits for 2 of 3 replicas in dc1: 1 replica may be down"},
		{"with one down", placed(t, "LOCAL_QUORUM", three, "b", dcs...), OK, "LOCAL_QUORUM waits for 2 of 3 replicas in dc1: 1 replica may be down"},
		{"all", placed(t, "ALL", three, "", dcs...), Warning, "ALL waits for 4 of 4 replicas: no node may go down"},
		{"all, with one down", placed(t, "ALL", three, "d", dcs...), Failure, "ALL waits for 4 of 4 replicas: too few are up for 5 of 5 token ranges"},
		{"a majority of all", placed(t, "QUORUM", three, "d", dcs...), OK, "QUORUM waits for 3 of 4 replicas: 1 replica may be down"},
		{"each", placed(t, "EACH_QUORUM", both, "", six...), OK, "EACH_QUORUM waits for 2 of 3 replicas in dc1: 1 replica may be down"},
		{"each, with one down elsewhere", placed(t, "EACH_QUORUM", both, "f", six...), OK, "EACH_QUORUM waits for 2 of 3 replicas in dc1: 1 replica may be down"},
		{"each, with a single one elsewhere", placed(t, "EACH_QUORUM", three, "", dcs...), OK, "EACH_QUORUM waits for 1 of 1 replica in dc2: rows of a node that is down are out of reach"},
		{"each, with the single one down", placed(t, "EACH_QUORUM", three, "d", dcs...), Failure, "EACH_QUORUM waits for 1 of 1 replica in dc2: too few are up for 5 of 5 token ranges"},
		{"each, of one data center", placed(t, "EACH_QUORUM", simple("2"), "", "dc1", "dc1"), Warning, "EACH_QUORUM waits for 2 of 2 replicas: no node may go down"},
		{"each, without replicas", placed(t, "EACH_QUORUM", map[string]string{"class": "NetworkTopologyStrategy", "dc1": "0"}, "", dcs...), Failure, "NetworkTopologyStrategy, dc1 0: no replica"},
		{"none here", placed(t, "LOCAL_ONE", map[string]string{"class": "NetworkTopologyStrategy", "dc2": "1"}, "", dcs...), Failure, "NetworkTopologyStrategy, dc2 1: no replica in dc1"},
		{"more than there are", placed(t, "THREE", simple("2"), "", "dc1", "dc1"), Failure, "THREE waits for 3 replicas, and rows have 2"},
		{"one", placed(t, "LOCAL_QUORUM", simple("1"), "", "dc1", "dc1"), OK, "LOCAL_QUORUM waits for 1 of 1 replica: rows of a node that is down are out of reach"},
		{"one, with a node down", placed(t, "LOCAL_QUORUM", simple("1"), "a", "dc1", "dc1"), Failure, "LOCAL_QUORUM waits for 1 of 1 replica: too few are up for 2 of 3 token ranges"},
		{"two of two", placed(t, "LOCAL_QUORUM", simple("2"), "", "dc1", "dc1"), Warning, "LOCAL_QUORUM waits for 2 of 2 replicas: no node may go down"},
		{"any", placed(t, "ANY", simple("2"), "", "dc1", "dc1"), OK, "ANY waits for 0 of 2 replicas: 2 replicas may be down"},
		{"of a node's own", Replication{Options: map[string]string{"class": "LocalStrategy"}}, OK, "each node answers for itself"},
	} {
		f := Replicas(tc.r)
		require.Equal(t, tc.found, f.Found, tc.name)
		require.Equal(t, tc.want, f.State, tc.name)
	}
	unseen := placed(t, "QUORUM", three, "b", dcs...)
	unseen.AllDCs = false // --dc: what is up elsewhere is not known
	require.Equal(t, OK, Replicas(unseen).State)
	unseen = placed(t, "EACH_QUORUM", three, "d", dcs...)
	unseen.AllDCs = false
	require.Equal(t, OK, Replicas(unseen).State)
}

func TestBounds(t *testing.T) {
	settings := map[string]string{
		"write_consistency_levels_disallowed": "[ANY, LOCAL_QUORUM]",
		"read_consistency_levels_warned":      "[LOCAL_QUORUM]",
		"user_timestamps_enabled":             "false",
		"page_size_fail_threshold":            "500",
	}
	th := Thresholds{
		BatchWarnBytes:      5 << 10,
		BatchWarnPartitions: 10,
		MaxMutationBytes:    16 << 20,
		Level:               "LOCAL_QUORUM",
		Write:               true,
	}
	require.Equal(t, Warning, Bounds(th)[0].State, "no node reports them")
	th.Settings = map[string]map[string]string{
		"a": {
			"max_mutation_size":               "16MiB",
			"page_size_fail_threshold":        "-1",
			"write_consistency_levels_warned": "[]",
		},
	}
	require.Equal(
		t,
		[]Finding{
			Fine(
				"warned of: batches over 5.0 KiB or 10 partitions; refused: mutations over 16.0 MiB",
			),
		},
		Bounds(th),
	)
	th.Settings["b"] = settings
	found := Bounds(th)
	require.Len(t, found, 3)
	require.Equal(
		t,
		Fail(
			"say another --consistency",
			"b refuses to write at LOCAL_QUORUM (write_consistency_levels_disallowed)",
		),
		found[1],
	)
	require.Equal(t, "b refuses rows with timestamps (user_timestamps_enabled)", found[2].Found)
	th.Write = false
	found = Bounds(th)
	require.Len(t, found, 3)
	require.Equal(
		t,
		Warn(
			"say another --consistency",
			"b warns when one is to read at LOCAL_QUORUM (read_consistency_levels_warned)",
		),
		found[1],
	)
	require.Equal(t, "say --pagesize 500", found[2].Do)
	require.Equal(t, OK, Bounds(Thresholds{Scylla: true})[0].State)
}

func TestDisks(t *testing.T) {
	require.Equal(
		t,
		[]Finding{Fine("2 nodes do not report it by CQL: look there with df")},
		Disks([]Disk{{Node: "a"}, {Node: "b"}}, 0),
	)
	require.Equal(
		t,
		[]Finding{
			Fine(
				"5.0 GiB free on b, the least of 2 nodes on this host; 1 node does not report it by CQL",
			),
		},
		Disks(
			[]Disk{
				{Node: "a", Free: 7 << 30, Known: true},
				{Node: "b", Free: 5 << 30, Known: true},
				{Node: "c"},
			},
			2<<30,
		),
	)
	require.Equal(
		t,
		Warn("make room: 6.0 GiB are wanted, for the rows and for compaction", "5.0 GiB free on b"),
		Disks([]Disk{{Node: "b", Free: 5 << 30, Known: true}}, 3<<30)[0],
	)
	told := Disks(
		[]Disk{
			{Node: "a", Used: "FULL"},
			{Node: "b", Used: "STUFFED"},
			{Node: "c", Used: "SPACIOUS"},
		},
		0,
	)
	require.Equal(t, []State{Failure, Warning}, []State{told[0].State, told[1].State})
	require.Equal(
		t,
		[]Finding{Fine("the nodes say that there is room")},
		Disks([]Disk{{Node: "c", Used: "SPACIOUS"}}, 0),
	)
}

func TestPorts(t *testing.T) {
	ports := []Port{{"a", nil}, {"b", errAway}}
	require.Equal(t, OK, Ports(ports[:1], true).State)
	require.Equal(t, Failure, Ports(ports, true).State)
	require.Equal(
		t,
		Fine("not reached on b, which --via stream alone needs: no answer"),
		Ports(ports, false),
	)
	require.Equal(t, OK, Ports(nil, false).State)
}

func TestAllowed(t *testing.T) {
	ask := Rights{User: "joe", Table: "k.t", Level: "ONE", Needs: []string{"MODIFY"}}
	with := func(change func(r *Rights)) Rights {
		r := ask
		change(&r)
		return r
	}
	for _, tc := range []struct {
		name  string
		r     Rights
		want  State
		found string
	}{
		{"without a login", Rights{Open: true}, OK, "the cluster lets everybody read and write"},
		{"no rights are checked", with(func(r *Rights) { r.Open = true }), OK, "the cluster lets everybody read and write"},
		{"a superuser", with(func(r *Rights) { r.Super = true }), OK, "joe is a superuser"},
		{"granted", with(func(r *Rights) { r.Granted = []string{"SELECT", "MODIFY"} }), OK, "joe has MODIFY"},
		{"not granted", with(func(r *Rights) { r.Granted = []string{"SELECT"} }), Failure, "joe has no MODIFY on k.t"},
		{"hidden", with(func(r *Rights) { r.Hidden = errAway }), Warning, "whether joe has MODIFY cannot be seen: no answer"},
		{"a read was denied", with(func(r *Rights) { r.Needs, r.Hidden, r.Read, r.Denied = []string{"SELECT"}, errAway, errAway, true }), Failure, "joe has no SELECT on k.t"},
		{"a read was answered", with(func(r *Rights) { r.Needs, r.Hidden = []string{"SELECT"}, errAway }), OK, "joe has SELECT"},
		{"either may be needed", with(func(r *Rights) { r.Needs, r.Either, r.Granted = []string{"SELECT", "MODIFY"}, true, []string{"SELECT"} }), Warning, "joe has no MODIFY on k.t"},
	} {
		found := Allowed(tc.r)
		require.Len(t, found, 1, tc.name)
		require.Equal(t, tc.found, found[0].Found, tc.name)
		require.Equal(t, tc.want, found[0].State, tc.name)
	}
	found := Allowed(with(func(r *Rights) { r.Open, r.Read = true, errAway }))
	require.Len(t, found, 2)
	require.Equal(
		t,
		Finding{
			Name:  "read",
			State: Warning,
			Found: "a read of the table at ONE failed: no answer",
			Do:    "see what the nodes log; a scan meets the same, and a load may",
		},
		found[0],
	)
}
