package driver

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/datatype"
	"github.com/datastax/go-cassandra-native-protocol/frame"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/stretchr/testify/require"
)

// encoded returns a frame for stream 0 as a server sends it.
func encoded(t testing.TB, m message.Message, change ...func(*frame.Frame)) []byte {
	t.Helper()
	f := frame.NewFrame(primitive.ProtocolVersion4, 0, m)
	for _, c := range change {
		c(f)
	}
	var b bytes.Buffer
	require.NoError(t, frame.NewCodec().EncodeFrame(f, &b))
	return b.Bytes()
}

func warned(
	f *frame.Frame,
) {
	f.SetWarnings([]string{"Aggregation query used without partition key"})
}

func traced(f *frame.Frame) { f.SetTracingId(&primitive.UUID{1, 2, 3}) }

// hinted adds what ScyllaDB answers to a request that came to the wrong replica.
func hinted(f *frame.Frame) {
	hint := append(
		[]byte{
			0,
			0,
			0,
			8,
			0x80,
			0,
			0,
			0,
			0,
			0,
			0,
			0,
			0,
			0,
			0,
			8,
			0x7f,
			0xff,
			0xff,
			0xff,
			0xff,
			0xff,
			0xff,
			0xff,
		},
		0,
		0,
		0,
		36,
		0,
		0,
		0,
		1,
		0,
		0,
		0,
		28,
		0,
		0,
		0,
		16,
	)
	hint = append(hint, make([]byte, 16)...)
	f.SetCustomPayload(
		map[string][]byte{"tablets-routing-v1": append(hint, 0, 0, 0, 4, 0, 0, 0, 200)},
	)
}

// event moves a frame to the stream of events.
func event(f *frame.Frame) { f.Header.StreamId = -1 }

// rowsOf returns an answer of rows with columns k and v.
func rowsOf(state []byte, types [2]datatype.DataType, rows ...[2][]byte) *message.RowsResult {
	m := &message.RowsResult{Metadata: &message.RowsMetadata{ColumnCount: 2, PagingState: state}}
	for i, name := range []string{"k", "v"} {
		m.Metadata.Columns = append(
			m.Metadata.Columns,
			&message.ColumnMetadata{
				Keyspace: "ks",
				Table:    "t",
				Name:     name,
				Index:    int32(i),
				Type:     types[i],
			},
		)
	}
	for _, r := range rows {
		m.Data = append(m.Data, message.Row{r[0], r[1]})
	}
	return m
}

var plain = [2]datatype.DataType{datatype.Bigint, datatype.Varchar}

// errorFrames are complete answers with every error code that servers have.
func errorFrames(t testing.TB) [][]byte {
	one := primitive.ConsistencyLevelOne
	var all [][]byte
	for _, m := range []message.Message{
		&message.ServerError{ErrorMessage: "java.lang.NullPointerException"}, &message.ProtocolError{ErrorMessage: "bad"},
		&message.AuthenticationError{ErrorMessage: "no"}, &message.Unavailable{Consistency: one, Required: 1},
		&message.Overloaded{}, &message.IsBootstrapping{}, &message.TruncateError{},
		&message.WriteTimeout{Consistency: one, BlockFor: 1, WriteType: primitive.WriteTypeSimple},
		&message.ReadTimeout{Consistency: one, BlockFor: 1}, &message.ReadFailure{
			Consistency: one, BlockFor: 1, NumFailures: 1,
		},
		&message.WriteFailure{
			Consistency: one, BlockFor: 1, NumFailures: 1, WriteType: primitive.WriteTypeBatch,
		},
		&message.FunctionFailure{Keyspace: "ks", Function: "f", Arguments: []string{"int"}},
		&message.SyntaxError{ErrorMessage: "line 1:0"}, &message.Unauthorized{}, &message.Invalid{ErrorMessage: "unconfigured table t"},
		&message.ConfigError{}, &message.AlreadyExists{Keyspace: "ks", Table: "t"}, &message.Unprepared{Id: []byte("id")},
	} {
		all = append(all, encoded(t, m))
	}
	// CDC_WRITE_FAILURE, CAS_WRITE_UNKNOWN, unknown ones
	for _, code := range []uint32{0x1600, 0x1700, 0x4321, 0xffffffff} {
		all = append(all, withCode(encoded(t, &message.ServerError{ErrorMessage: "no"}), code))
	}
	return all
}

// withCode returns an ERROR frame with another code.
func withCode(b []byte, code uint32) []byte {
	b = bytes.Clone(b)
	binary.BigEndian.PutUint32(b[headerSize:], code)
	return b
}

// withLength returns a frame with another length in its header.
func withLength(b []byte, length uint32) []byte {
	b = bytes.Clone(b)
	binary.BigEndian.PutUint32(b[5:], length)
	return b
}

// with returns a frame with one byte changed.
func with(b []byte, at int, value byte) []byte {
	b = bytes.Clone(b)
	b[at] = value
	return b
}

// cutShort returns a frame that ends early, and has that length in its header.
func cutShort(b []byte, by int) []byte {
	b = b[:len(b)-by]
	return withLength(b, uint32(len(b)-headerSize))
}

// raw returns a frame with any body.
func raw(opcode byte, body ...byte) []byte {
	b := append([]byte{0x84, 0, 0, 0, opcode, 0, 0, 0, 0}, body...)
	return withLength(b, uint32(len(body)))
}
