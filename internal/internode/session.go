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

// Watch is told how a session gets on. Its functions may be nil, and are called from several
// goroutines; the session waits for them.
type Watch struct {
	// Sent tells of n more bytes that were handed to the network.
	Sent func(n int)
	// Received tells that the node has all of a file, whose place among the files is given, and how
	// long that took since its last bytes, 64 KiB at the most, were about to be sent.
	Received func(file int, took time.Duration)
}

// Stream sends files to a node, address and storage port, in one session. Without an error the
// session is complete: all of the files are in use on that node. An error is an [*Error], whose Kind says
// what went wrong; what the session left behind is not known then. plan is the session's id, which
// nodes write into their logs, and each call makes another.
//
// All goroutines of the session have ended when Stream returns. It ends at once when the context does,
// but for a reader of the caller's that it waits for.
func (c *Client) Stream(ctx context.Context, node string, files []File, watch Watch) (plan UUID, err error) {
	plan = NewPlan()
	summaries, sequence, err := summarize(files)
	if err != nil {
		return plan, wrap(node, plan, &problem{Source, err})
	}
	s := &session{
		client: c, node: node, plan: plan, files: files, sequence: sequence, watch: watch,
		events: make(chan event), over: make(chan struct{}),
		awaited: make(map[fileID]int, len(files)), sent: make([]time.Time, len(files)),
	}
	for i, f := range files {
		s.awaited[fileID{f.Table, sequence[i]}] = i
	}
	return plan, wrap(node, plan, s.run(ctx, summaries))
}

// session is one session. From failure on its fields belong to the goroutine of run; those before
// events nobody changes once there are other goroutines.
type session struct {
	client   *Client
	node     string
	plan     UUID
	files    []File
	sequence []int
	watch    Watch
	from     netip.AddrPort
	control  *link

	events chan event
	over   chan struct{} // closed when nobody listens to events any more
	wg     sync.WaitGroup

	mu    sync.Mutex
	links []*link // all connections, until they have been ended

	failure error          // of a file's connection; the node may still say why on the other one
	awaited map[fileID]int // the files that are not received
	sent    []time.Time    // by file: when its last bytes went out; zero before
	waiting int            // files that are sent and not received
}

// fileID is what the node calls a file.
type fileID struct {
	table    UUID
	sequence int
}

// event is what the session's other goroutines tell.
type event struct {
	message Message // of the node's, unless it is nil
	err     error   // why there will be no more messages, or files, unless it is nil
	control bool    // the error is that of the control connection
	file    int     // else: the last bytes of this file are about to go out
}

// tell gives an event to run; false when that has ended.
func (s *session) tell(e event) bool {
	select {
	case s.events <- e:
		return true
	case <-s.over:
		return false
	}
}

func (s *session) run(ctx context.Context, summaries []Summary) error {
	inner, cancel := context.WithCancel(ctx)
	control, err := s.open(inner)
	if err != nil {
		cancel()
		return err
	}
	s.control, s.from = control, control.from
	err = s.converse(inner, summaries)
	if ctx.Err() != nil && err != nil {
		err = canceled(ctx)
	}
	close(s.over)
	cancel()
	s.end(err)
	s.wg.Wait()
	return err
}

// open makes a connection that is ended with the session.
func (s *session) open(ctx context.Context) (*link, error) {
	l, err := s.client.connect(ctx, s.node, s.from, spoken)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		l.cut()
		return nil, canceled(ctx)
	}
	s.links = append(s.links, l)
	return l, nil
}

// end ends all connections: in order after a session that is complete, else at once. A node that
// is to hear of it that the session is over is told first.
func (s *session) end(err error) {
	if k := kindOf(err); k == Canceled || k == Source || k == Protocol {
		_ = s.control.SetWriteDeadline(time.Now().Add(farewell))
		_, _ = s.control.Write(Append(nil, SessionFailed)) // it finds out anyhow
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		if err == nil {
			_ = l.Close()
		}
		l.cut()
	}
	s.links = nil
}

