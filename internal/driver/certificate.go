package driver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"sync"
	"time"
)

// Certified is the certificate that a node or a contact point presents.
type Certified struct {
	Address string
	Ends    time.Time // when the certificate expires, or one in its chain if that is sooner
	// why it is not valid, or was not seen; Ends is then that of an expired one, or zero
	Err error
}

// NodeCertificates reads the certificates of the addresses, with or without a port, all at the same
// time. It sends no request there.
func NodeCertificates(ctx context.Context, cfg Config, addresses []string) []Certified {
	cfg = cfg.withDefaults()
	all := make([]Certified, len(addresses))
	var looking sync.WaitGroup
	for i, address := range addresses {
		all[i].Address = withPort(address, cfg.Port)
		looking.Go(func() {
			all[i].Ends, all[i].Err = certificateAt(ctx, cfg, cfg.Addresses.reached(all[i].Address))
		})
	}
	looking.Wait()
	return all
}

func certificateAt(ctx context.Context, cfg Config, address string) (ends time.Time, err error) {
	conn, err := (&net.Dialer{Timeout: cfg.AskTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return ends, explainDial(address, err)
	}
	defer func() { _ = conn.Close() }()
	// It is called when the certificate was verified, or verification is off.
	cfg.TLS = cfg.TLS.Clone()
	cfg.TLS.VerifyConnection = func(state tls.ConnectionState) error {
		ends = firstEnd(state.PeerCertificates)
		return nil
	}
	err = shake(ctx, conn, cfg)
	var invalid x509.CertificateInvalidError
	if errors.As(err, &invalid) && invalid.Cert != nil {
		ends = invalid.Cert.NotAfter
	}
	return ends, err
}

// ClientEnds returns when the certificate of this client expires; zero: it has none.
func ClientEnds(cfg *tls.Config) time.Time {
	if cfg == nil || len(cfg.Certificates) == 0 {
		return time.Time{}
	}
	var chain []*x509.Certificate
	for _, der := range cfg.Certificates[0].Certificate {
		if cert, err := x509.ParseCertificate(der); err == nil {
			chain = append(chain, cert)
		}
	}
	return firstEnd(chain)
}

// firstEnd returns when the first of some certificates expires.
func firstEnd(chain []*x509.Certificate) (first time.Time) {
	for _, cert := range chain {
		if first.IsZero() || cert.NotAfter.Before(first) {
			first = cert.NotAfter
		}
	}
	return first
}
