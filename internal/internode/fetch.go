package internode

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Fetched is what a node sent in a session.
type Fetched struct {
	Plan UUID // of the session, which nodes write into their logs
	// Files and Bytes are how many files the receiver took, and how many bytes of them.
	Files int
	Bytes int64
}

// Fetch asks a node, address and storage port, for what it has of ranges of a table, in one
// session: the SSTables' sections as they are, with all that a later write or deletion may have
// made void. The node flushes the table first, and then connects to the listener with its files,
// each of which the receiver takes. Without an error the session is complete: the receiver has all
// that the node has of those ranges, which is nothing when it was not called. A node of
// 5.0 sends what it has of ranges that it is no replica of; those of 4.0 and 4.1 fail the session.
//
// Tokens are those of Murmur3Partitioner, and request.From is not looked at.
//
// An error is an [*Error], whose Kind says what went wrong; what the receiver has got is of no use
// then. All goroutines of the session have ended when Fetch returns. It ends at once when the
// context does, but for a receiver that it waits for. Nobody is asked to log in: who reaches the
// storage port reads all tables.
func (c *Client) Fetch(
	ctx context.Context,
	node string,
	l *Listener,
	request Request,
	receiver Receiver,
) (Fetched, error) {
	plan := NewPlan()
	s := &incoming{
		session: newSession(c, node, plan), listener: l, request: request, receiver: receiver,
		tables: make(map[UUID]*expected), fetched: Fetched{Plan: plan},
	}
	err := request.check()
	if err == nil {
		s.from, err = waitedAt(l.at, node)
	}
	if err == nil {
		err = s.run(ctx, s.converse)
		l.forget(s)
		if errors.Is(err, errUnreached) {
			err = s.unreached()
		}
	}
	return s.fetched, wrap(node, plan, err)
}

// Estimate asks a node how many bytes it would send for a request, of which no file comes: the size
// of the sections as they stand on its disk. The table is flushed as for [Client.Fetch].
func (c *Client) Estimate(
	ctx context.Context,
	node string,
	request Request,
) (bytes int64, err error) {
	plan := NewPlan()
	if err = request.check(); err == nil {
		s := newSession(c, node, plan)
		err = s.run(ctx, func(ctx context.Context) error {
			answer, err := s.ask(ctx, Init{Operation: Other, Preview: true}, request)
			bytes = announcedBytes(answer)
			return err
		})
	}
	return bytes, wrap(node, plan, err)
}

// CheckReach proves that a node can bring files to the listener: with that address, through
// firewalls, and with these certificates. A node connects only when it has a file to send, so that
// it is asked for one that each has, and which is small: the row of system.local, which is flushed
// when it has changed since the last time.
func (c *Client) CheckReach(ctx context.Context, node string, l *Listener) error {
	at := token.Murmur3.Hash([]byte("local")).Lo
	request := Request{
		Keyspace: "system",
		Table:    "local",
		Ranges:   []token.Range{{Start: token.Token{Lo: at - 1}, End: token.Token{Lo: at}}},
	}
	fetched, err := c.Fetch(ctx, node, l, request, Discard)
	if err == nil && fetched.Files == 0 {
		err = wrap(
			node,
			fetched.Plan,
			problemf(
				Protocol,
				"the node has no row of system.local, so that nothing tells whether it could bring a file",
			),
		)
	}
	return err
}

// incoming is a session in which files are asked for. What stands before tables nobody changes once
// it is prepared; what stands behind bytes belongs to the goroutine of run.
type incoming struct {
	*session
	listener *Listener
	request  Request
	receiver Receiver
	begun    time.Time
	ctx      context.Context

	// These are guarded by session.mu.
	tables  map[UUID]*expected // those that were announced
	joined  bool               // the node has brought a file
	fetched Fetched

	active int       // files that are on their way
	moved  time.Time // when that changed last
}

// expected is what is known of one that was announced.
type expected struct {
	parts int          // that were announced and have not come
	begun map[int]bool // files, by their sequence
}

// converse holds the session on a control connection that is open.
func (s *incoming) converse(ctx context.Context) error {
	s.ctx, s.begun = ctx, time.Now()
	if !s.listener.expect(s) {
		return listenerClosed()
	}
	s.wg.Go(func() {
		select {
		case <-s.listener.closed:
			s.emit(event{err: listenerClosed()})
		case <-s.ended:
		}
	})
	answer, err := s.ask(ctx, Init{Operation: Other}, s.request)
	if err != nil {
		return err
	}
	if bytes := announcedBytes(answer); s.request.Most > 0 && bytes > s.request.Most {
		return problemf(TooMuch, "%w", &AnnouncedError{bytes})
	}
	s.moved = time.Now()
	if len(answer.Summaries) > 0 {
		s.announce(answer.Summaries)
		if err := s.write(s.control, Append(nil, PrepareAck{})); err != nil {
			return err
		}
	}
	return s.follow(ctx, s)
}

