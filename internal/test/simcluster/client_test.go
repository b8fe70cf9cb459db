package simcluster_test

import (
	"encoding/binary"
	"net"
	"strconv"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/frame"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

var codec = frame.NewCodec()

// client speaks the protocol to one node, a request at a time.
type client struct {
	t      *testing.T
	socket net.Conn
}

func launch(t *testing.T, o simcluster.Options) *simcluster.Cluster {
	t.Helper()
	o.Base = simcluster.Anywhere
	c, err := simcluster.Start(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func dial(t *testing.T, c *simcluster.Cluster, node int) *client {
	t.Helper()
	socket, err := net.Dial("tcp", net.JoinHostPort(c.Hosts()[node], strconv.Itoa(c.Port())))
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	return &client{t, socket}
}

func (c *client) send(m message.Message) {
	c.t.Helper()
	require.NoError(
		c.t,
		codec.EncodeFrame(frame.NewFrame(primitive.ProtocolVersion4, 1, m), c.socket),
	)
}

// receive gives the next frame; the error is the end of the connection.
func (c *client) receive() (*frame.Frame, error) { return codec.DecodeFrame(c.socket) }

// ask sends a request and gives the answer to it.
func (c *client) ask(m message.Message) *frame.Body {
	c.t.Helper()
	c.send(m)
	answer, err := c.receive()
	require.NoError(c.t, err)
	return answer.Body
}

// run sends a statement that is not prepared.
func (c *client) run(text string, o *message.QueryOptions, values ...[]byte) message.Message {
	c.t.Helper()
	if o == nil {
		o = &message.QueryOptions{Consistency: primitive.ConsistencyLevelLocalOne}
	}
	for _, v := range values {
		if v == nil {
			o.PositionalValues = append(o.PositionalValues, primitive.NewNullValue())
		} else {
			o.PositionalValues = append(o.PositionalValues, primitive.NewValue(v))
		}
	}
	return c.ask(&message.Query{Query: text, Options: o}).Message
}

// rows runs a statement to the end of its pages.
func (c *client) rows(text string, size int32, values ...[]byte) [][][]byte {
	c.t.Helper()
	var all [][][]byte
	o := &message.QueryOptions{
		Consistency: primitive.ConsistencyLevelLocalOne, PageSize: size,
	}
	for {
		o.PositionalValues = nil
		answer := c.run(text, o, values...)
		result, ok := answer.(*message.RowsResult)
		require.True(c.t, ok, "%v", answer)
		all = append(all, result.Data...)
		if o.PagingState = result.Metadata.PagingState; o.PagingState == nil {
			return all
		}
	}
}

func long(v int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(v)) }
func short(v int) []byte  { return binary.BigEndian.AppendUint32(nil, uint32(v)) }

func selectKeys() *frame.Frame {
	return frame.NewFrame(
		primitive.ProtocolVersion4,
		1,
		&message.Query{Query: "SELECT k FROM ks.t", Options: &message.QueryOptions{}},
	)
}

// dialIfUp is nil for a node that takes no connections.
func dialIfUp(t *testing.T, c *simcluster.Cluster, node int) *client {
	t.Helper()
	socket, err := net.Dial("tcp", net.JoinHostPort(c.Hosts()[node], strconv.Itoa(c.Port())))
	if err != nil {
		return nil
	}
	t.Cleanup(func() { _ = socket.Close() })
	return &client{t, socket}
}
