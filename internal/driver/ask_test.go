package driver

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// answering is a timeout that is long enough for nodes that answer, even on a busy machine. Tests
// wait this long for nodes that do not.
const answering = 3 * time.Second

// never never fires, so that a slow connection on a busy machine causes no warning.
var never = make(chan time.Time)

// hush makes nodes take requests and answer none. It counts the requests to prepare statements.
func hush(c *simcluster.Cluster, nodes ...int) []*simcluster.Injected {
	var asked []*simcluster.Injected
	for _, node := range nodes {
		here := func(r simcluster.Request) bool { return r.Node == node }
		asked = append(
			asked,
			c.Inject(simcluster.Rule{Match: here, Prepares: true, Fault: simcluster.Silence}),
		)
		c.Inject(simcluster.Rule{Match: here, Fault: simcluster.Silence})
	}
	return asked
}

// Nodes that hang are waited for once, all together and for a short time, whatever is asked,
// although a request may take an hour. What they did not answer is reported.
func TestNodesThatHangCostOneDeadline(t *testing.T) {
	c, err := simcluster.Start(
		simcluster.Options{
			Base:     simcluster.Anywhere,
			Nodes:    6,
			Rows:     1,
			Cores:    3,
			Settings: map[string]string{"batch_size_warn_threshold": "7KiB"},
		},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	hanging := []int{1, 3, 4}
	asked := hush(c, hanging...)
	var warnings []string
	s, err := Connect(t.Context(), Config{
		Hosts:      c.Hosts()[:1],
		Port:       c.Port(),
		Logf:       t.Logf,
		Timeout:    time.Hour,
		AskTimeout: answering,
		warnNow:    never,
		Warnf: func(format string, args ...any) {
			warnings = append(warnings, fmt.Sprintf(format, args...))
		},
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	nodes, err := s.Topology(t.Context())
	require.NoError(t, err)
	require.Len(t, nodes.Nodes, 6, "a node that hangs is a member")
	for _, n := range nodes.Nodes {
		if n.Cores != 3 {
			require.Zero(t, n.Cores)
			require.Contains(t, warnings[0], n.Address)
		}
	}
	for range 10 {
		_, err = s.Table(t.Context(), "ks", "t")
		require.NoError(t, err)
		_, err = s.Replication(t.Context(), "ks")
		require.NoError(t, err)
	}
	require.Equal(t, 7<<10, s.Limits(t.Context()).BatchWarnBytes)
	require.Len(t, s.Estimates(t.Context(), nodes.Nodes, "ks", "t"), 6)
	for i, a := range asked {
		require.Equal(t, 1, a.Hits(), "node %d", hanging[i])
	}
	require.Len(t, warnings, 2)
	for i, want := range []string{"how many cores they have", "the estimate of its size"} {
		require.Contains(t, warnings[i], "no answer within "+answering.String()+" from ")
		require.Contains(t, warnings[i], want)
		for _, node := range hanging {
			require.Contains(t, warnings[i], c.Hosts()[node]+":")
		}
	}
}

// All nodes are asked before the first has answered.
func TestNodesAreAskedTogether(t *testing.T) {
	c, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Nodes: 6, Rows: 1, Cores: 3},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	for _, what := range []string{"thread_pools", "size_estimates"} {
		var all sync.WaitGroup
		all.Add(6)
		met := make(chan struct{})
		go func() {
			all.Wait()
			close(met)
		}()
		c.Inject(simcluster.Rule{
			Match: func(r simcluster.Request) bool {
				return strings.Contains(r.Statement, what)
			},
			Prepares: true,
			Times:    6,
			Do: func() {
				all.Done()
				select {
				case <-met:
				case <-t.Context().Done():
				}
			},
		})
	}
	s, err := Connect(
		t.Context(),
		Config{
			Hosts:      c.Hosts()[:1],
			Port:       c.Port(),
			Logf:       t.Logf,
			Warnf:      t.Errorf,
			Timeout:    time.Hour,
			AskTimeout: patience,
		},
	)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	nodes, err := s.Topology(t.Context())
	require.NoError(t, err)
	for _, n := range nodes.Nodes {
		require.Equal(t, 3, n.Cores)
	}
	s.Estimates(t.Context(), nodes.Nodes, "ks", "t")
}

// A node that hangs does not keep the limits from being read. If no node reports them, the defaults
// are used, with a warning.
func TestLimitsThatNobodyTells(t *testing.T) {
	settings := map[string]string{
		"batch_size_warn_threshold":       "7KiB",
		"max_mutation_size":               "9MiB",
		"native_transport_max_frame_size": "11MiB",
	}
	c, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Rows: 1, Settings: settings},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	var warning string
	s, err := Connect(t.Context(), Config{
		Hosts:      c.Hosts()[:1],
		Port:       c.Port(),
		Logf:       t.Logf,
		Timeout:    time.Hour,
		AskTimeout: answering,
		Warnf:      func(format string, args ...any) { warning = fmt.Sprintf(format, args...) },
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	hush(c, 0, 1)
	want := DefaultLimits
	want.BatchWarnBytes, want.MaxMutationBytes, want.MaxFrameBytes = 7<<10, 9<<20, 11<<20
	require.Equal(t, want, s.Limits(t.Context()))
	require.Empty(t, warning)
	hush(c, 2)
	require.Equal(t, DefaultLimits, s.Limits(t.Context()))
	require.Contains(t, warning, "as Cassandra has it by default")
	for _, host := range c.Hosts() {
		require.Contains(t, warning, host)
	}
}

// Contact points that take connections and answer nothing are not waited for if another one
// answers. The library does not see them.
func TestContactPointsThatHang(t *testing.T) {
	c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Rows: 1})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	var hosts []string
	var hanging []net.Listener
	for range 5 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		hosts, hanging = append(hosts, l.Addr().String()), append(hanging, l)
	}
	for _, dc := range []string{"", "dc1"} {
		s, err := Connect(t.Context(), Config{
			Hosts: append(
				hosts,
				c.Hosts()[0],
			),
			Port:       c.Port(),
			DC:         dc,
			Logf:       t.Logf,
			Warnf:      t.Errorf,
			AskTimeout: answering,
			warnNow:    never,
		})
		require.NoError(t, err)
		s.Close()
	}
	for _, l := range hanging {
		require.LessOrEqual(t, waiting(t, l), 2, "connections of the two probes alone")
	}
}

// waiting returns the number of connections that were not accepted.
func waiting(t *testing.T, l net.Listener) int {
	t.Helper()
	require.NoError(t, l.(*net.TCPListener).SetDeadline(time.Now().Add(10*time.Millisecond)))
	for n := 0; ; n++ {
		conn, err := l.Accept()
		if err != nil {
			return n
		}
		_ = conn.Close()
	}
}

// Questions use a consistency level of their own: a load may use ANY, which reads do not have.
func TestQuestionsOfALoadWithAny(t *testing.T) {
	c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Rows: 1, Cores: 3})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s, err := Connect(
		t.Context(),
		Config{Hosts: c.Hosts()[:1], Port: c.Port(), Logf: t.Logf, Consistency: "ANY"},
	)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	c.Forget()
	nodes, err := s.Topology(t.Context())
	require.NoError(t, err)
	for _, n := range nodes.Nodes {
		_, err := s.Ping(t.Context(), n.ID)
		require.NoError(t, err)
	}
	require.NotEmpty(t, c.Requests())
	for _, r := range c.Requests() {
		require.Equal(t, primitive.ConsistencyLevelLocalOne, r.Consistency, r.Statement)
	}
}
