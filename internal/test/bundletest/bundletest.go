// Package bundletest stands for a database in the cloud that is reached by a secure connect bundle.
// It has a metadata service, and a proxy that chooses the node of a TLS connection by its server
// name (SNI).
//
// Start with [Start], which also makes the bundle.
package bundletest

import (
	"archive/zip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// StorePassword is what a bundle names for Java's key stores, which [Start] leaves out.
const StorePassword = "of no secret"

// Options are what may be wrong with a database. The zero value has nothing wrong.
type Options struct {
	ProxyName string        // in the proxy's certificate; empty: localhost
	Status    int           // of the metadata service's answers; 0: 200
	Ended     time.Duration // how long ago the client's certificate expired
	DC        string        // data center that the service names; empty: dc1
}

// Database is a running one.
type Database struct {
	Bundle string            // file name
	nodes  map[string]string // addresses by host id

	mu     sync.Mutex
	opened map[string]int // connections by server name
}

// Start starts the services of a database with nodes, whose addresses with ports are given by host
// id. They end with the test.
func Start(t testing.TB, nodes map[string]string, o Options) *Database {
	t.Helper()
	d := &Database{nodes: nodes, opened: make(map[string]int)}
	authority := issue(t, nil, "authority", time.Hour)
	lasts := time.Hour
	if o.Ended > 0 {
		lasts = -o.Ended
	}
	client := issue(t, authority, "client", lasts)
	server := func(name string) *tls.Config {
		roots := x509.NewCertPool()
		roots.AddCert(authority.Leaf)
		return &tls.Config{
			Certificates: []tls.Certificate{*issue(t, authority, name, time.Hour)},
			ClientAuth:   tls.RequireAndVerifyClientCert,
			ClientCAs:    roots,
			MinVersion:   tls.VersionTLS12,
		}
	}
	name := o.ProxyName
	if name == "" {
		name = "localhost"
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", server(name))
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go d.serve(listener)
	port := d.startService(t, listener.Addr(), server("localhost"), o)
	d.Bundle = write(t, port, authority, client)
	return d
}

// Opened returns the number of connections that were opened to a server name.
func (d *Database) Opened(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.opened[name]
}

// startService starts the metadata service, and returns its port.
func (d *Database) startService(t testing.TB, proxy net.Addr, secured *tls.Config, o Options) int {
	t.Helper()
	var ids []string
	for id := range d.nodes {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	dc := o.DC
	if dc == "" {
		dc = "dc1"
	}
	service := httptest.NewUnstartedServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/metadata" {
				http.NotFound(w, r)
				return
			}
			if o.Status != 0 {
				w.WriteHeader(o.Status)
				return
			}
			_, port, _ := net.SplitHostPort(proxy.String())
			_ = json.NewEncoder(w).Encode(map[string]any{
				"version": 1,
				"region":  "local",
				"contact_info": map[string]any{
					"type":              "sni_proxy",
					"local_dc":          dc,
					"contact_points":    ids,
					"sni_proxy_address": "localhost:" + port,
				},
			})
		},
	))
	service.TLS = secured
	service.StartTLS()
	t.Cleanup(service.Close)
	_, port, err := net.SplitHostPort(service.Listener.Addr().String())
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	return number
}

// serve passes connections to the nodes until the listener closes.
func (d *Database) serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go d.pass(conn.(*tls.Conn))
	}
}

func (d *Database) pass(in *tls.Conn) {
	defer func() { _ = in.Close() }()
	if in.Handshake() != nil {
		return
	}
	name := in.ConnectionState().ServerName
	d.mu.Lock()
	d.opened[name]++
	d.mu.Unlock()
	address, known := d.nodes[name]
	if !known {
		return
	}
	out, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(in, out) // it ends with the connection
		_ = in.Close()
	}()
	_, _ = io.Copy(out, in)
	_ = out.Close()
}

// issue makes a certificate, of its own or of an authority.
func issue(t testing.TB, by *tls.Certificate, name string, lasts time.Duration) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: name},
		DNSNames:              []string{name},
		NotBefore:             time.Now().Add(-48 * time.Hour),
		NotAfter:              time.Now().Add(lasts),
		BasicConstraintsValid: true,
	}
	parent, signer := template, any(key)
	if by == nil {
		template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
	} else {
		parent, signer = by.Leaf, by.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// write writes a bundle to a file of the test.
func write(t testing.TB, servicePort int, authority, client *tls.Certificate) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secure-connect.zip")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	config, err := json.Marshal(map[string]any{
		"host": "localhost", "port": servicePort, "keyspace": "ks",
		"keyStorePassword": StorePassword, "trustStorePassword": StorePassword,
	})
	require.NoError(t, err)
	key, err := x509.MarshalPKCS8PrivateKey(client.PrivateKey)
	require.NoError(t, err)
	inPEM := func(kind string, bytes []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes})
	}
	archive := zip.NewWriter(file)
	for _, f := range []struct {
		name string
		text []byte
	}{
		{"config.json", config},
		{"ca.crt", inPEM("CERTIFICATE", authority.Certificate[0])},
		{"cert", inPEM("CERTIFICATE", client.Certificate[0])},
		{"key", inPEM("PRIVATE KEY", key)},
	} {
		w, err := archive.Create(f.name)
		require.NoError(t, err)
		_, err = w.Write(f.text)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	return path
}
