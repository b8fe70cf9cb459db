package internodetest

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/cqlbulk/cqlbulk/internal/internode"
)

// errHarm ends the serving of a connection on which the node has done harm.
var errHarm = errors.New("as the test set it")

// connection is one connection to a node.
type connection struct {
	node *Node
	ctx  context.Context
	conn net.Conn
	r    *bufio.Reader
	s    *session // once it is known
}

func newConnection(ctx context.Context, n *Node, raw net.Conn) *connection {
	conn := raw
	if n.TLS != nil {
		conn = tls.Server(raw, n.TLS)
	}
	return &connection{node: n, ctx: ctx, conn: conn, r: bufio.NewReader(conn)}
}

// serve speaks on the connection; a session that it was of fails when it ends before its time.
func (c *connection) serve() {
	step := Accept
	if c.node.underWay() {
		step = FileOpen
	}
	offer, err := c.shake(step)
	switch {
	case err != nil:
	case offer.Messages != 0:
		err = c.gossip(offer)
	default:
		err = c.converse()
	}
	if c.s != nil && !errors.Is(err, errHarm) && !c.s.isOver() {
		_ = c.s.control.say(internode.SessionFailed)
		c.s.end()
	}
	if c.s != nil && c.s.control == c && c.s.Asked != nil && c.s.isOver() {
		c.s.end() // the connections for files are the node's to close
	}
	if c.s != nil && c.s.control == c {
		c.s.mu.Lock()
		c.s.bring = nil // the node keeps its sessions, and a file may be large
		c.s.mu.Unlock()
	}
}

func (c *connection) shake(step Step) (internode.Offer, error) {
	if err := c.harm(step); err != nil {
		return internode.Offer{}, err
	}
	offer, err := internode.ReadOffer(c.r)
	if err != nil {
		return offer, err
	}
	version := c.node.version()
	answer := c.right(
		nil,
		internode.AppendAnswer(nil, internode.Answer{Max: version, Use: version}),
	)
	if _, err := c.conn.Write(answer); err != nil {
		return offer, err
	}
	if version < offer.Min || version > offer.Max {
		return offer, fmt.Errorf(
			"version %d, and %d to %d were offered",
			version,
			offer.Min,
			offer.Max,
		)
	}
	return offer, nil
}

func (n *Node) version() int { return cmp.Or(n.Version, 12) }

// harm does the node's harm if this is the step for it.
func (c *connection) harm(step Step) error {
	var harm Harm
	if c.node.At == step {
		harm = c.node.Harm
	}
	if harm == "" && c.node.Draw != nil {
		harm = c.node.Draw(step)
	}
	if harm == "" {
		return nil
	}
	s := c.s
	if s == nil {
		c.node.mu.Lock()
		s = c.node.last
		c.node.mu.Unlock()
	}
	control := c
	if s != nil {
		control = s.control
	}
	if harm == Hang {
		<-c.ctx.Done()
		return errHarm
	}
	if harm == Fail {
		_ = control.say(internode.SessionFailed)
	}
	if s != nil {
		s.end()
	}
	return errHarm
}

func (c *connection) right(m internode.Message, b []byte) []byte {
	if c.node.Before != nil {
		return c.node.Before(m, b)
	}
	return b
}

func (c *connection) say(m internode.Message) error {
	_, err := c.conn.Write(c.right(m, internode.Append(nil, m)))
	return err
}

// converse takes messages of either kind of connection.
func (c *connection) converse() error {
	for {
		m, err := internode.Read(c.r)
		if err != nil {
			return err
		}
		if c.s != nil && m != internode.KeepAlive && c.s.isComplete() {
			c.node.mu.Lock()
			c.node.late = append(c.node.late, m)
			c.node.mu.Unlock()
			return fmt.Errorf("message %T in a session that is complete", m)
		}
		switch m := m.(type) {
		case internode.Init:
			c.s = c.node.begin(c, m)
			if !m.Preview {
				err = c.harm(Begin)
			}
		case internode.PrepareSyn:
			err = c.prepare(m)
		case internode.PrepareAck:
			c.start()
		case internode.Received:
			err = c.received(m)
		case *internode.FileHead:
			err = c.file(m)
		case internode.Signal:
			if m == internode.SessionFailed {
				err = errors.New("the client failed the session")
			}
		default:
			err = fmt.Errorf("message %T", m)
		}
		if err != nil {
			return err
		}
	}
}

