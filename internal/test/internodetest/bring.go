package internodetest

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/cqlbulk/cqlbulk/internal/internode"
)

// Own is the address that a node reports as its own when it sends files.
var Own = netip.MustParseAddrPort("127.0.0.1:7000")

// Brought is a file that a node brings: Payload is what follows its head. Own, plan and sequence of
// the head are set by the node.
type Brought struct {
	Head    internode.FileHead
	Payload []byte
}

// Rows returns a file of uncompressed partitions; the node sends all of them.
func Rows(table internode.UUID, header, plain []byte) Brought {
	payload, err := internode.AppendBlocks(nil, plain)
	if err != nil {
		panic(err) // there is a block for any bytes
	}
	return Brought{
		Head: internode.FileHead{
			Table:    table,
			Version:  "nb",
			Format:   "big",
			Keys:     1,
			Header:   header,
			Sections: []internode.Section{{To: int64(len(plain))}},
		},
		Payload: payload,
	}
}

// parts is how many files the protocol takes it for.
func (b *Brought) parts() int { return max(len(b.Head.Manifest), 1) }

// promise answers a request with what will be brought for it.
func (c *connection) promise(asked []internode.Request) error {
	var files []Brought
	for _, r := range asked {
		if c.node.Has == nil {
			return errors.New("there is no such table")
		}
		more, err := c.node.Has(r)
		if err != nil {
			return err
		}
		files = append(files, more...)
	}
	announced := []internode.Summary{}
	sequence := make(map[internode.UUID]int)
	for i := range files {
		f := &files[i]
		f.Head.From, f.Head.Plan, f.Head.Asked = Own, c.s.Plan, true
		f.Head.Sequence = sequence[f.Head.Table]
		sequence[f.Head.Table]++
		if f.Head.Sequence == 0 {
			announced = append(announced, internode.Summary{Table: f.Head.Table})
		}
		for n := range announced {
			if announced[n].Table == f.Head.Table {
				announced[n].Files += f.parts()
				announced[n].Bytes += int64(len(f.Payload))
			}
		}
	}
	s := c.s
	s.mu.Lock()
	s.Asked, s.Announced, s.bring = asked, announced, files
	for _, table := range announced {
		s.parts += table.Files
	}
	s.mu.Unlock()
	if err := c.say(internode.PrepareSynAck{Summaries: announced}); err != nil || len(files) > 0 {
		return err
	}
	return c.finish()
}

// start brings the files of the session.
func (c *connection) start() {
	queue := make(chan *Brought, len(c.s.bring))
	for i := range c.s.bring {
		queue <- &c.s.bring[i]
	}
	close(queue)
	for range max(c.node.Connections, 1) {
		c.node.wg.Go(func() {
			if err := c.node.bring(
				c,
				queue,
			); err != nil && !errors.Is(err, errHarm) &&
				!c.s.isOver() {
				_ = c.say(internode.SessionFailed)
				c.s.end()
			}
		})
	}
}

// bring sends files of the queue on a connection of its own, which stays open until the session is
// over.
func (n *Node) bring(control *connection, queue <-chan *Brought) error {
	var c *connection
	for file := range queue {
		if c == nil {
			if err := control.harm(BringOpen); err != nil {
				return err
			}
			opened, err := n.open(control)
			if err != nil {
				return err
			}
			c = opened
		}
		if err := c.send(file); err != nil {
			return err
		}
	}
	return nil
}

// open connects to the client, as the node of a session.
func (n *Node) open(control *connection) (*connection, error) {
	connect := n.Connect
	if connect == nil {
		connect = new(net.Dialer).DialContext
	}
	raw, err := connect(control.ctx, "tcp", control.s.From.String())
	if err != nil {
		return nil, err
	}
	context.AfterFunc(control.ctx, func() { _ = raw.Close() })
	conn := raw
	if n.ConnectTLS != nil {
		conn = tls.Client(raw, n.ConnectTLS)
	}
	c := &connection{node: n, ctx: control.ctx, conn: conn, r: bufio.NewReader(conn), s: control.s}
	c.s.mu.Lock()
	over := c.s.over
	c.s.conns = append(c.s.conns, conn)
	c.s.mu.Unlock()
	if over {
		_ = raw.Close()
	}
	version := n.version()
	offer := internode.AppendOffer(
		nil,
		internode.Offer{Use: version, Min: version, Max: version, From: Own},
	)
	if _, err := conn.Write(c.right(nil, offer)); err != nil {
		return nil, err
	}
	answer, err := internode.ReadAnswer(c.r)
	if err == nil && answer.Use != version {
		err = fmt.Errorf("the client answers with version %d", answer.Use)
	}
	return c, err
}

// send sends one file.
func (c *connection) send(file *Brought) error {
	if err := c.harm(BringHead); err != nil {
		return err
	}
	if err := c.say(&file.Head); err != nil {
		return err
	}
	half := len(file.Payload) / 2
	if _, err := c.conn.Write(file.Payload[:half]); err != nil {
		return err
	}
	if err := c.harm(MidBring); err != nil {
		return err
	}
	if _, err := c.conn.Write(file.Payload[half:]); err != nil {
		return err
	}
	return c.harm(BringEnd)
}

// received takes the client's word that it has a file.
func (c *connection) received(m internode.Received) error {
	s := c.s
	if s == nil {
		return errors.New("RECEIVED without a session")
	}
	found := false
	s.mu.Lock()
	for i := range s.bring {
		if h := &s.bring[i].Head; h.Table == m.Table && h.Sequence == m.Sequence {
			found = true
			s.parts -= s.bring[i].parts()
		}
	}
	s.Acknowledged = append(s.Acknowledged, m)
	parts := s.parts
	s.mu.Unlock()
	switch {
	case !found:
		return fmt.Errorf(
			"file %d of table %s is acknowledged, and was not sent",
			m.Sequence,
			m.Table,
		)
	case parts > 0:
		return nil
	default:
		return c.finish()
	}
}

// finish calls a session complete in which files were asked for.
func (c *connection) finish() error {
	if c.s.init.Preview {
		return nil
	}
	if err := c.harm(Finish); err != nil {
		return err
	}
	c.s.mu.Lock()
	c.s.over, c.s.complete = true, true
	c.s.mu.Unlock()
	c.node.mu.Lock()
	c.node.complete = append(c.node.complete, &c.s.Session)
	c.node.mu.Unlock()
	return c.say(internode.Complete)
}
