// Package internodetest simulates the storage port of a Cassandra node. It takes files that are
// streamed in, row by row or as entire SSTables, and sends those that a client asks for. A test can
// make it fail at any step. Start with [Node].
package internodetest

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/internode"
)

// Step is a moment of a session at which a node may fail.
type Step string

// The steps, in the order in which a session comes to them.
const (
	Accept   Step = "accept"    // the control connection is there, and nothing was said
	Begin    Step = "begin"     // INIT has come
	Prepare  Step = "prepare"   // PREPARE_SYN has come, and was not answered
	FileOpen Step = "file open" // a file connection is there, and nothing was said on it
	FileHead Step = "file head" // the head of a file has come
	MidFile  Step = "mid-file"  // a part of a file has come
	FileEnd  Step = "file end"  // all of a file has come, and was not acknowledged
	Finish   Step = "finish"    // all files are acknowledged, and the session is not complete
)

// The steps of a session in which the node is asked for files are others behind Prepare; Finish is
// the last again.
const (
	BringOpen Step = "bring open" // the client waits for files, and no connection to it is there
	BringHead Step = "bring head" // a connection is there, and no head of a file was sent on it
	MidBring  Step = "mid-bring"  // a part of a file was sent
	BringEnd  Step = "bring end"  // all of a file was sent, and the client may have acknowledged it
)

// AskedSteps are those of a session in which the node is asked for files.
func AskedSteps() []Step {
	return []Step{Accept, Begin, Prepare, BringOpen, BringHead, MidBring, BringEnd, Finish}
}

// Steps are all of those of a session in which the node is sent files, in that order.
func Steps() []Step {
	return []Step{Accept, Begin, Prepare, FileOpen, FileHead, MidFile, FileEnd, Finish}
}

// Harm is what a node does instead of continuing.
type Harm string

// The harms.
const (
	Hang  Harm = "hang"  // it neither reads nor says anything more on that connection
	Close Harm = "close" // it ends all connections of the session
	Fail  Harm = "fail"  // it says SESSION_FAILED on the control connection, and ends all
)

// Session is what a node took in one session.
type Session struct {
	Plan      internode.UUID
	Began     time.Time           // when INIT had come
	From      netip.AddrPort      // as it was announced
	Announced []internode.Summary // of what came, or of what the node was asked for
	Files     []File
	// Asked is what the node was asked for, and Acknowledged are the files of those that the client
	// has.
	Asked        []internode.Request
	Acknowledged []internode.Received
}

// File is a file that was streamed in.
type File struct {
	Head  *internode.FileHead
	Plain []byte            // partitions, row by row
	Parts map[string][]byte // the components of an entire SSTable, by name
}

// Node is a storage port. Its fields are not changed once it serves; its methods are safe for
// concurrent use. Its zero value takes everything.
type Node struct {
	// Version is the one of the protocol that it speaks; 0 for 12.
	Version int
	// TLS has it take connections by TLS alone.
	TLS *tls.Config
	// At is when it does Harm; no Step is never.
	At   Step
	Harm Harm
	// Draw is asked at each step for the harm to do there, empty for none, besides At and Harm. It
	// may be nil.
	Draw func(Step) Harm
	// KeepAlives is how many KEEP_ALIVEs it wants before it answers PREPARE_SYN; it sends as many.
	KeepAlives int
	// Before gives the bytes that are sent for a message, which is nil for the answer to a
	// handshake, instead of the right ones. It may be nil.
	Before func(m internode.Message, right []byte) []byte
	// Take is called when all files of a session are there, before it is called complete; an error
	// fails the session. It may be nil.
	Take func(*Session) error

	// Knows reports whether the node has a table of that id. Nil: it has all.
	Knows func(internode.UUID) bool
	// Has gives the files that the node has of what is asked for; an error fails the session. Nil
	// is of a node without tables.
	Has func(internode.Request) ([]Brought, error)
	// Connections is how many connections it brings files on at the same time; 0 for 1.
	Connections int
	// Connect opens them, nil for those of a net.Dialer, and ConnectTLS secures them, unless it is
	// nil.
	Connect    func(ctx context.Context, network, address string) (net.Conn, error)
	ConnectTLS *tls.Config
	// Gossip answers gossip; nil: the node keeps silent.
	Gossip *Gossip

	wg       sync.WaitGroup
	mu       sync.Mutex
	sessions map[internode.UUID]*session
	last     *session
	complete []*Session
	late     []internode.Message
}

// session is a session that is under way, and its connections.
type session struct {
	Session
	control  *connection
	mu       sync.Mutex
	conns    []net.Conn // of files
	parts    int        // of files, that have not come, or are not acknowledged
	init     internode.Init
	bring    []Brought // what it was asked for; nil once the session has ended
	over     bool      // it is complete, or has failed
	complete bool
}

// Complete are the sessions that were called complete. They are not changed any more.
func (n *Node) Complete() []*Session {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.complete)
}

// Late are the messages, other than KEEP_ALIVE, that came to a session after it was complete. A
// real node would log an error for each.
func (n *Node) Late() []internode.Message {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.late)
}

// Serve speaks on one connection until it ends, or the context does, and closes it.
func (n *Node) Serve(ctx context.Context, raw net.Conn) {
	defer func() { _ = raw.Close() }()
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	newConnection(ctx, n, raw).serve()
}

// Listen serves the connections of a listener, in goroutines of their own, until the context ends,
// and closes it. It returns when all of them have ended.
func (n *Node) Listen(ctx context.Context, l net.Listener) {
	defer n.wg.Wait()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		n.wg.Go(func() { n.Serve(ctx, conn) })
	}
}

// Dial gives what [internode.Client] opens its connections with, to reach this node without a
// network. The connections end with the context.
func (n *Node) Dial(ctx context.Context) func(context.Context, string, string) (net.Conn, error) {
	return func(_ context.Context, _, address string) (net.Conn, error) {
		remote, err := netip.ParseAddrPort(address)
		if err != nil {
			return nil, err
		}
		near, far := net.Pipe()
		n.wg.Go(func() { n.Serve(ctx, far) })
		return pipe{near, net.TCPAddrFromAddrPort(remote)}, nil
	}
}

// Wait returns when all connections have ended.
func (n *Node) Wait() { n.wg.Wait() }

// Home is the address that connections without a network come from.
var Home = netip.MustParseAddrPort("127.0.0.9:40000")

// pipe is a connection without a network that has addresses.
type pipe struct {
	net.Conn
	remote net.Addr
}

func (p pipe) LocalAddr() net.Addr  { return net.TCPAddrFromAddrPort(Home) }
func (p pipe) RemoteAddr() net.Addr { return p.remote }

// underWay says whether the last session is accepted and not over: the next connection is then for
// its files.
func (n *Node) underWay() bool {
	n.mu.Lock()
	last := n.last
	n.mu.Unlock()
	if last == nil {
		return false
	}
	last.mu.Lock()
	defer last.mu.Unlock()
	return last.Announced != nil && last.Asked == nil && !last.over
}

// begin makes a session.
func (n *Node) begin(control *connection, m internode.Init) *session {
	s := &session{
		Session: Session{Plan: m.Plan, From: m.From, Began: time.Now()},
		control: control,
		init:    m,
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.sessions == nil {
		n.sessions = make(map[internode.UUID]*session)
	}
	n.sessions[m.Plan], n.last = s, s
	return s
}

func (s *session) isComplete() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.complete
}

func (s *session) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// end ends a session's connections; those of one that is not complete before their time.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for _, conn := range s.conns {
		_ = conn.Close()
	}
	_ = s.control.conn.Close()
}
