package driver

import (
	"strings"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestTablets(t *testing.T) {
	for _, colocated := range []bool{false, true} {
		c, s := simulate(
			t,
			simcluster.Options{Shards: 4, Tablets: 6, Colocated: colocated, Seed: 1},
		)
		ends, replicas, ok, err := s.Tablets(t.Context(), "ks", "t")
		require.NoError(t, err)
		require.True(t, ok)
		require.Len(t, ends, 6)
		require.Equal(t, token.Murmur3.Max(), ends[5])
		for i, end := range ends {
			var want []Replica
			for _, r := range c.Replicas(end) {
				want = append(want, Replica{HostID: c.HostID(r.Node), Shard: r.Shard})
			}
			require.Equal(t, want, replicas[i])
			shard, within, known := s.tablet("ks.t", want[1].HostID, end)
			require.True(t, known)
			require.Equal(t, want[1].Shard, shard)
			require.Equal(t, token.Range{Start: within.Start, End: end}, within)
			require.Equal(t, i > 0, within.Start != token.Murmur3.Min())
		}
		_, _, known := s.tablet("ks.other", replicas[0][0].HostID, ends[0])
		require.False(t, known)
		_, _, known = s.tablet("ks.t", "another node", ends[0])
		require.False(t, known)
		_, _, ok, err = s.Tablets(t.Context(), "ks", "missing")
		require.NoError(t, err)
		require.False(t, ok)
	}
}

func TestNoTablets(t *testing.T) {
	old := func(r simcluster.Request) message.Error {
		if strings.Contains(r.Statement, "system.tablets") {
			return &message.Invalid{ErrorMessage: "unconfigured table tablets"}
		}
		return nil
	}
	for name, o := range map[string]simcluster.Options{
		"cassandra":                   {},
		"keyspace without tablets":    {Shards: 4},
		"version that has no tablets": {Shards: 4, Refuse: old},
	} {
		_, s := simulate(t, o)
		_, _, ok, err := s.Tablets(t.Context(), "ks", "t")
		require.NoError(t, err, name)
		require.False(t, ok, name)
	}
}

func TestTabletsUnread(t *testing.T) {
	_, s := simulate(
		t,
		simcluster.Options{Shards: 4, Tablets: 4, Refuse: func(r simcluster.Request) message.Error {
			if strings.Contains(r.Statement, "system.tablets") {
				return &message.ServerError{ErrorMessage: "out of order"}
			}
			return nil
		}},
	)
	_, _, ok, err := s.Tablets(t.Context(), "ks", "t")
	require.ErrorContains(t, err, "out of order", "not to know is not to have none")
	require.False(t, ok)
}

func FuzzReadReplicas(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0})
	f.Add(append([]byte{0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 16}, make([]byte, 24)...))
	f.Add([]byte{0x24, 0x92, 0x49, 0x25})
	f.Fuzz(func(t *testing.T, wire []byte) {
		replicas, err := readReplicas(wire)
		if err != nil {
			require.Empty(t, replicas)
			return
		}
		require.Len(t, wire, 4+32*len(replicas))
	})
}

func TestReadReplicas(t *testing.T) {
	tuple := func(shard byte) []byte {
		b := append([]byte{0, 0, 0, 28, 0, 0, 0, 16}, make([]byte, 15)...)
		return append(b, 9, 0, 0, 0, 4, 0, 0, 0, shard)
	}
	got, err := readReplicas(append(append([]byte{0, 0, 0, 2}, tuple(3)...), tuple(200)...))
	require.NoError(t, err)
	const id = "00000000-0000-0000-0000-000000000009"
	require.Equal(t, []Replica{{id, 3}, {id, 200}}, got)
	got, err = readReplicas([]byte{0, 0, 0, 0})
	require.NoError(t, err)
	require.Empty(t, got)
	for _, bad := range [][]byte{
		nil, {0}, {0, 0, 0, 1}, append([]byte{0, 0, 0, 2}, tuple(3)...), {0xff, 0xff, 0xff, 0xff},
	} {
		_, err := readReplicas(bad)
		require.Error(t, err, "%x", bad)
	}
}
