package driver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// authority issues certificates. Another authority may have issued its own.
type authority struct {
	cert  *x509.Certificate
	key   *ecdsa.PrivateKey
	chain [][]byte // certificates of the authority and those above it, without roots
}

func newAuthority(t *testing.T, name string, above *authority) *authority {
	t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{
			CommonName: name,
		},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	a := &authority{}
	var der []byte
	der, a.key = sign(t, template, above)
	if above != nil {
		a.chain = append([][]byte{der}, above.chain...)
	}
	var err error
	a.cert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	return a
}

// sign makes a key and its certificate, self-signed if there is no authority.
func sign(t *testing.T, template *x509.Certificate, by *authority) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	template.NotBefore = time.Now().Add(-48 * time.Hour)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(t, err)
	return der, key
}

// issue makes a certificate for names and addresses, with its chain.
func (a *authority) issue(t *testing.T, names ...string) tls.Certificate {
	t.Helper()
	return a.issueUntil(t, time.Time{}, names...)
}

func (a *authority) issueUntil(t *testing.T, end time.Time, names ...string) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{Subject: pkix.Name{CommonName: names[0]}, NotAfter: end}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, key := sign(t, template, a)
	chain := [][]byte{der}
	if a != nil {
		chain = append(chain, a.chain...)
	}
	return tls.Certificate{Certificate: chain, PrivateKey: key}
}

// writePEM writes blocks of one kind to a file of the test.
func writePEM(t *testing.T, name, kind string, blocks ...[]byte) string {
	t.Helper()
	var text []byte
	for _, block := range blocks {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: block})...)
	}
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// files writes an authority's certificate and a client's, for LoadTLS.
func files(t *testing.T, ca *authority, client *tls.Certificate) TLSFiles {
	t.Helper()
	f := TLSFiles{CACert: writePEM(t, "ca.pem", "CERTIFICATE", ca.cert.Raw)}
	if client != nil {
		key, err := x509.MarshalPKCS8PrivateKey(client.PrivateKey)
		require.NoError(t, err)
		f.Cert = writePEM(t, "client.pem", "CERTIFICATE", client.Certificate...)
		f.Key = writePEM(t, "client-key.pem", "PRIVATE KEY", key)
	}
	return f
}