func (c *connection) prepare(m internode.PrepareSyn) error {
	if c.s == nil {
		return errors.New("PREPARE_SYN without a session")
	}
	if c.s.init.Preview && len(m.Requests) == 0 {
		return c.check(m.Summaries)
	}
	if err := c.harm(Prepare); err != nil {
		return err
	}
	for range c.node.KeepAlives {
		if err := c.say(internode.KeepAlive); err != nil {
			return err
		}
		if m, err := internode.Read(c.r); err != nil || m != internode.KeepAlive {
			return fmt.Errorf("no KEEP_ALIVE: %T, %w", m, err)
		}
	}
	if len(m.Requests) > 0 {
		return c.promise(m.Requests)
	}
	c.s.mu.Lock()
	c.s.Announced = m.Summaries
	for _, table := range m.Summaries {
		c.s.parts += table.Files
	}
	c.s.mu.Unlock()
	return c.say(internode.PrepareSynAck{})
}

// check answers a session that only asks whether the node knows tables.
func (c *connection) check(summaries []internode.Summary) error {
	for _, table := range summaries {
		if c.node.Knows != nil && !c.node.Knows(table.Table) {
			return errors.New("there is no such table")
		}
	}
	c.s.mu.Lock()
	c.s.over = true
	c.s.mu.Unlock()
	return c.say(internode.PrepareSynAck{})
}

// file takes a file, and what becomes of the session when it was the last.
func (c *connection) file(head *internode.FileHead) error {
	if c.s == nil {
		if err := c.join(head.Plan); err != nil {
			return err
		}
	}
	if err := c.harm(FileHead); err != nil {
		return err
	}
	if head.Asked || head.Compression != nil ||
		head.Manifest == nil && (len(head.Sections) != 1 || head.Sections[0].From != 0) {
		return errors.New("a file as nodes send them")
	}
	f := File{Head: head}
	parts := 1
	var err error
	if head.Manifest == nil {
		f.Plain, err = c.payload(internode.NewBlocks(c.r, head.Length()))
	} else {
		parts = len(head.Manifest)
		f.Parts = make(map[string][]byte)
		for _, e := range head.Manifest {
			if f.Parts[e.Name], err = c.payload(io.LimitReader(c.r, e.Size)); err != nil {
				break
			}
			if int64(len(f.Parts[e.Name])) != e.Size {
				return io.ErrUnexpectedEOF
			}
		}
	}
	if err != nil {
		return err
	}
	if err := c.harm(FileEnd); err != nil {
		return err
	}
	return c.took(f, parts)
}

// payload reads all of a file, or of a component.
func (c *connection) payload(r io.Reader) ([]byte, error) {
	first := make([]byte, 1)
	n, err := io.ReadFull(r, first)
	if err != nil {
		return nil, err
	}
	if err := c.harm(MidFile); err != nil {
		return nil, err
	}
	rest, err := io.ReadAll(r)
	return append(first[:n], rest...), err
}

// join makes the connection one of the session's.
func (c *connection) join(plan internode.UUID) error {
	c.node.mu.Lock()
	s := c.node.sessions[plan]
	c.node.mu.Unlock()
	if s == nil {
		return fmt.Errorf("no session %s", plan)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.Announced == nil {
		return fmt.Errorf("session %s is not prepared", plan)
	}
	c.s = s
	s.conns = append(s.conns, c.conn)
	return nil
}

// took acknowledges a file, and completes the session with the last.
func (c *connection) took(f File, parts int) error {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Files = append(s.Files, f)
	s.parts -= parts
	if err := s.control.say(
		internode.Received{Table: f.Head.Table, Sequence: f.Head.Sequence},
	); err != nil ||
		s.parts > 0 {
		return err
	}
	s.mu.Unlock()
	err := c.harm(Finish)
	s.mu.Lock()
	if err != nil {
		return err
	}
	if c.node.Take != nil {
		if err := c.node.Take(&s.Session); err != nil {
			return err
		}
	}
	s.over, s.complete = true, true
	c.node.mu.Lock()
	c.node.complete = append(c.node.complete, &s.Session)
	c.node.mu.Unlock()
	return s.control.say(internode.Complete)
}
