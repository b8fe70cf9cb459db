package driver

import (
	"bytes"
	"slices"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/datatype"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
)

// pages are answers of rows.
func pages(t testing.TB) [][]byte {
	key, text := []byte{0, 0, 0, 0, 0, 0, 0, 1}, []byte("text")
	two := encoded(t, rowsOf(nil, plain, [2][]byte{key, text}, [2][]byte{key, nil}))
	more := encoded(t, rowsOf([]byte("paging state"), plain, [2][]byte{key, text}))
	tuple := datatype.NewTuple(datatype.Int, datatype.Varchar)
	applied := rowsOf(
		nil,
		[2]datatype.DataType{datatype.Boolean, datatype.Varchar},
		[2][]byte{{0}, text},
	)
	applied.Metadata.Columns[0].Name = "[applied]"
	// Offsets in a frame without a paging state: 9 kind, 13 flags, 17 columns.
	return [][]byte{
		two,
		more,
		encoded(t, rowsOf(nil, plain)),
		encoded(t, rowsOf([]byte("state"), plain)),
		encoded(t, rowsOf(nil, [2]datatype.DataType{datatype.Bigint, tuple}, [2][]byte{key, nil})),
		encoded(t, applied),
		encoded(t, inserted(applied)),
		encoded(t, rowsOf(nil, plain, [2][]byte{key, text}), warned),
		encoded(t, rowsOf(nil, plain, [2][]byte{key, text}), traced),
		encoded(t, rowsOf(nil, plain, [2][]byte{key, text}), hinted),
		cutShort(two, 1),
		cutShort(two, 20),
		cutShort(more, 3),
		cutShort(more, 60),
		// column counts
		with(two, 17, 0x80),
		with(two, 17, 0x7f),
		with(two, 20, 0),
		with(two, 20, 200),
		with(two, 16, 2),
		with(two, 16, 4),
		with(two, 16, 5),
		with(two, 16, 8), // flags
		with(more, 21, 0xff),
		with(more, 21, 0x7f),
		with(more, 24, 0), // lengths of the state
		// rows
		bytes.Replace(
			two,
			[]byte{0, 0, 0, 2, 0, 0, 0, 8},
			[]byte{0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 8},
			1,
		),
		bytes.Replace(
			two,
			[]byte{0, 0, 0, 2, 0, 0, 0, 8},
			[]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 8},
			1,
		),
		// lengths of a cell
		bytes.Replace(two, []byte{0, 0, 0, 8, 0}, []byte{0xff, 0xff, 0xff, 0xfe, 0}, 1),
		bytes.Replace(two, []byte{0, 0, 0, 8, 0}, []byte{0x7f, 0xff, 0xff, 0xff, 0}, 1),
		// rows without columns
		emptyPaging(t),
		raw(opResult, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 9),
	}
}

// inserted is the answer to a conditional insert that was applied.
func inserted(m *message.RowsResult) *message.RowsResult {
	yes := *m
	yes.Data = message.RowSet{message.Row{{1}, nil}}
	return &yes
}

// emptyPaging says that there are more pages and has no paging state.
func emptyPaging(t testing.TB) []byte {
	b := encoded(t, rowsOf([]byte{1}, plain, [2][]byte{make([]byte, 8), nil}))
	b = slices.Concat(b[:21], []byte{0xff, 0xff, 0xff, 0xff}, b[26:])
	return withLength(b, uint32(len(b)-headerSize))
}

