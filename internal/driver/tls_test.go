package driver

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadTLS(t *testing.T) {
	ca := newAuthority(t, "ca", nil)
	client := ca.issue(t, "client")
	whole := files(t, ca, &client)
	cfg, err := LoadTLS(whole)
	require.NoError(t, err)
	require.False(t, cfg.InsecureSkipVerify)
	require.Equal(t, uint16(tls.VersionTLS12), cfg.MinVersion)
	require.Equal(t, client.Certificate, cfg.Certificates[0].Certificate)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	require.True(t, pool.Equal(cfg.RootCAs))

	cfg, err = LoadTLS(TLSFiles{ServerName: "db", SkipVerify: true})
	require.NoError(t, err)
	require.Nil(t, cfg.RootCAs, "the system's are taken")
	require.Equal(t, "db", cfg.ServerName)
	require.True(t, cfg.InsecureSkipVerify)
}

// TestLoadTLSBundle reads several authorities of one file, with text around them.
func TestLoadTLSBundle(t *testing.T) {
	one, two := newAuthority(t, "one", nil), newAuthority(t, "two", nil)
	bundle := writePEM(t, "ca.pem", "CERTIFICATE", one.cert.Raw, two.cert.Raw)
	text, err := os.ReadFile(bundle)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bundle, append([]byte("# our authorities\n"), text...), 0o600))
	cfg, err := LoadTLS(TLSFiles{CACert: bundle})
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(two.cert)
	pool.AddCert(one.cert)
	require.True(t, pool.Equal(cfg.RootCAs))
}

func TestLoadTLSErrors(t *testing.T) {
	ca := newAuthority(t, "ca", nil)
	client, other := ca.issue(t, "client"), ca.issue(t, "other")
	good, wrong := files(t, ca, &client), files(t, ca, &other)
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	text := write("notes.txt", "hunter2\n")
	empty := write("empty.pem", "")
	jks := write("store.jks", "\xfe\xed\xfe\xed\x00\x00\x00\x02")
	p12 := write("store.p12", "\x30\x82\x06")
	broken := write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
	sealed := writePEM(t, "sealed.pem", "ENCRYPTED PRIVATE KEY", []byte("x"))
	old := write(
		"old.pem",
		string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: []byte("x"),
			Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,00"}})),
	)
	for _, tc := range []struct {
		name  string
		files TLSFiles
		want  string
	}{
		{"no such authority", TLSFiles{CACert: "gone.pem"}, "--cacert: open gone.pem: no such file or directory"},
		{"a folder", TLSFiles{CACert: t.TempDir()}, "is a directory"},
		{"any text", TLSFiles{CACert: text}, "--cacert " + text + ": no certificate in PEM form in it: is that the right file?"},
		{"nothing", TLSFiles{CACert: empty}, "--cacert " + empty + ": no certificate in PEM form in it: it is empty"},
		{"Java keystore", TLSFiles{CACert: jks}, "--cacert " + jks + ": no certificate in PEM form in it: it is a Java keystore;"},
		{"PKCS #12", TLSFiles{CACert: p12}, "--cacert " + p12 + ": no certificate in PEM form in it: it is binary;"},
		{"a key for a certificate", TLSFiles{CACert: good.Key}, "--cacert " + good.Key + ": no certificate in PEM form in it: it holds PRIVATE KEY"},
		{"broken certificate", TLSFiles{CACert: broken}, "--cacert " + broken + ": certificate 1: x509: "},
		{"no key", TLSFiles{Cert: good.Cert}, "--cert " + good.Cert + ": the private key to it is missing: name it with --key"},
		{"no certificate", TLSFiles{Key: good.Key}, "--key " + good.Key + ": the certificate to it is missing: name it with --cert"},
		{"no such certificate", TLSFiles{Cert: "gone.pem", Key: good.Key}, "--cert: open gone.pem: no such file or directory"},
		{"no such key", TLSFiles{Cert: good.Cert, Key: "gone.pem"}, "--key: open gone.pem: no such file or directory"},
		{"swapped", TLSFiles{Cert: good.Key, Key: good.Cert}, "--cert " + good.Key + ": no certificate in PEM form in it: it holds PRIVATE KEY"},
		{"twice the certificate", TLSFiles{Cert: good.Cert, Key: good.Cert}, "--key " + good.Cert + ": no private key in PEM form in it: it holds CERTIFICATE"},
		{"another's key", TLSFiles{Cert: good.Cert, Key: wrong.Key}, "--key " + wrong.Key + ": the private key does not belong to the certificate of --cert " + good.Cert},
		{"encrypted key", TLSFiles{Cert: good.Cert, Key: sealed}, "--key " + sealed + ": the private key is encrypted, which is not supported;"},
		{"encrypted key of old", TLSFiles{Cert: good.Cert, Key: old}, "--key " + old + ": the private key is encrypted, which is not supported;"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := LoadTLS(tc.files)
			require.ErrorContains(t, err, tc.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}
