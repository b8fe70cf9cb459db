package driver

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// front is a TLS proxy before a node of a simulated cluster.
type front struct {
	listener net.Listener
	settings *tls.Config
	behind   string
	refused  atomic.Int32 // failed handshakes
	through  atomic.Int32 // connections that were passed on

	wg    sync.WaitGroup
	mu    sync.Mutex
	conns []net.Conn
	done  bool
}

// secured starts a cluster of nodes with a front before each, all on the same port. It is like
// ScyllaDB, whose nodes do not report their ports.
func secured(t *testing.T, settings ...*tls.Config) (*simcluster.Cluster, []*front, int) {
	t.Helper()
	c, err := simcluster.Start(simcluster.Options{Nodes: len(settings), Shards: 1, Rows: 1})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	var fronts []*front
	var port int
	require.Eventually(t, func() bool { // the port may be in use at one of the addresses
		for _, f := range fronts {
			_ = f.listener.Close()
		}
		fronts, port = nil, 0
		for i, host := range c.Hosts() {
			l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
			if err != nil {
				return false
			}
			port = l.Addr().(*net.TCPAddr).Port
			fronts = append(
				fronts,
				&front{
					listener: l,
					settings: settings[i],
					behind:   net.JoinHostPort(host, strconv.Itoa(c.Port())),
				},
			)
		}
		return true
	}, patience, time.Millisecond)
	for _, f := range fronts {
		f.wg.Go(f.serve)
		t.Cleanup(f.stop)
	}
	return c, fronts, port
}

func (f *front) serve() {
	for {
		conn, err := f.listener.Accept()
		if err != nil {
			return
		}
		if f.keep(conn) {
			f.wg.Go(func() { f.pass(conn) })
		}
	}
}

// keep records a connection, to close it at the end. It returns false if the end has come.
func (f *front) keep(conn net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		_ = conn.Close()
		return false
	}
	f.conns = append(f.conns, conn)
	return true
}

func (f *front) pass(conn net.Conn) {
	defer conn.Close()
	outer := tls.Server(conn, f.settings)
	if err := outer.Handshake(); err != nil {
		f.refused.Add(1)
		return
	}
	inner, err := net.Dial("tcp", f.behind)
	if err != nil || !f.keep(inner) {
		return
	}
	f.through.Add(1)
	f.wg.Go(func() {
		_, _ = io.Copy(outer, inner)
		_ = conn.Close()
	})
	_, _ = io.Copy(inner, outer)
	_ = inner.Close()
}

func (f *front) stop() {
	_ = f.listener.Close()
	f.mu.Lock()
	f.done = true
	for _, conn := range f.conns {
		_ = conn.Close()
	}
	f.mu.Unlock()
	f.wg.Wait()
}

// of makes a server's configuration with its certificate.
func of(
	cert tls.Certificate,
) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{cert}}
}

// trusting makes a client's configuration as the command line would.
func trusting(t *testing.T, ca *authority, client *tls.Certificate, name string) *tls.Config {
	t.Helper()
	f := files(t, ca, client)
	f.ServerName = name
	cfg, err := LoadTLS(f)
	require.NoError(t, err)
	return cfg
}

// allConnected waits until each of the nodes has a connection.
func allConnected(t *testing.T, c *simcluster.Cluster, s *Session, nodes ...int) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, n := range nodes {
			if s.connections(c.HostID(n)) == 0 {
				return false
			}
		}
		return true
	}, patience, time.Millisecond)
}

