package internode

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Fetched is what a node has sent in a session.
type Fetched struct {
	Plan UUID // of the session, which nodes write into their logs
	// Files and Bytes are the number and the size of the files that the receiver took.
	Files int
	Bytes int64
}

// Fetch requests from a node (address and storage port) what it has of ranges of a table, in one
// session. It gets the SSTables' sections unchanged, including data that later writes or deletions
// have replaced. The node flushes the table first. Then it connects to the listener and sends its
// files, and the receiver takes each of them. Without an error the session is complete: the
// receiver has all that the node has of those ranges, which is nothing if it was not called. A node
// of 5.0 also sends what it has of other nodes' ranges. Nodes of 4.0 and 4.1 fail the session in
// that case.
//
// Tokens are those of Murmur3Partitioner. request.From is ignored.
//
// An error is an [*Error]. What the receiver got is then of no use. All goroutines of the session
// have ended when Fetch returns. It returns at once if the context ends, except that it waits for
// the receiver. The protocol has no authentication: a client that reaches the storage port can read
// all tables.
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

// Estimate asks a node how many bytes it would send for a request: the size of the sections on its
// disk. It requests no file. The table is flushed as in [Client.Fetch].
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

// CheckReach proves that a node can send files to the listener: at that address, through firewalls,
// and with these certificates. A node connects only if it has a file to send. So CheckReach
// requests a small one that each node has: the row of system.local, which is flushed if it has
// changed since the last time.
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
				"the node has no row of system.local, so that it is unknown whether it could send a file",
			),
		)
	}
	return err
}

// incoming is a session in which files are requested. The fields before tables do not change once
// it is prepared. Those after fetched belong to the goroutine of run.
type incoming struct {
	*session
	listener *Listener
	request  Request
	receiver Receiver
	begun    time.Time
	ctx      context.Context

	// these are guarded by session.mu
	tables  map[UUID]*expected // by id; those that were announced
	joined  bool               // the node has sent a file
	fetched Fetched

	active int       // files in progress
	moved  time.Time // when active changed last
}

// expected is the state of a table that was announced.
type expected struct {
	parts int          // files that were announced and have not come
	begun map[int]bool // by sequence: files that have begun
}

// converse runs the session on an open control connection.
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

// announcedBytes returns the number of bytes that a node announces.
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

// join adds a connection from the node to the session. It returns false if the session does not
// wait for it.
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

// The file of an event is what happens to a file, as the number that is added to the files in
// progress.
const (
	fileBegins = 1
	fileIsHere = -1
)

func (s *incoming) fileDone(change int) {
	s.active += change
	s.moved = time.Now()
}

// patience is for what comes next. A file in progress has timeouts of its own.
func (s *incoming) patience() time.Duration {
	if s.active > 0 {
		return 0
	}
	return max(s.client.Timeouts.bring()-time.Since(s.moved), 1)
}

// overdue returns the error of what did not come in time.
func (s *incoming) overdue(context.Context) error {
	return problemf(
		Deadline,
		"the node neither sent a file nor completed the session within %s",
		s.client.Timeouts.bring(),
	)
}

// handle handles a message while files come.
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

// errUnreached is the error of a session that the node failed before it sent a file.
var errUnreached = errors.New("the node has not connected")

// unreached returns the likely reason.
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

// missing returns an error if a complete session lacks a file.
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

// check returns an error for a request that cannot be sent.
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
