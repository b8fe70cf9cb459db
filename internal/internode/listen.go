package internode

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// ListenPort is the default port to listen at for files: the port that sessions announce anyhow. It
// should stay the same from run to run, since nodes keep metrics of each address and port for ever.
const ListenPort = announcedPort

const (
	// maxUnidentified is the largest number of connections that belong to no session yet. If there
	// are more, the oldest is closed.
	maxUnidentified = 64
	// identifyTime is the time for a connection to show which session it belongs to. Nodes do so at
	// once.
	identifyTime = 10 * time.Second
	// acceptRetry is the wait after a failed accept, for example for lack of file descriptors.
	acceptRetry = 100 * time.Millisecond
)

// Listener accepts the connections over which nodes send requested files. It may serve any number
// of sessions at the same time. Connections that belong to none of them, such as those of port
// scans, are closed silently.
type Listener struct {
	inner  net.Listener
	tls    *tls.Config
	at     netip.AddrPort
	closed chan struct{}
	wg     sync.WaitGroup

	mu           sync.Mutex
	unidentified []*unidentified // the oldest comes first
	sessions     map[UUID]*incoming
	rounds       []*gossipRound // gossip requests that wait for an answer
	refused      refusal        // of the last connection that was refused
}

// refusal is why a connection was refused.
type refusal struct {
	at   time.Time
	from netip.Addr
	err  error
}

// unidentified is a connection that has not shown yet which session it belongs to.
type unidentified struct {
	conn       net.Conn
	identified chan struct{} // closed when it is identified, or refused
}

// Listen opens a listener at an address and port of this machine, such as "192.0.2.1:7099". Without
// an address, as in ":7099", it listens at all of them, and each session announces the one that the
// node is reached from ([LocalAddress]).
//
// With settings, nodes have to speak TLS. The settings need a certificate that the nodes trust, and
// that is valid for servers. The node's certificate must be issued by an authority in RootCAs, as
// when a [Client] connects to it.
func Listen(address string, settings *tls.Config) (*Listener, error) {
	inner, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	l, err := NewListener(inner, settings)
	if err != nil {
		_ = inner.Close()
	}
	return l, err
}

// NewListener makes a listener of an open one, which it closes when it is closed.
func NewListener(inner net.Listener, settings *tls.Config) (*Listener, error) {
	at, err := netip.ParseAddrPort(inner.Addr().String())
	if err != nil {
		return nil, err
	}
	l := &Listener{
		inner: inner, at: unmapped(at), closed: make(chan struct{}),
		sessions: make(map[UUID]*incoming),
	}
	if settings != nil {
		if l.tls, err = forServer(settings); err != nil {
			return nil, err
		}
	}
	l.wg.Go(l.accept)
	return l, nil
}

// forServer converts the TLS settings of a client into those of a server.
func forServer(settings *tls.Config) (*tls.Config, error) {
	if len(settings.Certificates) == 0 && settings.GetCertificate == nil {
		return nil, errors.New(
			"nodes that bring files by TLS want to see a certificate, and there is none",
		)
	}
	for _, c := range settings.Certificates {
		if err := servesServers(c); err != nil {
			return nil, err
		}
	}
	s := settings.Clone()
	if s.InsecureSkipVerify {
		return s, nil
	}
	// The extended key usage of a node's certificate is not checked. Nodes that do not check it for
	// their clients may have certificates for servers only.
	s.ClientAuth = tls.RequireAnyClientCert
	s.VerifyConnection = func(c tls.ConnectionState) error {
		options := x509.VerifyOptions{
			Roots:         settings.RootCAs,
			Intermediates: x509.NewCertPool(),
			KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
		}
		for _, other := range c.PeerCertificates[1:] {
			options.Intermediates.AddCert(other)
		}
		_, err := c.PeerCertificates[0].Verify(options)
		return err
	}
	return s, nil
}

// servesServers returns an error for a certificate that nodes would refuse for a server.
func servesServers(c tls.Certificate) error {
	leaf := c.Leaf
	if leaf == nil && len(c.Certificate) > 0 {
		var err error
		if leaf, err = x509.ParseCertificate(c.Certificate[0]); err != nil {
			return err
		}
	}
	if leaf == nil || len(leaf.ExtKeyUsage)+len(leaf.UnknownExtKeyUsage) == 0 ||
		slices.Contains(leaf.ExtKeyUsage, x509.ExtKeyUsageServerAuth) ||
		slices.Contains(leaf.ExtKeyUsage, x509.ExtKeyUsageAny) {
		return nil
	}
	return errors.New(
		"the certificate is for clients alone (extended key usage), and nodes that bring files want one for servers: make one for both",
	)
}

