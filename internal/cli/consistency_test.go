package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/journal"
)

// A run directory says at which level its rows are written, though it be the default; one
// that says nothing is of a version that wrote, and read, at LOCAL_ONE.
func TestRecordedConsistency(t *testing.T) {
	c := newLoadCommand(streams{})
	options := record(c.Flags(), nil)
	require.Equal(t, map[string][]string{"consistency": {"LOCAL_QUORUM"}}, options.Flags)
	require.Equal(t, []string{"LOCAL_ONE"}, record(newScanCommand(streams{}).Flags(), nil).Flags["consistency"])

	for recordedText, want := range map[string]string{
		`{"flags":{"port":["9043"]},"args":["ks.t","x.csv"]}`:            "LOCAL_ONE",
		`{"flags":null,"args":["ks.t","x.csv"]}`:                         "LOCAL_ONE",
		`{"flags":{"consistency":["QUORUM"]},"args":["ks.t","x.csv"]}`:   "QUORUM",
		`{"flags":{"consistency":["local_quorum"]},"args":["ks.t","x"]}`: "local_quorum",
	} {
		r, err := recordedIn(journal.Manifest{Command: "load", Options: json.RawMessage(recordedText)})
		require.NoError(t, err)
		o := &LoadOptions{}
		c := loadCommand(streams{}, o)
		require.NoError(t, r.apply(c.Flags()))
		resumed := newResumeCommand(streams{})
		require.NoError(t, override(c.Flags(), resumed.Flags(), r.anew))
		require.Equal(t, want, o.Consistency)
		require.NoError(t, resumed.ParseFlags([]string{"--consistency", "ALL"}))
		require.NoError(t, override(c.Flags(), resumed.Flags(), r.anew))
		require.Equal(t, "ALL", o.Consistency, "typed anew")
	}
}

// One replica has nothing to agree with.
func TestConsistencyIsNamedWhereThereAreReplicas(t *testing.T) {
	for _, tc := range []struct {
		replication map[string]string
		want        string
	}{
		{map[string]string{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "1"}, ""},
		{map[string]string{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "3"}, "; consistency TWO"},
		{map[string]string{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "3/1"}, "; consistency TWO"},
		{map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1": "1"}, ""},
		{map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1": "1", "dc2": "0"}, ""},
		{map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1": "1", "dc2": "1"}, "; consistency TWO"},
		{map[string]string{"class": "org.apache.cassandra.locator.LocalStrategy"}, ""},
		{map[string]string{"class": "org.apache.cassandra.locator.EverywhereStrategy"}, "; consistency TWO"},
	} {
		require.Equal(t, tc.want, (&target{replication: tc.replication, consistency: "TWO"}).levelNote(), tc.replication)
	}
}
