package internode

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"
)

// session is the common part of sessions, whichever side sends the files. failure belongs to the
// goroutine of run. The fields before events do not change once there are other goroutines.
type session struct {
	client *Client
	node   string
	plan   UUID
	// the announced address; if it was not valid before, the control connection's own
	from    netip.AddrPort
	control *link

	events chan event
	ended  chan struct{} // closed when run no longer receives events
	wg     sync.WaitGroup

	mu     sync.Mutex
	closed bool
	links  []*link // all connections, until they are closed

	// of a file's connection; the node may still report the reason on the control connection
	failure error
}

func newSession(c *Client, node string, plan UUID) *session {
	return &session{
		client: c,
		node:   node,
		plan:   plan,
		events: make(chan event),
		ended:  make(chan struct{}),
	}
}

// direction is what a session does once it is prepared. Only the goroutine of run calls its
// methods.
type direction interface {
	// handle handles a message of the node. It returns true if the session is complete.
	handle(m Message) (done bool, err error)
	// fileDone records what happened to a file.
	fileDone(file int)
	// patience returns how long nothing may happen from now on; 0: any time. overdue returns the
	// error if that time has passed. If it returns nil, the session waits as long again.
	patience() time.Duration
	overdue(ctx context.Context) error
}

// fileID identifies a file in the node's messages.
type fileID struct {
	table    UUID
	sequence int
}

// event is what the session's other goroutines report to run.
type event struct {
	message Message // of the node; nil: another event
	err     error   // why no more messages or files come; nil: another event
	control bool    // the error is of the control connection
	file    int     // otherwise: what happened to a file, as the direction encodes it
}

// emit sends an event to run. It returns false if that has ended.
func (s *session) emit(e event) bool {
	select {
	case s.events <- e:
		return true
	case <-s.ended:
		return false
	}
}

// run opens the control connection, calls converse to run the session on it, and closes all
// connections.
func (s *session) run(ctx context.Context, converse func(context.Context) error) error {
	inner, cancel := context.WithCancel(ctx)
	control, err := s.open(inner)
	if err != nil {
		cancel()
		return err
	}
	s.control, s.from = control, control.from
	err = converse(inner)
	if ctx.Err() != nil && err != nil {
		err = canceled(ctx)
	}
	close(s.ended)
	cancel()
	s.end(err)
	s.wg.Wait()
	return err
}

// open makes a connection that is closed with the session.
func (s *session) open(ctx context.Context) (*link, error) {
	l, err := s.client.connect(ctx, s.node, s.from, spoken, s.control != nil)
	if err != nil {
		return nil, err
	}
	if !s.keep(l) {
		l.cut()
		return nil, canceled(ctx)
	}
	return l, nil
}

// keep adds a connection to the session, which closes it at its end. It returns false if the
// session has ended.
func (s *session) keep(l *link) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.links = append(s.links, l)
	}
	return !s.closed
}

// end closes all connections: in order if the session is complete, otherwise at once. If the
// session failed on this side, it first reports that to the node.
func (s *session) end(err error) {
	if k := kindOf(err); k.ours() || k == Protocol {
		_ = s.control.SetWriteDeadline(time.Now().Add(farewell))
		// without it, the node notices the closed connection
		_, _ = s.control.Write(Append(nil, SessionFailed))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		if err == nil {
			_ = l.Close()
		}
		l.cut()
	}
	s.links, s.closed = nil, true
}

// begin opens the session, and starts to read the node's messages.
func (s *session) begin(init Init, syn PrepareSyn) error {
	init.From, init.Plan = s.from, s.plan
	if err := s.write(s.control, Append(Append(nil, init), syn)); err != nil {
		return err
	}
	s.wg.Go(s.listen)
	s.wg.Go(s.keepAlive)
	return nil
}

// write writes within the time that a node may stall.
func (s *session) write(l *link, b []byte) error {
	stall := s.client.Timeouts.stall()
	if err := l.SetWriteDeadline(time.Now().Add(stall)); err != nil {
		return lost(err)
	}
	_, err := l.Write(b)
	switch {
	case err == nil:
		return nil
	case timedOut(err):
		return problemf(Deadline, "the node took nothing for %s", stall)
	default:
		return lost(err)
	}
}

func lost(err error) error {
	return problemf(
		Lost,
		"a connection ended before the session was complete, so that nothing is known of it: %w",
		err,
	)
}

// listen reads the control connection.
func (s *session) listen() {
	r := bufio.NewReader(s.control)
	for {
		m, err := Read(r)
		if err != nil {
			if !errors.Is(err, errMalformed) {
				err = lost(err)
			}
			s.emit(event{err: err, control: true})
			return
		}
		if !s.emit(event{message: m}) {
			return
		}
	}
}

// keepAlive sends KeepAlive messages.
func (s *session) keepAlive() {
	ticker := time.NewTicker(s.client.keepAlive())
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-s.ended:
			return
		}
		if err := s.write(s.control, Append(nil, KeepAlive)); err != nil {
			return // listen reports a lost connection
		}
	}
}

// prepared waits until the node has accepted the session, and returns what it will send.
func (s *session) prepared(ctx context.Context, within time.Duration) (PrepareSynAck, error) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return PrepareSynAck{}, canceled(ctx)
		case <-timer.C:
			return PrepareSynAck{}, problemf(
				Deadline,
				"the node did not accept the session within %s",
				within,
			)
		case e := <-s.events:
			if e.err != nil {
				return PrepareSynAck{}, e.err
			}
			if answer, ok := e.message.(PrepareSynAck); ok {
				return answer, nil
			}
			if err := s.unexpected(e.message); err != nil {
				return PrepareSynAck{}, err
			}
		}
	}
}

// unexpected returns an error for a message that is not expected, unless it is KeepAlive.
func (s *session) unexpected(m Message) error {
	switch m {
	case KeepAlive:
		return nil
	case SessionFailed:
		return problemf(
			Failed,
			"the node failed the session, and its log says why, under plan %s",
			s.plan,
		)
	default:
		return problemf(Protocol, "the node sent %T out of its turn: %.100s", m, fmt.Sprint(m))
	}
}

// follow waits until the session is complete.
func (s *session) follow(ctx context.Context, d direction) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if s.failure == nil {
			arm(timer, d.patience())
		}
		select {
		case <-ctx.Done():
			return canceled(ctx)
		case <-timer.C:
			if s.failure != nil {
				return s.failure
			}
			if err := d.overdue(ctx); err != nil {
				return err
			}
		case e := <-s.events:
			switch {
			case e.message != nil:
				if done, err := d.handle(e.message); done || err != nil {
					return err
				}
			case e.err == nil:
				d.fileDone(e.file)
			case s.failure != nil && e.control:
				return s.failure // that was the first error
			case e.control || kindOf(e.err).ours():
				return e.err
			case s.failure == nil:
				s.failure = e.err
				timer.Reset(parting)
			}
		}
	}
}

// arm sets a timer, or stops it if after is 0.
func arm(timer *time.Timer, after time.Duration) {
	if after == 0 {
		timer.Stop()
		return
	}
	timer.Reset(after)
}
