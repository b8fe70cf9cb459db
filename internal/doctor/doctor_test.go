package doctor

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// Findings come in the order of the checks, whichever is done first; one that hangs costs its own
// line.
func TestRun(t *testing.T) {
	second := make(chan struct{})
	checks := []Check{
		One("first", func(ctx context.Context) Finding {
			<-second
			return Fine("well")
		}),
		{"second", func(context.Context) []Finding {
			defer close(second)
			return []Finding{
				Warn("mend it", "odd"),
				{Name: "another", State: Failure, Found: "broken"},
			}
		}},
		One("deaf", func(ctx context.Context) Finding {
			<-ctx.Done()
			return Fail("", "%v", ctx.Err())
		}),
	}
	var got []Finding
	require.NoError(
		t,
		Run(t.Context(), 50*time.Millisecond, checks, func(f Finding) { got = append(got, f) }),
	)
	require.Equal(t, []Finding{
		{
			Name:  "first",
			State: OK,
			Found: "well",
		},
		{Name: "second", State: Warning, Found: "odd", Do: "mend it"},
		{Name: "another", State: Failure, Found: "broken"},
		{Name: "deaf", State: Failure, Found: "context deadline exceeded"},
	}, got)

	stuck := make(chan struct{})
	defer close(stuck)
	got = nil
	require.NoError(
		t,
		Run(
			t.Context(),
			time.Millisecond,
			[]Check{One("stuck", func(context.Context) Finding { <-stuck; return Finding{} })},
			func(f Finding) { got = append(got, f) },
		),
	)
	require.Equal(t, Failure, got[0].State)
	require.Equal(t, "no answer within 1ms", got[0].Found)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(
		t,
		Run(ended, time.Minute, checks[2:], func(Finding) { t.Error("told") }),
		context.Canceled,
	)
}

var errAway = errors.New("no answer")

func node(address string) topology.Node {
	return topology.Node{Address: address, Version: "5.0.6", Up: true}
}

func TestConnection(t *testing.T) {
	one := Answer{Node: node("a"), Took: 1500 * time.Microsecond}
	require.Equal(t, Fine("the one node answers, in 1.50ms"), Connection([]Answer{one}, ""))
	away := Answer{Node: node("b"), Err: errAway}
	f := Connection([]Answer{one, away}, "dc1")
	require.Equal(t, Warning, f.State)
	require.Equal(t, "1 of 2 nodes of dc1 answers, in 1.50ms, not b: no answer", f.Found)
	require.Equal(t, Failure, Connection([]Answer{away}, "").State)
}

func TestVersions(t *testing.T) {
	of := func(versions ...string) (nodes []topology.Node) {
		for _, v := range versions {
			nodes = append(nodes, topology.Node{Version: v})
		}
		return nodes
	}
	require.Equal(t, Fine("Cassandra 4.1.10"), Versions(of("4.1.10", "4.1.10"), false))
	require.Equal(
		t,
		"not all nodes are of one version: 4.1.10 on 2 nodes, 5.0.6 on 1 node",
		Versions(of("5.0.6", "4.1.10", "4.1.10"), false).Found,
	)
	require.Equal(t, Warning, Versions(of("3.11.17"), false).State)
	require.Equal(t, Warning, Versions(of("3.0.8"), true).State)
}

func TestSchema(t *testing.T) {
	require.Equal(t, OK, Schema(map[string]string{"a": "1", "b": "1"}, 0, nil).State)
	f := Schema(map[string]string{"a": "1", "b": "2", "c": "1"}, 5*time.Second, nil)
	require.Equal(t, Failure, f.State)
	require.Equal(
		t,
		"for 5.0s the nodes have had 2 versions of it; another one than most: b",
		f.Found,
	)
	f = Schema(nil, 0, errors.New("127.0.0.1 is silent"))
	require.Equal(t, Warning, f.State)
	require.Contains(t, f.Found, "127.0.0.1 is silent")
}

