package operation

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// prepared is a load of a row that nothing keeps from beginning.
func (s *shop) prepared(t *testing.T) *Load {
	t.Helper()
	l, err := PrepareLoad(t.Context(), s.env, *s.load(t, "customer,number,pieces\nann,1,3\n"))
	require.NoError(t, err)
	t.Cleanup(l.Close)
	return l
}

// down stops nodes, as the load finds them when it is prepared.
func (s *shop) down(l *Load, nodes ...int) {
	for _, n := range nodes {
		s.cluster.Stop(n)
		for i := range l.t.Cluster.Nodes {
			if l.t.Cluster.Nodes[i].Address == fmt.Sprintf(
				"%s:%d",
				s.cluster.Hosts()[n],
				s.cluster.Port(),
			) {
				l.t.Cluster.Nodes[i].Up = false
			}
		}
	}
}

// Where no row can be written since too few replicas are up, a load says so at once, and does not
// begin.
func TestALoadWithoutEnoughReplicasDoesNotBegin(t *testing.T) {
	s := openShop(t)
	l := s.prepared(t)
	s.down(l, 1, 2)
	l.spec.Patience = time.Nanosecond
	s.cluster.Forget()
	err := l.awaitReplicas(t.Context())
	require.Equal(t, fault.Fatal, fault.ClassOf(err))
	require.Regexp(
		t,
		`^LOCAL_QUORUM waits for 2 of 2 replicas in dc1, and too few are up: \S+, \S+ are down: nothing was written; start nodes, or give another --consistency$`,
		err.Error(),
	)
	require.Len(t, s.told, 1)
	require.Regexp(
		t,
		`^LOCAL_QUORUM waits for .* are down: no row can be written; the load waits up to 1ns for them \(--patience\)$`,
		s.told[0],
	)
	require.NoDirExists(t, "run")
	for _, r := range s.cluster.Requests() {
		require.Empty(t, r.Keys, "nothing is written")
	}
}

// Where the cluster has fewer nodes than replicas are waited for, there is nothing to wait for.
func TestALoadOnTooFewNodesDoesNotBegin(t *testing.T) {
	s := openShopOn(
		t,
		simcluster.Options{Nodes: 1, Cores: 1, Refuse: func(r simcluster.Request) message.Error {
			if r.Table != "shop.orders" {
				return nil
			}
			return &message.Unavailable{
				ErrorMessage: "Cannot achieve consistency level LOCAL_QUORUM",
				Consistency:  r.Consistency,
				Required:     2,
				Alive:        1,
			}
		}},
	)
	_, err := PrepareLoad(t.Context(), s.env, *s.load(t, threeGood))
	require.EqualError(
		t,
		err,
		"--consistency LOCAL_QUORUM: some rows have no more than 1 replica, and 2 are needed: the keyspace's replication is NetworkTopologyStrategy, dc1 2, on 1 node",
	)
	require.Equal(t, fault.Permanent, fault.ClassOf(err))
	require.Empty(t, s.told)
	require.NoDirExists(t, "run")
}

// It begins as soon as enough of them are back.
func TestALoadAwaitsReplicas(t *testing.T) {
	s := openShop(t)
	l := s.prepared(t)
	s.down(l, 1, 2)
	l.spec.Patience = time.Hour
	warn := l.env.Warn
	l.env.Warn = func(format string, args ...any) {
		warn(format, args...)
		if len(s.told) == 1 {
			require.NoError(t, s.cluster.Restart(1))
			require.NoError(t, s.cluster.Restart(2))
		}
	}
	require.NoError(t, l.awaitReplicas(t.Context()))
	require.Equal(t, "enough replicas are up: the load begins", s.told[1])
	report, err := l.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, report.Written)
}

// If the user interrupts the wait for replicas, no message says that the load begins.
func TestALoadThatAwaitsReplicasIsInterrupted(t *testing.T) {
	s := openShop(t)
	l := s.prepared(t)
	s.down(l, 1, 2)
	l.spec.Patience = time.Hour
	ctx, stop := context.WithCancel(t.Context())
	warn := l.env.Warn
	l.env.Warn = func(format string, args ...any) {
		warn(format, args...)
		stop()
	}
	require.Equal(t, fault.Canceled, fault.ClassOf(l.awaitReplicas(ctx)))
	require.Len(t, s.told, 1)
}

// If only some rows can be written, the load rejects the others, and warns before it begins.
func TestALoadTellsOfRowsThatCannotBeWritten(t *testing.T) {
	s := openShop(t)
	s.cluster.Stop(2)
	spec := s.load(t, threeGood)
	spec.MaxAttempts, spec.KeepGoing = 1, true
	_, err := s.runLoad(t, spec)
	require.NoError(t, err)
	require.NotEmpty(t, s.told)
	require.Regexp(
		t,
		`^LOCAL_QUORUM waits for 2 of 2 replicas in dc1, and too few are up: \S+ is down: `+
			`rows of \d+ of \d+ token ranges are rejected unless they come back soon; all others are written$`,
		s.told[0],
	)
}

// Nodes that this host is not connected to, and that the others reach, are no reason.
func TestALoadThroughOtherNodes(t *testing.T) {
	s := openShop(t)
	l := s.prepared(t)
	for i := range l.t.Cluster.Nodes {
		l.t.Cluster.Nodes[i].Up = i == 0
	}
	require.NoError(t, l.awaitReplicas(t.Context()))
	require.Empty(t, s.told)
}