// TestNodesAreVerifiedByTheirOwnAddresses: only the first is a contact point.
func TestNodesAreVerifiedByTheirOwnAddresses(t *testing.T) {
	ca := newAuthority(t, "ca", nil)
	first := of(ca.issue(t, "127.0.77.1"))
	second := of(ca.issue(t, "127.0.77.2"))
	third := of(ca.issue(t, "127.0.77.3"))
	var warnings []string
	connect := func(
		t *testing.T, name string, settings ...*tls.Config,
	) (*simcluster.Cluster, []*front, *Session) {
		c, fronts, port := secured(t, settings...)
		warnings = nil
		s, err := Connect(t.Context(), Config{
			Hosts: c.Hosts()[:1],
			Port:  port,
			TLS:   trusting(t, ca, nil, name),
			Logf:  t.Logf,
			Warnf: func(format string, args ...any) {
				warnings = append(warnings, fmt.Sprintf(format, args...))
			},
		})
		require.NoError(t, err)
		t.Cleanup(s.Close)
		return c, fronts, s
	}
	t.Run("each has its own", func(t *testing.T) {
		c, _, s := connect(t, "", first, second, third)
		allConnected(t, c, s, 0, 1, 2)
		require.Empty(t, warnings)
	})
	t.Run("one has that of another", func(t *testing.T) {
		c, fronts, s := connect(t, "", first, first, third)
		allConnected(t, c, s, 0, 2)
		require.Eventually(
			t,
			func() bool { return fronts[1].refused.Load() > 0 },
			patience,
			time.Millisecond,
		)
		require.Zero(t, fronts[1].through.Load())
		require.Zero(t, s.connections(c.HostID(1)))
		require.Len(t, warnings, 1)
		require.Regexp(
			t,
			"^node "+c.HostID(
				1,
			)+` is left out: the certificate of 127.0.77.2:\d+ is not for that node: `,
			warnings[0],
		)
	})
	t.Run("one is of another authority", func(t *testing.T) {
		c, fronts, s := connect(
			t,
			"",
			first,
			second,
			of(newAuthority(t, "ca", nil).issue(t, "127.0.77.3")),
		)
		allConnected(t, c, s, 0, 1)
		require.Eventually(
			t,
			func() bool { return fronts[2].refused.Load() > 0 },
			patience,
			time.Millisecond,
		)
		require.Zero(t, fronts[2].through.Load())
		require.Len(t, warnings, 1)
		require.Regexp(
			t,
			"^node "+c.HostID(
				2,
			)+` is left out: the certificate of 127.0.77.3:\d+ is of an authority that is not trusted `,
			warnings[0],
		)
	})
	t.Run("all have a name", func(t *testing.T) {
		named := of(ca.issue(t, "db.example"))
		c, _, s := connect(t, "db.example", named, named, named)
		allConnected(t, c, s, 0, 1, 2)
	})
}

// What an administrator may name with --cacert.
func TestWhatCACertMayName(t *testing.T) {
	root := newAuthority(t, "root", nil)
	between := newAuthority(t, "between", root)
	var nobody *authority
	alone := nobody.issue(t, "127.0.77.1") // as keytool -genkeypair makes it
	leaf, err := x509.ParseCertificate(alone.Certificate[0])
	require.NoError(t, err)
	for _, tc := range []struct {
		name    string
		trusted *x509.Certificate
		cert    tls.Certificate
	}{
		{"the root", root.cert, between.issue(t, "127.0.77.1")},
		{"an authority in between", between.cert, between.issue(t, "127.0.77.1")},
		{"the node's own, signed by itself", leaf, alone},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _, port := secured(t, of(tc.cert))
			var noisy atomic.Bool
			s, err := Connect(t.Context(), Config{
				Hosts: c.Hosts(),
				Port:  port,
				TLS:   trusting(t, &authority{cert: tc.trusted}, nil, ""),
				Logf: func(format string, args ...any) {
					if strings.Contains(fmt.Sprintf(format, args...), "deprecated") {
						noisy.Store(true)
					}
				},
			})
			require.NoError(t, err)
			s.Close()
			require.False(t, noisy.Load(), "a setting of ours is no news to the user")
		})
	}
}

