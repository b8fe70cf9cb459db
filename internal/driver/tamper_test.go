package driver

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// tamper is a proxy between the driver and the one node of a simulated cluster. It passes frames
// on, except for the one that an attack meets. It makes a conditional insert, which the simulated
// cluster does not know, an ordinary one.
type tamper struct {
	listener net.Listener
	behind   string
	attack   atomic.Pointer[attack]

	wg    sync.WaitGroup
	mu    sync.Mutex
	links map[*link]struct{}
	done  bool
}

// attack is what is done to the answer of one request.
type attack struct {
	// meets reports whether a request is the one to attack.
	meets func(request []byte) bool
	// answer is sent instead of the node's answer. If the stream of its first frame is 0, it gets
	// that of the request. Empty: the node's own answer is damaged.
	answer []byte
	bend   func(frame []byte) []byte
	hangUp bool // the connection ends after the answer, unless it consists of complete frames

	done  atomic.Bool
	met   atomic.Pointer[link] // where it happened
	later atomic.Int32         // requests like it, after the attack
}

// alone reports whether the answer was the only one to requests like it.
func (a *attack) alone() bool { return a.done.Load() && a.later.Load() == 0 }

// newTamper puts a tamper before the first node of a cluster, at the node's address on another
// port.
func newTamper(t testing.TB, c *simcluster.Cluster) *tamper {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(c.Hosts()[0], "0"))
	require.NoError(t, err)
	p := &tamper{
		listener: l,
		behind:   net.JoinHostPort(c.Hosts()[0], strconv.Itoa(c.Port())),
		links:    make(map[*link]struct{}),
	}
	p.wg.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

func (p *tamper) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

func (p *tamper) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.done = true
	for l := range p.links {
		l.hangUp()
	}
	p.mu.Unlock()
	p.wg.Wait()
}

func (p *tamper) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.behind)
		if err != nil {
			_ = client.Close()
			continue
		}
		l := &link{tamper: p, client: client, server: server}
		p.keep(l)
		p.wg.Go(l.requests)
		p.wg.Go(l.answers)
	}
}

func (p *tamper) keep(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links[l] = struct{}{}
	if p.done {
		l.hangUp()
	}
}

// push sends bytes to the driver, over all of its connections.
func (p *tamper) push(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.send(b, 0, false)
	}
}

// link is one connection of the driver through the tamper.
type link struct {
	tamper         *tamper
	client, server net.Conn
	sending        sync.Mutex // to the client

	mu   sync.Mutex
	bent map[uint16]*attack // by the stream of the request
}

func (l *link) hangUp() {
	_ = l.client.Close()
	_ = l.server.Close()
}

func (l *link) end() {
	l.hangUp()
	l.tamper.mu.Lock()
	defer l.tamper.mu.Unlock()
	delete(l.tamper.links, l)
}

func (l *link) requests() {
	defer l.end()
	for {
		frame, err := readFrame(l.client)
		if err != nil {
			return
		}
		frame = unconditional(frame)
		a, stream := l.tamper.attack.Load(), binary.BigEndian.Uint16(frame[2:])
		switch {
		case a == nil:
		case a.meets(frame) && a.done.CompareAndSwap(false, true):
			a.met.Store(l)
			if a.bend == nil {
				l.send(a.answer, stream, a.hangUp)
				continue
			}
			l.mu.Lock()
			l.bent = map[uint16]*attack{stream: a}
			l.mu.Unlock()
		case a.done.Load() && a.meets(frame):
			a.later.Add(1)
		}
		if _, err := l.server.Write(frame); err != nil {
			return
		}
	}
}

func (l *link) answers() {
	defer l.end()
	for {
		frame, err := readFrame(l.server)
		if err != nil {
			return
		}
		stream, hangUp := binary.BigEndian.Uint16(frame[2:]), false
		l.mu.Lock()
		a := l.bent[stream]
		delete(l.bent, stream)
		l.mu.Unlock()
		if a != nil {
			frame, hangUp = a.bend(frame), a.hangUp
		}
		l.send(frame, stream, hangUp)
	}
}

// send sends bytes that may not be a complete frame, or several frames.
func (l *link) send(answer []byte, stream uint16, hangUp bool) {
	l.sending.Lock()
	defer l.sending.Unlock()
	if len(answer) >= 4 && answer[2] == 0 && answer[3] == 0 {
		answer = append([]byte(nil), answer...)
		binary.BigEndian.PutUint16(answer[2:], stream)
	}
	_, _ = l.client.Write(answer)
	if rest := frames(answer, func(_, _ []byte) {}); hangUp && len(rest) > 0 {
		_ = l.client.Close()
	}
}

// readFrame reads a frame with a correct length.
func readFrame(r io.Reader) ([]byte, error) {
	frame := make([]byte, headerSize)
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, err
	}
	frame = append(frame, make([]byte, binary.BigEndian.Uint32(frame[5:]))...)
	_, err := io.ReadFull(r, frame[headerSize:])
	return frame, err
}

// unconditional removes the condition from the text of a PREPARE.
func unconditional(frame []byte) []byte {
	condition := []byte(" IF NOT EXISTS")
	if frame[4] != opPrepare || !bytes.HasSuffix(frame, condition) {
		return frame
	}
	frame = bytes.TrimSuffix(frame, condition)
	binary.BigEndian.PutUint32(frame[5:], uint32(len(frame)-headerSize))
	binary.BigEndian.PutUint32(frame[headerSize:], uint32(len(frame)-headerSize-4))
	return frame
}

// Opcodes of requests.
const (
	opPrepare = 0x09
	opExecute = 0x0a
	opBatch   = 0x0d
)