func TestCores(t *testing.T) {
	nodes := []topology.Node{{Address: "a", Cores: 4}, {Address: "b", Cores: 8}, {Address: "c"}}
	require.Equal(t, Fine("4 to 8 cores a node"), Cores(nodes[:2], []int{4, 8}))
	require.Equal(t, Fine("1 core a node"), Cores(nodes[:1], []int{1}))
	require.Equal(t, "not reported by c: 4 to 8 taken for each", Cores(nodes, []int{4, 8, 4}).Found)
	require.Equal(t, Warning, Cores(nil, nil).State)
}

func TestClocks(t *testing.T) {
	clock := func(node string, ahead time.Duration) Clock {
		return Clock{node, ahead, time.Millisecond}
	}
	for _, tc := range []struct {
		name   string
		clocks []Clock
		of     HostTimes
		want   State
		found  string
	}{
		{"as ours", []Clock{clock("a", 20*time.Millisecond), clock("b", -900*time.Millisecond)}, HostTimes{Stamped: true}, OK, "2 clocks within 901ms of this host's"},
		{"as far as is known", []Clock{{"a", 3 * time.Second, 2500 * time.Millisecond}}, HostTimes{Stamped: true}, OK, "1 clock within 5.50s of this host's"},
		{"one is ahead", []Clock{clock("a", 0), clock("b", 5*time.Second)}, HostTimes{Stamped: true}, Warning,
			"b is 5 seconds ahead of this host; rows of a load bear this host's time: they lose against what was written in the last 5 seconds"},
		{"one is far behind", []Clock{clock("a", 0), clock("b", -time.Hour)}, HostTimes{Stamped: true}, Failure,
			"b is 60 minutes behind this host; rows of a load bear this host's time: what others write in the next 60 minutes loses against them"},
		{"times to live", []Clock{clock("a", 0), clock("b", 5*time.Second)}, HostTimes{Expiring: true}, Warning,
			"b is 5 seconds ahead of this host; rows with a time to live expire 5 seconds too early"},
		{"both", []Clock{clock("a", 0), clock("b", -time.Hour)}, HostTimes{true, true}, Failure,
			"b is 60 minutes behind this host; rows of a load bear this host's time: what others write in the next 60 minutes loses against them; rows with a time to live expire 60 minutes too late"},
		{"of rows that are read", []Clock{clock("a", 0), clock("b", -time.Hour)}, HostTimes{}, Warning, "b is 60 minutes behind this host"},
		{"this host is behind", []Clock{clock("a", time.Hour), clock("b", time.Hour+time.Second)}, HostTimes{}, Warning, "this host is 60 minutes behind the nodes"},
		{"no clock", nil, HostTimes{Stamped: true}, Warning, "no node reported its time"},
	} {
		f := Clocks(tc.clocks, tc.of)
		require.Equal(t, tc.want, f.State, tc.name)
		require.Equal(t, tc.found, f.Found, tc.name)
		require.Equal(t, tc.want == OK, f.Do == "", tc.name)
	}
}

func TestCertificates(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	in := func(of string, days int) Certificate {
		return Certificate{Of: of, Ends: now.AddDate(0, 0, days)}
	}
	require.Equal(
		t,
		[]Finding{Fine("off: connections are not secured (--ssl)")},
		Certificates(nil, now),
	)
	require.Equal(
		t,
		[]Finding{Fine("2 certificates, the first ends in 31 days (b)")},
		Certificates([]Certificate{in("a", 400), in("b", 31)}, now),
	)
	require.Equal(
		t,
		[]Finding{Warn("renew it", "the certificate of b ends in 29 days, on 2026-01-30")},
		Certificates([]Certificate{in("a", 400), in("b", 29)}, now),
	)
	require.Equal(
		t,
		[]Finding{
			Warn(
				"renew them",
				"the certificate of b ends in 1 day, on 2026-01-02; 2 others soon after",
			),
		},
		Certificates([]Certificate{in("a", 20), in("b", 1), in("c", 29), in("d", 99)}, now),
	)
	require.Equal(t, []Finding{
		Fail("renew it", "the certificate of a ended on 2025-12-31"), Fail("", "no answer"),
	}, Certificates([]Certificate{in("a", -1), {Of: "b", Err: errAway}}, now))
}