// others are answers without rows.
func others(t testing.TB) [][]byte {
	void := encoded(t, &message.VoidResult{})
	prepared := encoded(t, &message.PreparedResult{
		PreparedQueryId: []byte("id"),
		ResultMetadata:  rowsOf(nil, plain).Metadata,
		VariablesMetadata: &message.VariablesMetadata{
			PkIndices: []uint16{0},
			Columns:   rowsOf(nil, plain).Metadata.Columns,
		},
	})
	down := encoded(
		t,
		&message.StatusChangeEvent{
			ChangeType: primitive.StatusChangeTypeDown,
			Address:    &primitive.Inet{Addr: []byte{10, 0, 0, 1}, Port: 1},
		},
		event,
	)
	return [][]byte{
		void,
		encoded(t, &message.VoidResult{}, warned),
		encoded(t, &message.VoidResult{}, hinted),
		prepared,
		cutShort(prepared, 7),
		with(prepared, 20, 1<<2),
		with(prepared, 20, 0),
		with(prepared, 24, 9),
		with(prepared, 25, 0x7f),
		encoded(t, &message.SetKeyspaceResult{Keyspace: "ks"}),
		encoded(t, &message.Ready{}),
		encoded(
			t,
			&message.Authenticate{Authenticator: "a"},
		),
		encoded(t, &message.AuthSuccess{Token: []byte("t")}),
		encoded(
			t,
			&message.AuthChallenge{Token: []byte("t")},
		),
		encoded(t, &message.Supported{Options: map[string][]string{"CQL_VERSION": {"3.4.7"}}}),
		down,
		slices.Concat(down, void),
		with(down, 3, 0xfe),
		encoded(
			t,
			&message.SchemaChangeEvent{
				ChangeType: primitive.SchemaChangeTypeDropped,
				Target:     primitive.SchemaChangeTargetKeyspace,
				Keyspace:   "ks",
			},
			event,
		),
		// kinds, opcodes
		with(void, 12, 3),
		with(void, 12, 9),
		with(void, 4, 0x0f),
		with(void, 4, 0x42),
	}
}

// lies are frames with a wrong header.
func lies(t testing.TB) [][]byte {
	void := encoded(t, &message.VoidResult{})
	class := "org.apache.cassandra.db.marshal.VectorType"
	vector := append(
		[]byte{0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte(len(class))},
		class...)
	deep := slices.Concat(
		[]byte{0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0},
		bytes.Repeat([]byte{0, 0x31, 0xff, 0xff}, 1000),
	)
	return [][]byte{
		nil,
		void[:5],
		void[:headerSize],
		with(void, 0, 0x04),
		with(void, 0, 0x83),
		with(void, 0, 0x85),
		with(void, 0, 0xff),
		// flags
		with(void, 1, 1),
		with(void, 1, 2),
		with(void, 1, 4),
		with(void, 1, 8),
		with(void, 1, 0xff),
		with(void, 2, 0x7f),
		with(void, 2, 0x80),
		with(void, 3, 0xff), // streams
		withLength(
			void,
			3,
		),
		withLength(void, 5),
		withLength(void, 0xffffffff),
		withLength(void, 0x7fffffff),
		withLength(
			void,
			0x0fffffff,
		),
		withLength(void, 0x10000001),
		slices.Concat(void, void),
		[]byte("HTTP/1.1 400 Bad Request\r\n\r\n"),
		raw(opResult, vector...),
		raw(opResult, deep...),
	}
}

// events are events that servers send, and others that they do not.
func events(t testing.TB) [][]byte {
	var all [][]byte
	for _, addr := range [][]byte{{10, 0, 0, 1}, {0, 0, 0, 0}, make([]byte, 16), {127, 0, 0, 1}} {
		at := &primitive.Inet{Addr: addr, Port: -1}
		all = append(
			all,
			encoded(
				t,
				&message.StatusChangeEvent{ChangeType: primitive.StatusChangeTypeUp, Address: at},
				event,
			),
			encoded(
				t,
				&message.StatusChangeEvent{ChangeType: primitive.StatusChangeTypeDown, Address: at},
				event,
			),
			encoded(
				t,
				&message.TopologyChangeEvent{
					ChangeType: primitive.TopologyChangeTypeNewNode,
					Address:    at,
				},
				event,
			),
			encoded(
				t,
				&message.TopologyChangeEvent{
					ChangeType: primitive.TopologyChangeTypeRemovedNode,
					Address:    at,
				},
				event,
			),
		)
	}
	for _, target := range []primitive.SchemaChangeTarget{
		primitive.SchemaChangeTargetKeyspace, primitive.SchemaChangeTargetTable,
		primitive.SchemaChangeTargetType,
	} {
		m := &message.SchemaChangeEvent{
			ChangeType: primitive.SchemaChangeTypeDropped,
			Target:     target,
			Keyspace:   "no such keyspace",
		}
		if target != primitive.SchemaChangeTargetKeyspace {
			m.Object = "t"
		}
		all = append(all, encoded(t, m, event))
	}
	for _, whole := range slices.Clone(all) {
		all = append(
			all,
			cutShort(whole, 1),
			cutShort(whole, 6),
			bytes.Replace(whole, []byte("_CHANGE"), []byte("_change"), 1),
		)
	}
	garbage := raw(opEvent, 0, 3, 'N', 'E', 'W')
	garbage[2], garbage[3] = 0xff, 0xff
	return append(all, garbage)
}
