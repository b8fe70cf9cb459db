package internode_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
)

// Connections that are not from nodes are closed, and keep no node out, however many there are.
func TestStrangersAtTheListener(t *testing.T) {
	n := internodetest.Node{Has: has(broughtWhole(tableA))}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, client *internode.Client, l *internode.Listener) {
			ended := func(conn net.Conn) time.Duration {
				began := time.Now()
				_, err := io.Copy(io.Discard, conn)
				require.NoError(t, err)
				return time.Since(began)
			}
			for _, text := range []string{
				"GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01",
				string(
					internode.AppendOffer(
						nil, internode.Offer{Use: 11, Min: 11, Max: 11, From: internodetest.Own},
					),
				),
			} {
				conn, err := n.Connect(ctx, "tcp", waitedAt.String())
				require.NoError(t, err)
				go func() { _, _ = conn.Write([]byte(text)) }()
				require.Zero(t, ended(conn), text)
			}
			// makes the handshake, and then has no session
			conn, err := n.Connect(ctx, "tcp", waitedAt.String())
			require.NoError(t, err)
			_, err = conn.Write(
				internode.AppendOffer(
					nil,
					internode.Offer{Use: 12, Min: 12, Max: 12, From: internodetest.Own},
				),
			)
			require.NoError(t, err)
			answer, err := internode.ReadAnswer(conn)
			require.NoError(t, err)
			require.Equal(t, internode.Answer{Max: 13, Use: 12}, answer)
			head := broughtWhole(tableA).Head
			head.From = internodetest.Own
			_, err = conn.Write(internode.Append(nil, &head)[:100])
			require.NoError(t, err)
			require.Zero(t, ended(conn))

			silent := make([]net.Conn, 70)
			for i := range silent {
				silent[i], err = n.Connect(ctx, "tcp", waitedAt.String())
				require.NoError(t, err)
			}
			require.Zero(t, ended(silent[0]), "there are too many")
			_, err = client.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
			require.NoError(t, err)
			require.Equal(t, 10*time.Second, ended(silent[69]))
		},
	)
}

