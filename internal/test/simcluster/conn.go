package simcluster

import (
	"bufio"
	"bytes"
	"net"
	"sync"
	"sync/atomic"

	"github.com/datastax/go-cassandra-native-protocol/compression/lz4"
	"github.com/datastax/go-cassandra-native-protocol/frame"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
)

var codec = frame.NewCodecWithCompression(lz4.Compressor{})

// conn is a connection of a client to one shard of a node.
type conn struct {
	node   *node
	socket net.Conn
	shard  int
	gone   chan struct{}         // closed when the client has gone
	events []primitive.EventType // that the client asked for; guarded by the node

	smaller atomic.Bool // answers are compressed
	known   atomic.Bool // the client, where it must give a name
	sending sync.Mutex
}

// serve answers requests until the connection ends, each in a goroutine of its own, so that a slow
// one does not delay the others.
func (c *conn) serve() {
	var pending sync.WaitGroup
	defer pending.Wait()
	defer close(c.gone)
	defer c.node.leave(c)
	defer func() { _ = c.socket.Close() }()
	for in := bufio.NewReader(c.socket); ; {
		request, err := codec.DecodeFrame(in)
		if err != nil {
			return
		}
		pending.Go(func() { c.deliver(request.Header, c.answer(request.Body.Message)) })
	}
}

// welcome answers a new client: it may continue, or has to authenticate.
func (c *conn) welcome() message.Message {
	if c.node.cluster.options.Admit == nil {
		return &message.Ready{}
	}
	return &message.Authenticate{Authenticator: "org.apache.cassandra.auth.PasswordAuthenticator"}
}

// admit answers a client that logs in.
func (c *conn) admit(token []byte) message.Message {
	answer := c.node.cluster.options.Admit(token)
	if _, ok := answer.(*message.AuthSuccess); ok {
		c.known.Store(true)
	}
	return answer
}

// deliver sends an answer, or as much of it as is to arrive.
func (c *conn) deliver(to *frame.Header, r reply) {
	switch r.delivery {
	case silence:
		return
	case dropped:
		_ = c.socket.Close()
		return
	}
	answer := frame.NewFrame(to.Version, to.StreamId, r.message)
	answer.SetCustomPayload(r.payload)
	answer.SetWarnings(r.warnings)
	answer.SetCompress(c.smaller.Load())
	if r.delivery == whole {
		c.send(answer)
		return
	}
	var encoded bytes.Buffer
	if err := codec.EncodeFrame(answer, &encoded); err == nil {
		n := 1 + int(r.part*float64(encoded.Len()-1))
		c.write(encoded.Bytes()[:min(n, encoded.Len()-1)])
	}
	_ = c.socket.Close()
}

// send writes a frame. The client may have gone; that shows in the next read.
func (c *conn) send(answer *frame.Frame) {
	var encoded bytes.Buffer
	if err := codec.EncodeFrame(answer, &encoded); err != nil {
		_ = c.socket.Close()
		return
	}
	c.write(encoded.Bytes())
}

func (c *conn) write(b []byte) {
	c.sending.Lock()
	defer c.sending.Unlock()
	_, _ = c.socket.Write(b)
}

// answer is the reply to a request.
func (c *conn) answer(m message.Message) reply {
	var w *work
	var err error
	switch m.(type) {
	case *message.Prepare, *message.Query, *message.Execute, *message.Batch, *message.Register:
		if c.node.cluster.options.Admit != nil && !c.known.Load() {
			return reply{
				message: &message.ProtocolError{ErrorMessage: "simcluster requires a name and a password"},
			}
		}
	}
	switch m := m.(type) {
	case *message.Options:
		return reply{message: &message.Supported{Options: c.supported()}}
	case *message.Startup:
		c.smaller.Store(m.GetCompression() == primitive.CompressionLz4)
		return reply{message: c.welcome()}
	case *message.AuthResponse:
		return reply{message: c.admit(m.Token)}
	case *message.Register:
		c.register(m.EventTypes)
		return reply{message: &message.Ready{}}
	case *message.Prepare:
		w, err = c.prepare(m.Query)
	case *message.Query:
		w, err = c.execute(m.Query, m.Options)
	case *message.Execute:
		if text := string(m.QueryId); !c.node.knows(text) {
			err = &unpreparedError{text}
		} else if w, err = c.execute(text, m.Options); w != nil {
			w.id = m.QueryId
		}
	case *message.Batch:
		if w, err = c.batch(m); w != nil {
			w.id = m.Children[0].Id
		}
	default:
		return reply{
			message: &message.ProtocolError{
				ErrorMessage: "simcluster does not know " + m.GetOpCode().String(),
			},
		}
	}
	if err != nil {
		return reply{message: refusal(err)}
	}
	return w.perform()
}
