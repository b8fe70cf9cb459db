package token

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseStrategy(t *testing.T) {
	type options = map[string]string
	for _, c := range []struct {
		name string
		in   options
		want Strategy
	}{
		{"simple", options{"class": "SimpleStrategy", "replication_factor": "3"}, Strategy{kindSimple, 3, map[string]int{}}},
		{"full class", options{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "1"}, Strategy{kindSimple, 1, map[string]int{}}},
		{"other options of simple", options{"class": "SimpleStrategy", "replication_factor": "2", "x": "y"}, Strategy{kindSimple, 2, map[string]int{}}},
		{"topology", options{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "DC1": "3", "dc2": "0"},
			Strategy{kindTopology, 0, map[string]int{"DC1": 3, "dc2": 0}}},
		{"transient", options{"class": "NetworkTopologyStrategy", "a": "3/1", "b": "2/0"}, Strategy{kindTopology, 0, map[string]int{"a": 3, "b": 2}}},
		{"the other datacenters", options{"class": "NetworkTopologyStrategy", "replication_factor": "3", "b": "1"},
			Strategy{kindTopology, 3, map[string]int{"b": 1}}},
		{"local", options{"class": "org.apache.cassandra.locator.LocalStrategy"}, Strategy{kind: kindLocal}},
		{"everywhere", options{"class": "org.apache.cassandra.locator.EverywhereStrategy"}, Strategy{kind: kindEverywhere}},
	} {
		s, err := ParseStrategy(c.in)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, s, c.name)
	}
	require.Equal(t, "NetworkTopologyStrategy", Strategy{kind: kindTopology}.String())
	require.Empty(t, Strategy{}.String())
}

func TestParseStrategyErrors(t *testing.T) {
	type options = map[string]string
	for _, c := range []struct {
		in   options
		want string
	}{
		{nil, "replication without a class"},
		{options{"class": "SimpleStrategy"}, "SimpleStrategy without a replication_factor"},
		{options{"class": "SimpleStrategy", "replication_factor": "three"}, `replication option "replication_factor" of SimpleStrategy: "three" is not a replication factor`},
		{options{"class": "NetworkTopologyStrategy", "dc1": "-1"}, `replication option "dc1" of NetworkTopologyStrategy: "-1" is not`},
		{options{"class": "NetworkTopologyStrategy", "dc1": ""}, `"" is not`},
		{options{"class": "NetworkTopologyStrategy", "dc1": "3/3"}, `"3/3" is not a replication factor with transient`},
		{options{"class": "NetworkTopologyStrategy", "dc1": "3/"}, `"3/" is not`},
		{options{"class": "NetworkTopologyStrategy", "dc1": "/1"}, `"/1" is not`},
		{options{"class": "NetworkTopologyStrategy", "dc1": "99999999999"}, `"99999999999" is not`},
	} {
		_, err := ParseStrategy(c.in)
		require.ErrorContains(t, err, c.want, c.in)
	}
	for _, class := range []string{"", "OldNetworkTopologyStrategy", "x.SimpleStrategy", "simplestrategy"} {
		_, err := ParseStrategy(options{"class": class})
		require.ErrorIs(t, err, ErrUnsupported, class)
	}
}
