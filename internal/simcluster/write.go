package simcluster

import (
	"encoding/binary"

	"github.com/datastax/go-cassandra-native-protocol/message"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// batch answers a batch of INSERTs.
func (c *conn) batch(m *message.Batch) message.Message {
	var statements []*statement
	var values [][]*value
	request := Request{Node: c.node.index, Shard: c.shard}
	for i, child := range m.Children {
		text := child.Query
		if child.Id != nil {
			text = string(child.Id)
		}
		if i == 0 {
			request.Statement = text
		}
		st, err := parse(text)
		if err != nil {
			return &message.SyntaxError{ErrorMessage: err.Error()}
		}
		statements, values = append(statements, st), append(values, child.Values)
	}
	return c.insert(request, statements, values)
}

// insert writes one row for each statement.
func (c *conn) insert(request Request, statements []*statement, values [][]*value) message.Message {
	cluster := c.node.cluster
	var writes []Write
	for i, st := range statements {
		if st.verb != "INSERT" || st.keyspace != cluster.data.keyspace || st.table != cluster.data.name {
			return &message.Invalid{ErrorMessage: "simcluster writes by INSERT into its table only"}
		}
		var w Write
		for at, name := range st.columns {
			switch content := values[i][at].Contents; {
			case name == "v":
				w.Value = content
			case len(content) != 8:
				return &message.Invalid{ErrorMessage: "Invalid null value in condition for column k"}
			default:
				w.Key = readBigint(content)
				request.Keys = append(request.Keys, token.Murmur3.Hash(content))
			}
		}
		if st.timestamp {
			w.Timestamp = readBigint(values[i][len(st.columns)].Contents)
		}
		writes = append(writes, w)
	}
	request.Rows = len(writes)
	if refusal := cluster.options.Refuse(request); refusal != nil {
		cluster.log.add(request, nil)
		return refusal
	}
	cluster.log.add(request, writes)
	return &message.VoidResult{}
}

func readBigint(wire []byte) int64 { return int64(binary.BigEndian.Uint64(wire)) }
