package internode

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
)

// settings returns the TLS settings for one node. asked is set when the node asks for a
// certificate.
func (c *Client) settings(node string) (settings *tls.Config, asked *bool) {
	settings, asked = c.TLS.Clone(), new(bool)
	if settings.ServerName == "" {
		settings.ServerName, _, _ = net.SplitHostPort(node)
	}
	given := settings.GetClientCertificate
	settings.GetClientCertificate = func(
		request *tls.CertificateRequestInfo,
	) (*tls.Certificate, error) {
		*asked = true
		if given != nil {
			return given(request)
		}
		for i := range settings.Certificates {
			if request.SupportsCertificate(&settings.Certificates[i]) == nil {
				return &settings.Certificates[i], nil
			}
		}
		return new(tls.Certificate), nil
	}
	return settings, asked
}

// explain makes a problem of an error of TLS, or of an error within it.
func (c *Client) explain(ctx context.Context, node string, asked bool, err error) error {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	has := len(c.TLS.Certificates) > 0 || c.TLS.GetClientCertificate != nil
	switch {
	case errors.As(err, &name):
		return problemf(TLS, "its certificate is not for that node: %w", err)
	case errors.As(err, &authority):
		return problemf(TLS, "its certificate is of an authority that is not trusted: %w", err)
	case errors.As(err, &invalid):
		return problemf(TLS, "its certificate is not valid: %w", err)
	case asked && broken(err) && !has:
		return problemf(
			TLS,
			"the node wants a certificate of the client, and there is none (%w)",
			err,
		)
	case asked && broken(err):
		return problemf(
			TLS,
			"the node refused the client's certificate (%w): is it of an authority that the node trusts, not expired, and for this machine's address?",
			err,
		)
	case errors.Is(err, errMalformed):
		return problemf(
			Version,
			"no handshake: %w: is that the storage port of a Cassandra 4.0 to 5.0?",
			err,
		)
	case c.speaksPlain(ctx, node):
		return problemf(TLS, "the node does not speak TLS: its internode encryption is off")
	default:
		return problemf(TLS, "no secured connection: %w", err)
	}
}

// wantsTLS reports, after a failed attempt without TLS, whether the node requires it.
func (c *Client) wantsTLS(ctx context.Context, node string) bool {
	return c.knock(ctx, node, func(ctx context.Context, conn net.Conn) bool {
		// Only the handshake is sent, so it does not matter whose certificate it is.
		err := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}).HandshakeContext(ctx)
		return err == nil || alert(err)
	})
}

// speaksPlain reports, after a failed attempt with TLS, whether the node accepts plain connections.
func (c *Client) speaksPlain(ctx context.Context, node string) bool {
	return c.knock(ctx, node, func(ctx context.Context, conn net.Conn) bool {
		plain := &Client{Timeouts: c.Timeouts}
		_, err := plain.shake(ctx, conn, node, netip.AddrPort{}, unspoken)
		return err == nil
	})
}

// knock runs a check on a connection of its own. It returns false if there is no connection.
func (c *Client) knock(
	ctx context.Context,
	node string,
	finds func(context.Context, net.Conn) bool,
) bool {
	ctx, cancel := context.WithTimeout(ctx, c.Timeouts.connect())
	defer cancel()
	conn, err := c.dial(ctx, node)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	return finds(ctx, conn)
}
