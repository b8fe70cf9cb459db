package driver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// proxy is what passes all connections to the nodes of a bundle. It chooses the node by the server
// name of TLS (SNI), which is the host id. It is safe for concurrent use.
type proxy struct {
	bundle   *Bundle
	address  string       // with a port
	dc       string       // data center of its nodes
	contacts []string     // host ids of nodes
	begun    atomic.Int64 // connections to a contact
}

// bundleMetadata is the answer of a metadata service.
type bundleMetadata struct {
	ContactInfo struct {
		Type          string   `json:"type"`
		LocalDC       string   `json:"local_dc"`
		ContactPoints []string `json:"contact_points"`
		ProxyAddress  string   `json:"sni_proxy_address"`
	} `json:"contact_info"`
}

// maxMetadata bounds the answer of a metadata service: it has a few hundred bytes for each node.
const maxMetadata = 1 << 20

// askProxy asks the metadata service where the proxy is.
func (b *Bundle) askProxy(ctx context.Context, cfg Config) (*proxy, error) {
	ctx, cancel := context.WithTimeout(ctx, cfg.Timeout)
	defer cancel()
	text, err := b.get(ctx, "https://"+b.service+"/metadata")
	if err != nil {
		return nil, fmt.Errorf(
			"the metadata service of %s, at %s: %w: is the database there, and not hibernated?",
			b.path, b.service, err,
		)
	}
	var found bundleMetadata
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, fmt.Errorf("the metadata service at %s: its answer: %w", b.service, err)
	}
	info := found.ContactInfo
	if len(info.ContactPoints) == 0 || info.ProxyAddress == "" ||
		strings.HasPrefix(info.ProxyAddress, ":") {
		return nil, fmt.Errorf(
			"the metadata service at %s names no proxy, or no nodes behind it",
			b.service,
		)
	}
	return &proxy{
		bundle:   b,
		address:  withPort(info.ProxyAddress, cfg.Port),
		dc:       info.LocalDC,
		contacts: info.ContactPoints,
	}, nil
}

func (b *Bundle) get(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{TLSClientConfig: b.tls.Clone(), Proxy: http.ProxyFromEnvironment}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, maxMetadata))
}

// answeringContacts returns the contacts that answer; all, if none does.
func (c Config) answeringContacts(ctx context.Context) []string {
	answering, _ := probeEach(c.proxy.contacts, func(id string) bool {
		cfg := c
		cfg.TLS = c.proxy.tlsFor(id)
		answers, _ := probeOne(ctx, cfg, c.proxy.address)
		return answers
	})
	if len(answering) == 0 {
		return c.proxy.contacts
	}
	return answering
}

// tlsFor returns the configuration of TLS for connections to a node; to any contact if the host id
// is empty. The certificate is that of the proxy, and not of the node. Like DataStax' drivers, it
// accepts one for the host of the metadata service.
func (p *proxy) tlsFor(hostID string) *tls.Config {
	if hostID == "" {
		hostID = p.contacts[int(p.begun.Add(1)-1)%len(p.contacts)]
	}
	secured := p.bundle.tls.Clone()
	secured.ServerName = hostID
	secured.InsecureSkipVerify = true // VerifyConnection does it
	secured.VerifyConnection = p.verify
	return secured
}

// verify verifies the certificate of the proxy.
func (p *proxy) verify(state tls.ConnectionState) error {
	chain := state.PeerCertificates
	if len(chain) == 0 {
		return errors.New("the proxy has no certificate")
	}
	between := x509.NewCertPool()
	for _, cert := range chain[1:] {
		between.AddCert(cert)
	}
	host, _, _ := net.SplitHostPort(p.address)
	var why string
	for _, name := range []string{host, p.bundle.host} {
		_, err := chain[0].Verify(x509.VerifyOptions{
			Roots:         p.bundle.tls.RootCAs,
			Intermediates: between,
			DNSName:       name,
		})
		if err == nil {
			return nil
		}
		why = err.Error()
	}
	// The cause is not wrapped: its usual explanation names flags for certificates.
	return fmt.Errorf(
		"the certificate of the proxy %s is not as %s wants it: %s",
		p.address, p.bundle.path, why,
	)
}