// Addr returns the address and port that the listener was opened at.
func (l *Listener) Addr() netip.AddrPort { return l.at }

// Close ends all connections, and with them the sessions in progress. It returns when the
// listener's goroutines have ended.
func (l *Listener) Close() error {
	l.mu.Lock()
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	for _, s := range l.unidentified {
		_ = s.conn.Close()
	}
	l.mu.Unlock()
	err := l.inner.Close()
	l.wg.Wait()
	return err
}

// LocalAddress returns this machine's address on the route to a node (address and port). It sends
// nothing.
func LocalAddress(node string) (netip.Addr, error) {
	conn, err := net.Dial("udp", node)
	if err != nil {
		return netip.Addr{}, err
	}
	defer func() { _ = conn.Close() }()
	at, err := netip.ParseAddrPort(conn.LocalAddr().String())
	return at.Addr().Unmap().WithZone(""), err
}

// unmapped returns the form of an address and port that is compared and announced.
func unmapped(at netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
}

// CheckListen returns an error if an address to listen at, as for [Listen], is a node's own address
// and storage port. No other process can listen there, and a node does not answer a session with
// its own address. Other errors of an address show when it is used.
func CheckListen(address, node string) error {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err == nil {
		_, err = waitedAt(unmapped(at.AddrPort()), node)
	}
	if kindOf(err) == Unreached {
		return err
	}
	return nil
}

// waitedAt returns the address that a node is given for a listener at an address.
func waitedAt(at netip.AddrPort, node string) (netip.AddrPort, error) {
	if !at.Addr().IsValid() || at.Addr().IsUnspecified() {
		here, err := LocalAddress(node)
		if err != nil {
			return at, problemf(Unreachable, "no way to it: %w", err)
		}
		at = netip.AddrPortFrom(here, at.Port())
	}
	if own, err := net.ResolveTCPAddr("tcp", node); err == nil && unmapped(own.AddrPort()) == at {
		return at, problemf(
			Unreached,
			"files would be waited for at %s, which is the node's own address and port: it would keep silent",
			at,
		)
	}
	return at, nil
}

// accept takes connections until the listener is closed.
func (l *Listener) accept() {
	for {
		conn, err := l.inner.Accept()
		if err == nil {
			s := &unidentified{conn, make(chan struct{})}
			if l.admit(s) {
				l.wg.Go(func() { l.identify(s) })
			}
			continue
		}
		select {
		case <-l.closed:
			return
		case <-time.After(acceptRetry):
		}
	}
}

// admit adds a connection to the unidentified ones. It returns false if the listener is closed.
func (l *Listener) admit(s *unidentified) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.closed:
		_ = s.conn.Close()
		return false
	default:
	}
	if len(l.unidentified) == maxUnidentified {
		_ = l.unidentified[0].conn.Close()
		l.unidentified = slices.Delete(l.unidentified, 0, 1)
	}
	l.unidentified = append(l.unidentified, s)
	return true
}

