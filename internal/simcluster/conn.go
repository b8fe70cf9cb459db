package simcluster

import (
	"bufio"
	"net"
	"strconv"
	"sync"

	"github.com/datastax/go-cassandra-native-protocol/frame"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
)

var codec = frame.NewCodec()

// conn is a connection of a client to one shard of a node.
type conn struct {
	node   *node
	socket net.Conn
	shard  int

	sending sync.Mutex
}

// serve answers requests until the connection ends: each in a goroutine of its
// own, so that one that is held up does not hold up the others.
func (c *conn) serve() {
	var pending sync.WaitGroup
	defer pending.Wait()
	defer c.node.leave(c)
	defer func() { _ = c.socket.Close() }()
	for in := bufio.NewReader(c.socket); ; {
		request, err := codec.DecodeFrame(in)
		if err != nil {
			return
		}
		pending.Go(func() {
			answer := frame.NewFrame(request.Header.Version, request.Header.StreamId, c.answer(request.Body.Message))
			answer.SetCustomPayload(c.hint(request.Body.Message))
			c.send(answer)
		})
	}
}

// send writes an answer. The client may have gone; that shows in the next read.
func (c *conn) send(answer *frame.Frame) {
	c.sending.Lock()
	defer c.sending.Unlock()
	out := bufio.NewWriter(c.socket)
	if err := codec.EncodeFrame(answer, out); err != nil {
		_ = c.socket.Close()
		return
	}
	_ = out.Flush()
}

func (c *conn) answer(m message.Message) message.Message {
	switch m := m.(type) {
	case *message.Options:
		return &message.Supported{Options: c.supported()}
	case *message.Startup, *message.Register:
		return &message.Ready{}
	case *message.Prepare:
		return c.prepare(m.Query)
	case *message.Query:
		return c.execute(m.Query, m.Options)
	case *message.Execute:
		return c.execute(string(m.QueryId), m.Options)
	case *message.Batch:
		return c.batch(m)
	default:
		return &message.ProtocolError{ErrorMessage: "simcluster does not know " + m.GetOpCode().String()}
	}
}

// supported is what the node tells of itself when a connection opens.
func (c *conn) supported() map[string][]string {
	o := c.node.cluster.options
	options := map[string][]string{
		message.StartupOptionCqlVersion: {"3.4.7"},
		"COMPRESSION":                   {},
	}
	if o.Shards == 0 {
		return options
	}
	options["SCYLLA_SHARD"] = []string{strconv.Itoa(c.shard)}
	options["SCYLLA_NR_SHARDS"] = []string{strconv.Itoa(o.Shards)}
	options["SCYLLA_PARTITIONER"] = []string{partitioner}
	options["SCYLLA_SHARDING_ALGORITHM"] = []string{"biased-token-round-robin"}
	options["SCYLLA_SHARDING_IGNORE_MSB"] = []string{strconv.Itoa(o.IgnoreMSB)}
	options["SCYLLA_SHARD_AWARE_PORT"] = []string{strconv.Itoa(port(c.node.aware))}
	if o.Tablets > 0 {
		options["TABLETS_ROUTING_V1"] = []string{}
	}
	return options
}

// prepare describes a statement. Its id is its text, so that any node knows it.
func (c *conn) prepare(text string) message.Message {
	st, err := parse(text)
	if err != nil {
		return &message.SyntaxError{ErrorMessage: err.Error()}
	}
	rel, ok := c.node.relation(st.keyspace, st.table)
	if !ok {
		return missing(st)
	}
	variables, err := st.variables(rel)
	if err != nil {
		return &message.Invalid{ErrorMessage: err.Error()}
	}
	prepared := &message.PreparedResult{PreparedQueryId: []byte(text), VariablesMetadata: variables, ResultMetadata: &message.RowsMetadata{}}
	if st.verb == "SELECT" {
		columns, err := st.result(rel)
		if err != nil {
			return &message.Invalid{ErrorMessage: err.Error()}
		}
		prepared.ResultMetadata = rowsMetadata(columns)
	}
	return prepared
}

func missing(st *statement) message.Message {
	return &message.Invalid{ErrorMessage: "unconfigured table " + st.table}
}

// execute answers a statement.
func (c *conn) execute(text string, o *message.QueryOptions) message.Message {
	st, err := parse(text)
	if err != nil {
		return &message.SyntaxError{ErrorMessage: err.Error()}
	}
	request := Request{Node: c.node.index, Shard: c.shard, Statement: text}
	if st.verb == "INSERT" {
		return c.insert(request, []*statement{st}, [][]*primitive.Value{o.PositionalValues})
	}
	return c.read(request, st, o)
}
