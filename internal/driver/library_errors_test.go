package driver

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/gocql/gocql"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// Errors of the library lose its name and its notes for its own users, and remain the same errors.
func TestWordsOfErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{gocql.ErrTimeoutNoResponse, "no answer within the time limit"},
		{fmt.Errorf("%w (timeout: 10s, in-flight: 1) (potentially executed: true)", gocql.ErrTimeoutNoResponse), "no answer within the time limit"},
		{gocql.ErrNoConnections, "there is no connection to any node"},
		{fmt.Errorf("gocql: unable to create session: %w", gocql.ErrConnectionClosed), "the connection was closed before the answer came"},
		{fmt.Errorf("gocql: something new"), "something new"},
		{fmt.Errorf("unconfigured table t"), "unconfigured table t"},
	} {
		got := classify(t.Context(), c.err)
		require.EqualError(t, got, c.want)
		require.ErrorIs(t, got, c.err)
	}
}

// silent listens, accepts connections, and calls with for each of them.
func silent(t *testing.T, address string, with func(net.Conn)) (host string, port int) {
	l, err := net.Listen("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			with(conn)
		}
	}()
	at := l.Addr().(*net.TCPAddr)
	return at.IP.String(), at.Port
}

// If a port takes connections and answers nothing, Connect fails within the patience, and its error
// says so.
func TestConnectSilence(t *testing.T) {
	host, port := silent(t, "127.0.0.1:0", func(net.Conn) {})
	_, err := Connect(
		t.Context(),
		Config{Hosts: []string{host}, Port: port, Patience: 50 * time.Millisecond},
	)
	require.Equal(t, fault.Fatal, fault.ClassOf(err))
	require.EqualError(
		t,
		err,
		fmt.Sprintf(
			"%s:%d takes connections and answers nothing: are the nodes overloaded, or is it another port than that of CQL, usually 9042 (--port)?",
			host,
			port,
		),
	)
}

// Nodes that hang at connect do not use up the patience with those that answer. Only they are
// reported as silent.
func TestConnectBesideNodesThatHang(t *testing.T) {
	c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Nodes: 3})
	require.NoError(t, err)
	defer c.Close()
	hosts := c.Hosts()
	host := hosts[2]
	c.Stop(2)
	silent(t, net.JoinHostPort(host, strconv.Itoa(c.Port())), func(net.Conn) {})
	s, err := Connect(t.Context(), Config{Hosts: hosts, Port: c.Port(), Patience: 3 * time.Second})
	require.NoError(t, err)
	defer s.Close()
	require.Len(t, s.hosts(), 3)

	hangs := errSilent(t.Context(), Config{Hosts: hosts, Port: c.Port(), AskTimeout: time.Second})
	require.ErrorContains(
		t,
		hangs,
		fmt.Sprintf("%s:%d takes connections and answers nothing", host, c.Port()),
	)
	require.NotContains(t, hangs.Error(), hosts[0])
	answer := errSilent(
		t.Context(),
		Config{Hosts: hosts[:1], Port: c.Port(), AskTimeout: time.Second},
	)
	require.ErrorContains(t, answer, "answers: do other nodes hang?")
}

// The user is warned of a contact point that is slow to answer.
func TestConnectTellsWhatItWaitsFor(t *testing.T) {
	host, port := silent(t, "127.0.0.1:0", func(net.Conn) {})
	ctx, cancel := context.WithCancel(t.Context())
	now := make(chan time.Time)
	close(now)
	var told []string
	_, err := Connect(ctx, Config{
		Hosts: []string{host}, Port: port, warnNow: now, Patience: time.Hour,
		Warnf: func(format string, args ...any) {
			told = append(told, fmt.Sprintf(format, args...))
			cancel()
		},
	})
	require.Error(t, err)
	require.Equal(
		t,
		[]string{
			fmt.Sprintf(
				"no answer yet from %s:%d; it is given up after 1h0m0s (--patience)",
				host,
				port,
			),
		},
		told,
	)
}

// If the port is a known one that is not for CQL, the error explains it.
func TestConnectOtherPort(t *testing.T) {
	host, _ := silent(t, "127.83.61.1:7000", func(conn net.Conn) { _ = conn.Close() })
	_, err := Connect(t.Context(), Config{Hosts: []string{host + ":7000"}})
	require.EqualError(
		t,
		err,
		"127.83.61.1:7000: this is the storage port; CQL is usually on 9042 (--port)",
	)
	_, err = Connect(t.Context(), Config{Hosts: []string{host}, Port: 7000})
	require.EqualError(
		t,
		err,
		"127.83.61.1:7000: this is the storage port; CQL is usually on 9042 (--port)",
	)

	host, port := silent(t, "127.0.0.1:0", func(conn net.Conn) { _ = conn.Close() })
	_, err = Connect(t.Context(), Config{Hosts: []string{host}, Port: port})
	require.EqualError(
		t,
		err,
		fmt.Sprintf(
			"what answers at %s:%d does not speak CQL: is %[2]d the native transport port of a node? CQL is usually on 9042 (--port)",
			host,
			port,
		),
	)
}

// An unknown data center is a usage error.
func TestConnectWrongDC(t *testing.T) {
	c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Nodes: 1})
	require.NoError(t, err)
	defer c.Close()
	_, err = Connect(t.Context(), Config{Hosts: c.Hosts(), Port: c.Port(), DC: "nowhere"})
	require.ErrorContains(t, err, "nowhere")
	require.Equal(t, fault.Permanent, fault.ClassOf(err))
}