// identify reads which session a connection belongs to, and closes it if there is none. It also
// closes a connection that brought the answer of a gossip request, which hearGossip takes.
func (l *Listener) identify(s *unidentified) {
	defer close(s.identified)
	link, plan, err := l.readPlan(s.conn)
	if err == nil && link.came.Messages != 0 {
		err = l.hearGossip(link)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := slices.Index(l.unidentified, s); at >= 0 {
		l.unidentified = slices.Delete(l.unidentified, at, at+1)
	}
	if err != nil {
		from, _ := netip.ParseAddrPort(s.conn.RemoteAddr().String())
		l.refused = refusal{time.Now(), from.Addr(), err}
	} else if session := l.sessions[plan]; session != nil && session.join(link) {
		return
	}
	_ = s.conn.Close()
}

// readPlan makes the handshake with a node that has connected. It reads the plan from the head of
// the node's first file, without consuming the head.
func (l *Listener) readPlan(raw net.Conn) (*link, UUID, error) {
	var plan UUID
	conn := raw
	_ = raw.SetDeadline(time.Now().Add(identifyTime))
	if l.tls != nil {
		secured := tls.Server(raw, l.tls)
		if err := secured.HandshakeContext(context.Background()); err != nil {
			return nil, plan, explainRefusal(err)
		}
		conn = secured
	}
	w := &timedConn{Conn: conn, until: time.Now().Add(identifyTime)}
	r := bufio.NewReaderSize(w, blockLen)
	if first, err := r.Peek(1); err == nil && l.tls == nil && first[0] == tlsHandshake {
		return nil, plan, problemf(TLS, "it speaks TLS, and the listener does not")
	}
	offer, err := ReadOffer(r)
	if err != nil {
		return nil, plan, err
	}
	// A node offers one version. To other clients, the answer has the versions spoken here.
	answer := Answer{Max: maxVersion, Use: max(min(offer.Max, maxVersion), minVersion)}
	if _, err := conn.Write(AppendAnswer(nil, answer)); err != nil {
		return nil, plan, err
	}
	if answer.Use < offer.Min || answer.Use > offer.Max {
		return nil, plan, problemf(
			Version,
			"the node brings files by versions %d to %d of the internode protocol; versions %d to %d are spoken here",
			offer.Min,
			offer.Max,
			minVersion,
			maxVersion,
		)
	}
	if offer.Messages != 0 {
		return &link{Conn: conn, raw: raw, answer: answer, in: r, came: offer}, plan, nil
	}
	// the first byte, the table, and the length of an address come before its bytes, port and plan
	const before = 1 + len(UUID{}) + 1
	start, err := r.Peek(before)
	if err != nil {
		return nil, plan, err
	}
	if start[0] != idStream {
		return nil, plan, problemf(Protocol, "message %d on a connection for files", start[0])
	}
	address := int(start[before-1])
	if start, err = r.Peek(before + address + len(plan)); err != nil {
		return nil, plan, err
	}
	copy(plan[:], start[before+address:])
	_ = raw.SetDeadline(time.Time{})
	w.until = time.Time{}
	return &link{Conn: conn, raw: raw, answer: answer, in: r, waits: w}, plan, nil
}

// tlsHandshake is the first byte of a TLS connection. No handshake of nodes begins with it.
const tlsHandshake = 0x16

// explainRefusal returns the reason why a TLS handshake with a node failed.
func explainRefusal(err error) error {
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &plain):
		return problemf(TLS, "it does not speak TLS (%w)", err)
	case alert(err):
		return problemf(
			TLS,
			"the node refused the certificate that it was shown (%w): is it of an authority that the node trusts, not expired, good for servers, "+
				"and for the address that is listened at?",
			err,
		)
	default:
		return &problem{TLS, err}
	}
}

// timedConn is a connection with a timeout for each read, or for all reads together.
type timedConn struct {
	net.Conn
	limit time.Duration // of each read; 0: none
	until time.Time     // of all reads, if there is no limit; zero: none
}

// Read reads the bytes that have come.
func (w *timedConn) Read(p []byte) (int, error) {
	until := w.until
	if w.limit > 0 {
		until = time.Now().Add(w.limit)
	}
	if err := w.SetReadDeadline(until); err != nil {
		return 0, err
	}
	return w.Conn.Read(p)
}

// expect has connections of a plan passed to a session until forget is called. It returns false if
// the listener is closed.
func (l *Listener) expect(s *incoming) bool {
	return l.whileOpen(func() { l.sessions[s.plan] = s })
}

// whileOpen calls add with the lock held. If the listener is closed, it does not, and returns
// false.
func (l *Listener) whileOpen(add func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.closed:
		return false
	default:
		add()
		return true
	}
}

func (l *Listener) forget(s *incoming) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.sessions, s.plan)
}

// refusedSince returns why the last connection was refused, if that was after then. It may have
// come from another address than the one that the node listens at.
func (l *Listener) refusedSince(then time.Time) (r refusal, found bool) {
	l.mu.Lock()
	strangers := slices.Clone(l.unidentified)
	l.mu.Unlock()
	patience := time.NewTimer(farewell)
	defer patience.Stop()
	for late := false; len(strangers) > 0 && !late; strangers = strangers[1:] {
		select { // it may be about to be refused
		case <-strangers[0].identified:
		case <-patience.C:
			late = true
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused, !l.refused.at.Before(then)
}