// listenHere opens a listener at a port of this machine.
func listenHere(t *testing.T, address string, settings *tls.Config) *internode.Listener {
	t.Helper()
	l, err := internode.Listen(address, settings)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

func TestFilesComeByTheNetwork(t *testing.T) {
	for _, version := range []int{12, 13} {
		n := internodetest.Node{
			Version:     version,
			Connections: 2,
			Has: has(
				broughtChunks(tableA),
				broughtWhole(tableA),
				internodetest.Rows(tableA, header, random(1<<20)),
			),
		}
		node := listen(t, &n)
		for _, address := range []string{"127.0.0.1:0", ":0"} {
			l := listenHere(t, address, nil)
			var client internode.Client
			fetched, err := client.Fetch(t.Context(), node, l, asked, internode.Discard)
			require.NoError(t, err)
			require.Equal(t, 3, fetched.Files)
			require.NoError(t, client.CheckReach(t.Context(), node, l))
		}
		for _, s := range n.Complete() {
			require.Equal(t, "127.0.0.1", s.From.Addr().String())
		}
		l := listenHere(t, "127.0.0.1:0", nil)
		_, err := new(
			internode.Client,
		).Fetch(t.Context(), l.Addr().String(), l, asked, internode.Discard)
		require.Equal(t, internode.Unreached, internode.KindOf(err), "%v", err)
	}
	_, err := internode.Listen("nowhere", nil)
	require.Error(t, err)
}

// A listener's address must not be a node's own, which is found before it is opened. Listen reports
// an invalid address.
func TestAddressToListenAt(t *testing.T) {
	const node = "127.0.0.1:7000"
	for _, own := range []string{node, ":7000", "0.0.0.0:7000", "[::ffff:127.0.0.1]:7000", "localhost:7000"} {
		require.ErrorContains(
			t,
			internode.CheckListen(own, node),
			"files would be waited for at 127.0.0.1:7000, which is the node's own address and port",
			own,
		)
	}
	for _, other := range []string{":7099", "127.0.0.1:7099", "127.0.0.2:7000", "127.0.0.1:0", "nowhere", "127.0.0.1:x"} {
		require.NoError(t, internode.CheckListen(other, node), other)
	}
	require.NoError(t, internode.CheckListen(":7000", ""))
}

func TestAddressOnTheWayToANode(t *testing.T) {
	here, err := internode.LocalAddress("127.0.0.7:7000")
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", here.String())
	_, err = internode.LocalAddress("127.0.0.7")
	require.Error(t, err)
}

func TestFilesComeByTLS(t *testing.T) {
	ours, others := newAuthority(t), newAuthority(t)
	here := func() *x509.Certificate {
		return &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	}
	node := &tls.Config{
		Certificates: []tls.Certificate{ours.certificate(t, here())},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    ours.pool(),
	}
	client := &tls.Config{
		RootCAs:      ours.pool(),
		Certificates: []tls.Certificate{ours.certificate(t, here())},
	}
	for name, c := range map[string]struct {
		connects *tls.Config // of the node's connection to the listener
		listens  *tls.Config
		want     string // in the error; empty: no error
	}{
		"both certificates": {
			connects: &tls.Config{RootCAs: ours.pool(), Certificates: node.Certificates, ServerName: "127.0.0.1"},
			listens:  client,
		},
		"TLS 1.2": {
			connects: &tls.Config{RootCAs: ours.pool(), Certificates: node.Certificates, ServerName: "127.0.0.1", MaxVersion: tls.VersionTLS12},
			listens:  client,
		},
		"a certificate that the node does not trust": {
			connects: &tls.Config{RootCAs: others.pool(), Certificates: node.Certificates, ServerName: "127.0.0.1"},
			listens:  client,
			want:     "refused the certificate that it was shown",
		},
		"a node of another authority": {
			connects: &tls.Config{RootCAs: ours.pool(), Certificates: []tls.Certificate{others.certificate(t, here())}, ServerName: "127.0.0.1"},
			listens:  client,
			want:     "unknown authority",
		},
		"a node without a certificate": {
			connects: &tls.Config{RootCAs: ours.pool(), ServerName: "127.0.0.1"},
			listens:  client,
			want:     "didn't provide a certificate",
		},
		"a node of any authority, which is not asked for": {
			connects: &tls.Config{RootCAs: ours.pool(), ServerName: "127.0.0.1"},
			listens:  &tls.Config{InsecureSkipVerify: true, Certificates: client.Certificates},
		},
		"a plain node": {
			listens: client,
			want:    "it does not speak TLS",
		},
		"a plain listener": {
			connects: &tls.Config{RootCAs: ours.pool(), Certificates: node.Certificates, ServerName: "127.0.0.1"},
			want:     "it speaks TLS, and the listener does not",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := internodetest.Node{
				TLS:        node,
				ConnectTLS: c.connects,
				Has:        has(broughtWhole(tableA)),
			}
			address := listen(t, &n)
			l := listenHere(t, "127.0.0.1:0", c.listens)
			client := internode.Client{
				TLS:      client,
				Timeouts: internode.Timeouts{Stall: time.Minute},
			}
			_, err := client.Fetch(t.Context(), address, l, asked, internode.Discard)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, internode.Unreached, internode.KindOf(err), "%v", err)
			require.ErrorContains(t, err, "was refused")
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := internode.Listen("127.0.0.1:0", &tls.Config{RootCAs: ours.pool()})
	require.ErrorContains(t, err, "want to see a certificate")
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	forClients := ours.sign(
		t,
		ours,
		&x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}},
		key,
	)
	_, err = internode.Listen(
		"127.0.0.1:0",
		&tls.Config{Certificates: []tls.Certificate{forClients}},
	)
	require.ErrorContains(t, err, "for clients alone")
	_, err = (&internode.Client{TLS: client}).Fetch(
		context.Background(),
		"127.0.0.1:1",
		listenHere(t, "127.0.0.1:0", client),
		asked,
		internode.Discard,
	)
	require.Equal(t, internode.Unreachable, internode.KindOf(err), "%v", err)
}