// announcedBytes is how many bytes a node says that it would send.
func announcedBytes(answer PrepareSynAck) (bytes int64) {
	for _, table := range answer.Summaries {
		bytes += table.Bytes
	}
	return bytes
}

func listenerClosed() error { return problemf(Canceled, "the listener for files was closed") }

// ask opens the session with a request, and waits until it is accepted.
func (s *session) ask(ctx context.Context, init Init, request Request) (PrepareSynAck, error) {
	request.From = s.from
	if err := s.begin(init, PrepareSyn{Requests: []Request{request}}); err != nil {
		return PrepareSynAck{}, err
	}
	answer, err := s.prepared(ctx, s.client.Timeouts.prepare(preparedToSend))
	if kindOf(err) == Failed {
		err = problemf(
			Failed,
			"%w: has it a table %s.%s, and is it a replica of all ranges that were asked for?",
			err,
			request.Keyspace,
			request.Table,
		)
	}
	return answer, err
}

func (s *incoming) announce(summaries []Summary) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range summaries {
		s.tables[one.Table] = &expected{parts: one.Files, begun: make(map[int]bool)}
	}
}

// join makes a connection of the node's one of the session's; false when there is no session that
// waits for it.
func (s *incoming) join(l *link) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.tables) == 0 {
		return false
	}
	s.links, s.joined = append(s.links, l), true
	s.wg.Go(func() { s.receive(l) })
	return true
}

// What becomes of a file is told by the number that is added to those on their way.
const (
	fileBegins = 1
	fileIsHere = -1
)

func (s *incoming) fileDone(change int) {
	s.active += change
	s.moved = time.Now()
}

// patience is for what comes next; a file that is on its way has limits of its own.
func (s *incoming) patience() time.Duration {
	if s.active > 0 {
		return 0
	}
	return max(s.client.Timeouts.bring()-time.Since(s.moved), 1)
}

// overdue says what did not come in time.
func (s *incoming) overdue(context.Context) error {
	return problemf(
		Deadline,
		"the node neither sent a file nor completed the session within %s",
		s.client.Timeouts.bring(),
	)
}

// handle takes a message while files come.
func (s *incoming) handle(m Message) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m == Complete:
		err = s.missing()
		return err == nil, err
	case m == SessionFailed && len(s.tables) > 0 && !s.joined:
		return false, errUnreached
	default:
		return false, s.unexpected(m)
	}
}

// errUnreached is the error of a session that the node failed before it had brought anything.
var errUnreached = errors.New("the node has not connected")

// unreached says why that may be.
func (s *incoming) unreached() error {
	if refused, ok := s.listener.refusedSince(s.begun); ok {
		return problemf(
			Unreached,
			"the node failed the session, and a connection from %s to %s, where files are waited for, was refused: %w",
			refused.from,
			s.from,
			refused.err,
		)
	}
	return problemf(
		Unreached,
		"the node failed the session before it connected to %s, where files are waited for: can it reach that address, "+
			"or is a firewall between? Its log says more, under plan %s",
		s.from,
		s.plan,
	)
}

// missing finds what a complete session lacks.
func (s *incoming) missing() error {
	if s.active > 0 {
		return problemf(
			Protocol,
			"the node completed the session with %d files on their way",
			s.active,
		)
	}
	for id, t := range s.tables {
		if t.parts != 0 {
			return problemf(
				Protocol,
				"the node completed the session without %d of the files of table %s that it had announced",
				t.parts,
				id,
			)
		}
	}
	return nil
}

// check finds what cannot be asked for.
func (m Request) check() error {
	for _, name := range []string{m.Keyspace, m.Table} {
		if name == "" || len(name) > 255 {
			return problemf(Source, "a keyspace or table of the name %.80q", name)
		}
		for _, c := range []byte(name) {
			if c <= ' ' || c > '~' {
				return problemf(Source, "a keyspace or table of the name %q", name)
			}
		}
	}
	if len(m.Ranges) == 0 {
		return problemf(Source, "no range of table %s.%s is asked for", m.Keyspace, m.Table)
	}
	for _, r := range m.Ranges {
		if !r.Start.Less(r.End) {
			return problemf(
				Source,
				"a range of table %s.%s that is empty: %s",
				m.Keyspace,
				m.Table,
				fmt.Sprint(r),
			)
		}
	}
	return nil
}
