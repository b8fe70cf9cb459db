package internode_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
)

// authority makes certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	a := &authority{key: key}
	a.cert = a.sign(t, a, &x509.Certificate{
		Subject: pkix.Name{
			CommonName: "authority",
		},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}, key).Leaf
	return a
}

func (a *authority) sign(
	t *testing.T,
	by *authority,
	template *x509.Certificate,
	key *ecdsa.PrivateKey,
) tls.Certificate {
	t.Helper()
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore = time.Now().Add(-2 * time.Hour)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	parent := by.cert
	if parent == nil {
		parent = template // its own
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by.key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// certificate makes a certificate for both sides of a connection.
func (a *authority) certificate(t *testing.T, template *x509.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template.ExtKeyUsage = []x509.ExtKeyUsage{
		x509.ExtKeyUsageServerAuth,
		x509.ExtKeyUsageClientAuth,
	}
	return a.sign(t, a, template, key)
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// listen serves a node at a port of this machine.
func listen(t *testing.T, n *internodetest.Node) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.Listen(ctx, l)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return l.Addr().String()
}

func TestSessionsByTLS(t *testing.T) {
	ours, others := newAuthority(t), newAuthority(t)
	here := func() *x509.Certificate {
		return &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	}
	named := func() *x509.Certificate { return &x509.Certificate{DNSNames: []string{"node.example"}} }
	expired := here()
	expired.NotAfter = time.Now().Add(-time.Hour)
	client := ours.certificate(t, &x509.Certificate{})

	for name, c := range map[string]struct {
		node   *tls.Config
		client *tls.Config
		want   string // in the error; empty: no error
	}{
		"both plain": {},
		"TLS": {
			node:   &tls.Config{Certificates: []tls.Certificate{ours.certificate(t, here())}},
			client: &tls.Config{RootCAs: ours.pool()},
		},
		"TLS 1.2": {
			node: &tls.Config{
				Certificates: []tls.Certificate{ours.certificate(t, here())},
				MaxVersion:   tls.VersionTLS12,
			},
			client: &tls.Config{RootCAs: ours.pool()},
		},
		"another name that is given": {
			node:   &tls.Config{Certificates: []tls.Certificate{ours.certificate(t, named())}},
			client: &tls.Config{RootCAs: ours.pool(), ServerName: "node.example"},
		},
		"a client's certificate": {
			node: &tls.Config{
				Certificates: []tls.Certificate{ours.certificate(t, here())},
				ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: ours.pool(),
			},
			client: &tls.Config{RootCAs: ours.pool(), Certificates: []tls.Certificate{client}},
		},
		"a client's certificate by a function": {
			node: &tls.Config{
				Certificates: []tls.Certificate{ours.certificate(t, here())},
				ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: ours.pool(),
			},
			client: &tls.Config{RootCAs: ours.pool(), GetClientCertificate: func(
				*tls.CertificateRequestInfo,
			) (*tls.Certificate, error) {
				return &client, nil
			}},
		},
		"no client's certificate": {
			node: &tls.Config{
				Certificates: []tls.Certificate{ours.certificate(t, here())},
				ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: ours.pool(),
			},
			client: &tls.Config{RootCAs: ours.pool()},
			want:   "wants a certificate of the client",
		},
		"no client's certificate, TLS 1.2": {
			node: &tls.Config{
				Certificates: []tls.Certificate{ours.certificate(t, here())},
				ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: ours.pool(),
				MaxVersion: tls.VersionTLS12,
			},
			client: &tls.Config{RootCAs: ours.pool()},
			want:   "wants a certificate of the client",
		},
		"a client's certificate that is refused": {
			// the node does not say which authorities it trusts
			node: &tls.Config{
				Certificates: []tls.Certificate{
					ours.certificate(t, here()),
				}, ClientAuth: tls.RequireAnyClientCert,
				VerifyPeerCertificate: func([][]byte, [][]*x509.Certificate) error {
					return errWrong
				},
			},
			client: &tls.Config{RootCAs: ours.pool(), Certificates: []tls.Certificate{client}},
			want:   "refused the client's certificate",
		},
		"an authority that is not trusted": {
			node:   &tls.Config{Certificates: []tls.Certificate{others.certificate(t, here())}},
			client: &tls.Config{RootCAs: ours.pool()},
			want:   "authority that is not trusted",
		},
		"another name": {
			node:   &tls.Config{Certificates: []tls.Certificate{ours.certificate(t, named())}},
			client: &tls.Config{RootCAs: ours.pool()},
			want:   "not for that node",
		},
		"an expired certificate": {
			node:   &tls.Config{Certificates: []tls.Certificate{ours.certificate(t, expired)}},
			client: &tls.Config{RootCAs: ours.pool()},
			want:   "is not valid",
		},
		"plain where TLS is wanted": {
			node: &tls.Config{Certificates: []tls.Certificate{ours.certificate(t, here())}},
			want: "the node wants TLS",
		},
		"TLS where it is not spoken": {
			client: &tls.Config{RootCAs: ours.pool()},
			want:   "does not speak TLS",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := internodetest.Node{TLS: c.node}
			address := listen(t, &n)
			ours := internode.Client{TLS: c.client, Connections: 2}
			_, err := ours.Stream(
				t.Context(),
				address,
				[]internode.File{rows(tableA, random(200_000)), rows(tableA, []byte("x"))},
				internode.Watch{},
			)
			probed, probeErr := ours.Probe(t.Context(), address)
			if c.want == "" {
				require.NoError(t, err)
				require.Len(t, n.Complete(), 1)
				require.NoError(t, probeErr)
				require.Equal(t, internode.Probed{Version: 12}, probed)
				return
			}
			for _, err := range []error{err, probeErr} {
				require.Equal(t, internode.TLS, internode.KindOf(err), "%v", err)
				require.ErrorContains(t, err, c.want)
				require.ErrorContains(t, err, "storage port "+address)
			}
		})
	}
}
