package driver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// shakeTimeout is how long a contact point may take for the handshake and the answer.
const shakeTimeout = 10 * time.Second

// options is the request OPTIONS of native protocol version 4 (section 2 of its specification). Any
// server answers it to any client.
var options = []byte{0x04, 0, 0, 0, 0x05, 0, 0, 0, 0}

// shake makes a TLS connection of an open one, as the driver will, and requests a first byte. With
// TLS 1.3 only that shows whether the server accepts the client's certificate. Its errors are for
// the user.
func shake(ctx context.Context, conn net.Conn, cfg Config) error {
	ctx, cancel := context.WithTimeout(ctx, min(cfg.Timeout, shakeTimeout))
	defer cancel()
	address := conn.RemoteAddr().String()
	settings := cfg.TLS.Clone()
	if settings.ServerName == "" {
		// The driver knows nodes only by their addresses.
		settings.ServerName, _, _ = net.SplitHostPort(address)
	}
	asked := false
	settings.GetClientCertificate = func(
		request *tls.CertificateRequestInfo,
	) (*tls.Certificate, error) {
		asked = true
		for i := range cfg.TLS.Certificates {
			if request.SupportsCertificate(&cfg.TLS.Certificates[i]) == nil {
				return &cfg.TLS.Certificates[i], nil
			}
		}
		return new(tls.Certificate), nil
	}
	secured := tls.Client(conn, settings)
	err := secured.HandshakeContext(ctx)
	if err == nil {
		_, err = firstByte(ctx, secured)
	}
	if err != nil && ctx.Err() != nil {
		// its deadline ends the connection
		return fmt.Errorf("no answer from %s by TLS: %w", address, ctx.Err())
	}
	return explainTLS(address, cfg.TLS, asked, err)
}

// warnUnverified warns of nodes that have no connection because of their certificates. The driver
// reports only that they are down.
func (s *Session) warnUnverified(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, shakeTimeout)
	defer cancel()
	for _, h := range s.hosts() {
		if s.connected(h) || s.filter.nodes.excludes(h) {
			continue
		}
		cfg := s.cfg
		address, secured := cfg.route(h, h.Port())
		cfg.TLS = secured
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			continue // it is really down
		}
		if err := shake(ctx, conn, cfg); err != nil {
			s.cfg.Warnf("node %s is left out: %v", h.HostID(), err)
		}
		_ = conn.Close()
	}
}

// firstByte sends a request, waits until an answer begins, and returns its first byte.
func firstByte(ctx context.Context, conn net.Conn) (byte, error) {
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return 0, err
		}
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := conn.Write(options); err != nil {
		return 0, err
	}
	first := make([]byte, 1)
	_, err := io.ReadFull(conn, first)
	return first[0], err
}

// explainTLS turns an error of TLS into one for the user. asked says whether the server requested a
// client certificate.
func explainTLS(address string, cfg *tls.Config, asked bool, err error) error {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case err == nil:
		return nil
	case errNoTLS(err):
		return fmt.Errorf(
			"%s does not speak TLS: leave --ssl out, or give the port that does with --port",
			address,
		)
	case errors.As(err, &name):
		return fmt.Errorf(
			"the certificate of %s is not for that node: %w; a name that the certificates of all nodes have can be given with --ssl-server-name",
			address,
			name,
		)
	case errors.As(err, &authority):
		return fmt.Errorf(
			"the certificate of %s is of an authority that is not trusted (%s): name the authority's certificate with --cacert",
			address,
			issuer(authority.Cert),
		)
	case errors.As(err, &invalid):
		return fmt.Errorf("the certificate of %s is not valid: %w", address, invalid)
	case asked && broken(err) && len(cfg.Certificates) == 0:
		return fmt.Errorf(
			"%s wants a certificate of the client: give --cert and --key (%w)",
			address,
			err,
		)
	case asked && broken(err):
		return fmt.Errorf(
			"%s refused the client's certificate, --cert: is it of an authority that the node trusts, and not expired? (%w)",
			address,
			err,
		)
	case broken(err) && !strings.Contains(err.Error(), "remote error: tls: "):
		return fmt.Errorf(
			"%s ended the connection at the first words of TLS (%w): does that port speak TLS?",
			address,
			err,
		)
	default:
		return fmt.Errorf("no secured connection to %s: %w", address, err)
	}
}

func issuer(cert *x509.Certificate) string {
	if cert == nil {
		return "unknown"
	}
	return fmt.Sprintf("%q", cert.Issuer)
}

// broken reports whether the other side ended the connection, with or without a TLS alert.
func broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) ||
		strings.Contains(err.Error(), "remote error: tls: ")
}

// speaksTLS reports, after a failed attempt without TLS, whether a contact point requires it.
func speaksTLS(ctx context.Context, cfg Config) bool {
	for _, host := range cfg.Hosts {
		ctx, cancel := context.WithTimeout(ctx, min(cfg.Timeout, shakeTimeout))
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", withPort(host, cfg.Port))
		if err == nil {
			// Only the handshake is sent, so it does not matter whose certificate it is.
			err = tls.Client(conn, &tls.Config{InsecureSkipVerify: true}).HandshakeContext(ctx)
			_ = conn.Close()
		}
		cancel()
		if err == nil || strings.Contains(err.Error(), "remote error: tls: ") {
			return true
		}
	}
	return false
}