func TestConnectByTLSErrors(t *testing.T) {
	ca, other := newAuthority(t, "ca", nil), newAuthority(t, "other ca", nil)
	good := ca.issue(t, "127.0.77.1")
	mine, strange := ca.issue(t, "client"), other.issue(t, "client")
	clients := x509.NewCertPool()
	clients.AddCert(ca.cert)
	demanding := func(version uint16) *tls.Config {
		cfg := of(good)
		cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, clients
		cfg.MaxVersion = version
		return cfg
	}
	old := of(good)
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	for _, tc := range []struct {
		name   string
		server *tls.Config
		client *tls.Config
		want   string // empty: it connects
	}{
		{"a client's certificate is wanted", demanding(tls.VersionTLS13), trusting(t, ca, &mine, ""), ""},
		{"and taken by TLS 1.2", demanding(tls.VersionTLS12), trusting(t, ca, &mine, ""), ""},
		{"none is given", demanding(tls.VersionTLS13), trusting(t, ca, nil, ""), "wants a certificate of the client: give --cert and --key"},
		{"none is given to TLS 1.2", demanding(tls.VersionTLS12), trusting(t, ca, nil, ""), "wants a certificate of the client: give --cert and --key"},
		{"of another authority", demanding(tls.VersionTLS13), trusting(t, ca, &strange, ""), "refused the client's certificate, --cert: is it of an authority that the node trusts"},
		{"of another authority, TLS 1.2", demanding(tls.VersionTLS12), trusting(t, ca, &strange, ""), "refused the client's certificate, --cert: is it of an authority that the node trusts"},
		{"the node's authority is not trusted", of(good), trusting(t, other, nil, ""), `is of an authority that is not trusted ("CN=ca"): name the authority's certificate with --cacert`},
		{"the node's certificate is another's", of(ca.issue(t, "127.0.99.9")), trusting(t, ca, nil, ""), "is not for that node: x509: certificate is valid for 127.0.99.9, not 127.0.77.1"},
		{"it holds a name alone", of(ca.issue(t, "db.example")), trusting(t, ca, nil, ""), "a name that the certificates of all nodes have can be given with --ssl-server-name"},
		{"a name that it does not hold", of(good), trusting(t, ca, nil, "db.example"), "is not for that node: x509: "},
		{"it has expired", of(ca.issueUntil(t, time.Now().Add(-time.Hour), "127.0.77.1")), trusting(t, ca, nil, ""), "is not valid: x509: certificate has expired"},
		{"TLS of old", old, trusting(t, ca, nil, ""), "no secured connection to 127.0.77.1:"},
		{"none at all", of(good), nil, "wants connections secured by TLS: give --ssl"},
		{"none at all, where a client's certificate is wanted", demanding(tls.VersionTLS13), nil, "wants connections secured by TLS: give --ssl"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _, port := secured(t, tc.server)
			s, err := Connect(
				t.Context(),
				Config{
					Hosts:    c.Hosts(),
					Port:     port,
					TLS:      tc.client,
					User:     "u",
					Password: "hunter2",
				},
			)
			if tc.want == "" {
				require.NoError(t, err)
				s.Close()
				return
			}
			require.ErrorContains(t, err, tc.want)
			require.Equal(t, fault.Fatal, fault.ClassOf(err))
			require.NotContains(t, err.Error(), "\n")
		})
	}
	t.Run("the node does not speak it", func(t *testing.T) {
		c, err := simcluster.Start(simcluster.Options{Nodes: 1, Rows: 1})
		require.NoError(t, err)
		t.Cleanup(c.Close)
		_, err = Connect(
			t.Context(),
			Config{Hosts: c.Hosts(), Port: c.Port(), TLS: trusting(t, ca, nil, "")},
		)
		require.ErrorContains(
			t,
			err,
			"ended the connection at the first words of TLS (EOF): does that port speak TLS?",
		)
		require.Equal(t, fault.Fatal, fault.ClassOf(err))
	})
}