// converse holds the session on a control connection that is open.
func (s *session) converse(ctx context.Context, summaries []Summary) error {
	opening := Append(nil, Init{From: s.from, Plan: s.plan})
	if err := s.say(s.control, Append(opening, PrepareSyn{summaries})); err != nil {
		return err
	}
	s.wg.Go(s.listen)
	s.wg.Go(s.keepAlive)
	if err := s.prepared(ctx); err != nil {
		return err
	}
	queue := make(chan int, len(s.files))
	for i := range s.files {
		queue <- i
	}
	close(queue)
	for range min(max(s.client.Connections, 1), len(s.files)) {
		s.wg.Go(func() { s.send(ctx, queue) })
	}
	return s.follow(ctx)
}

// say writes within the time that a node may stall.
func (s *session) say(l *link, b []byte) error {
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
	return problemf(Lost, "a connection ended before the session was complete, so that nothing is known of it: %w", err)
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
			s.tell(event{err: err, control: true})
			return
		}
		if !s.tell(event{message: m}) {
			return
		}
	}
}

// keepAlive gives a sign of life every now and then.
func (s *session) keepAlive() {
	ticker := time.NewTicker(s.client.keepAlive())
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-s.over:
			return
		}
		if err := s.say(s.control, Append(nil, KeepAlive)); err != nil {
			return // listen tells of a connection that is lost
		}
	}
}

// prepared waits until the node has accepted the session.
func (s *session) prepared(ctx context.Context) error {
	within := s.client.Timeouts.prepare()
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return canceled(ctx)
		case <-timer.C:
			return problemf(Deadline, "the node did not accept the session within %s", within)
		case e := <-s.events:
			if e.err != nil {
				return e.err
			}
			switch m := e.message.(type) {
			case PrepareSynAck:
				if len(m.Summaries) > 0 {
					return problemf(Protocol, "the node announces files of %d tables, and none was asked for", len(m.Summaries))
				}
				return nil
			default:
				if err := s.unexpected(m); err != nil {
					return err
				}
			}
		}
	}
}

// unexpected is about a message that is none of those that are waited for.
func (s *session) unexpected(m Message) error {
	switch m {
	case KeepAlive:
		return nil
	case SessionFailed:
		return problemf(Failed, "the node failed the session, and its log says why, under plan %s", s.plan)
	default:
		return problemf(Protocol, "the node sent %T out of its turn: %.100s", m, fmt.Sprint(m))
	}
}

// follow waits until the session is complete.
func (s *session) follow(ctx context.Context) error {
	timer := time.NewTimer(s.client.Timeouts.complete())
	timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return canceled(ctx)
		case <-timer.C:
			return s.overdue()
		case e := <-s.events:
			switch {
			case e.message == Complete && len(s.awaited) == 0:
				return nil
			case e.message != nil:
				if err := s.hear(e.message); err != nil {
					return err
				}
			case e.err == nil:
				s.sent[e.file] = time.Now()
				s.waiting++
			case s.failure != nil && e.control:
				return s.failure // it came first
			case e.control || kindOf(e.err) == Source || kindOf(e.err) == Canceled:
				return e.err
			case s.failure == nil:
				s.failure = e.err
				timer.Reset(parting)
			}
			if s.failure == nil {
				s.arm(timer)
			}
		}
	}
}

// arm sets the timer to what is waited for now.
func (s *session) arm(timer *time.Timer) {
	switch {
	case s.waiting > 0:
		timer.Reset(s.client.Timeouts.received())
	case len(s.awaited) == 0:
		timer.Reset(s.client.Timeouts.complete())
	default:
		timer.Stop()
	}
}

// overdue says what did not come before the timer ended.
func (s *session) overdue() error {
	switch {
	case s.failure != nil:
		return s.failure
	case len(s.awaited) == 0:
		return problemf(Deadline, "the node has all files, and did not complete the session within %s: it may still do so", s.client.Timeouts.complete())
	default:
		return problemf(Deadline, "the node did not acknowledge %d of %d files within %s", s.waiting, len(s.files), s.client.Timeouts.received())
	}
}

// hear takes a message while files are sent.
func (s *session) hear(m Message) error {
	received, ok := m.(Received)
	if !ok {
		return s.unexpected(m)
	}
	file, known := s.awaited[fileID{received.Table, received.Sequence}]
	if !known || s.sent[file].IsZero() {
		return problemf(Protocol, "the node acknowledges file %d of table %s, which it has not got, or did before", received.Sequence, received.Table)
	}
	delete(s.awaited, fileID{received.Table, received.Sequence})
	s.waiting--
	if s.watch.Received != nil {
		s.watch.Received(file, time.Since(s.sent[file]))
	}
	return nil
}
