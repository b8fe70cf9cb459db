package driver

import (
	"context"
	"strings"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// If the context ends while the contact points are tried, the error is that of the context.
func TestConnectCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Connect(ctx, Config{Hosts: []string{"127.0.0.1"}, Port: 1})
	require.Equal(t, fault.Canceled, fault.ClassOf(err), "%v", err)
}

// A table is not reported as missing if the nodes only failed to answer.
func TestTableThatNobodyTellsOf(t *testing.T) {
	for _, shards := range []int{0, 2} { // ScyllaDB has no virtual schema
		_, s := simulate(t, simcluster.Options{Base: simcluster.Anywhere, Rows: 1, Shards: shards})
		_, err := s.Table(t.Context(), "ks", "absent")
		require.ErrorIs(t, err, ErrNotFound)
	}
	c, s := simulate(t, simcluster.Options{Base: simcluster.Anywhere, Rows: 1})
	c.Inject(simcluster.Rule{
		Match:    func(r simcluster.Request) bool { return strings.HasPrefix(r.Table, "system_virtual_schema.") },
		Prepares: true,
		Fault:    simcluster.Answer,
		Error:    &message.Overloaded{ErrorMessage: "too much to do"},
	})
	_, err := s.Table(t.Context(), "ks", "absent")
	require.NotErrorIs(t, err, ErrNotFound)
	require.Equal(t, fault.Overloaded, fault.ClassOf(err), "%v", err)
}
