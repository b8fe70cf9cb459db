package operation

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// A run directory records the level at which its rows are written, even the default. If it records
// none, it is of a version that wrote and read at LOCAL_ONE.
func TestRecordedConsistency(t *testing.T) {
	load, scan := spec.NewLoad(), spec.NewScan()
	require.Equal(
		t,
		setting.Values{"consistency": {"LOCAL_QUORUM"}},
		load.Settings().Record(spec.NewLoad().Settings(), load.Given),
	)
	require.Equal(
		t,
		setting.Values{"consistency": {"LOCAL_ONE"}},
		scan.Settings().Record(spec.NewScan().Settings(), scan.Given),
	)

	for recordedText, want := range map[string]string{
		`{"flags":{"port":["9043"]},"args":["ks.t","x.csv"]}`:            "LOCAL_ONE",
		`{"flags":null,"args":["ks.t","x.csv"]}`:                         "LOCAL_ONE",
		`{"flags":{"consistency":["QUORUM"]},"args":["ks.t","x.csv"]}`:   "QUORUM",
		`{"flags":{"consistency":["local_quorum"]},"args":["ks.t","x"]}`: "local_quorum",
	} {
		r, err := recorded.Read(
			journal.Manifest{Command: "load", Options: json.RawMessage(recordedText)},
		)
		require.NoError(t, err)
		settings, err := r.Load(setting.Changes{})
		require.NoError(t, err)
		require.Equal(t, want, settings.Consistency)
		all := setting.Values{"consistency": {"ALL"}}
		settings, err = r.Load(setting.Changes{Values: all})
		require.NoError(t, err)
		require.Equal(t, want, settings.Consistency, "of a file or the environment")
		settings, err = r.Load(
			setting.Changes{Values: all, Typed: setting.Given{"consistency": true}},
		)
		require.NoError(t, err)
		require.Equal(t, "ALL", settings.Consistency, "typed for the resume")
	}
}

// One replica has nothing to agree with.
func TestConsistencyIsNamedWhereThereAreReplicas(t *testing.T) {
	for _, tc := range []struct {
		replication map[string]string
		want        bool
	}{
		{map[string]string{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "1"}, false},
		{map[string]string{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "3"}, true},
		{map[string]string{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "3/1"}, true},
		{map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1": "1"}, false},
		{map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1": "1", "dc2": "0"}, false},
		{map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1": "1", "dc2": "1"}, true},
		{map[string]string{"class": "org.apache.cassandra.locator.LocalStrategy"}, false},
		{map[string]string{"class": "org.apache.cassandra.locator.EverywhereStrategy"}, true},
	} {
		require.Equal(
			t,
			tc.want,
			(&table.Table{Replication: tc.replication}).Replicated(),
			tc.replication,
		)
	}
}

func TestLevelsThatNoRequestCanReach(t *testing.T) {
	one := map[string]string{
		"class":              "SimpleStrategy",
		"replication_factor": "1",
	}
	dcs := map[string]string{
		"class": "NetworkTopologyStrategy",
		"dc1":   "1",
		"dc2":   "2",
	}
	require.EqualError(
		t,
		table.RefuseTooManyReplicas("TWO", one, 3),
		"--consistency TWO: some rows have no more than 1 replica, and 2 are needed: the keyspace's replication is SimpleStrategy, replication_factor 1, on 3 nodes",
	)
	require.Error(t, table.RefuseTooManyReplicas("THREE", one, 3))
	require.NoError(t, table.RefuseTooManyReplicas("QUORUM", one, 3))
	require.NoError(t, table.RefuseTooManyReplicas("THREE", dcs, 3))
	require.NoError(
		t,
		table.RefuseTooManyReplicas("TWO", map[string]string{"class": "EverywhereStrategy"}, 3),
		"as many as there are nodes",
	)
}
