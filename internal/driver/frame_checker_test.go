package driver

import (
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"testing"
	"testing/iotest"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/datatype"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/stretchr/testify/require"
)

// bytesConn is a connection on which some bytes come in, and then no more.
type bytesConn struct {
	net.Conn
	in io.Reader
}

func (c bytesConn) Read(p []byte) (int, error)        { return c.in.Read(p) }
func (c bytesConn) SetReadDeadline(_ time.Time) error { return nil }

// guarded returns what a frameChecker passes on of bytes.
func guarded(in io.Reader, buffer int) ([]byte, error) {
	g := newFrameChecker(bytesConn{in: in}, time.Second, new(pageLimit))
	var out []byte
	p := make([]byte, buffer)
	for {
		n, err := g.Read(p)
		out = append(out, p[:n]...)
		if err != nil {
			return out, err
		}
	}
}

// wholeFrames are frames as servers send them.
func wholeFrames(t testing.TB) [][]byte {
	t.Helper()
	wide := rowsOf([]byte("state"), plain)
	narrow := encoded(
		t,
		rowsOf(nil, plain, [2][]byte{{1}, make([]byte, 9000)}, [2][]byte{nil, {}}),
		hinted,
	)
	for range wholeAbove / 40_000 {
		wide.Data = append(
			wide.Data,
			message.Row{make([]byte, 8), make([]byte, 50_000)},
			message.Row{nil, {}},
		)
	}
	return [][]byte{
		encoded(t, &message.Supported{Options: map[string][]string{
			"SCYLLA_NR_SHARDS": {
				"8",
			},
			"SCYLLA_SHARD":               {"7"},
			"SCYLLA_SHARDING_IGNORE_MSB": {"12"},
			"COMPRESSION":                {},
			"SCYLLA_RATE_LIMIT_ERROR":    {"ERROR_CODE=61440"},
			"TABLETS_ROUTING_V1":         {},
		}}),
		encoded(
			t,
			&message.Ready{},
		),
		encoded(t, &message.VoidResult{}, warned),
		encoded(t, &message.VoidResult{}, traced),
		encoded(t, rowsOf(nil, plain)),
		encoded(t, wide, warned),
		narrow,
		encoded(
			t,
			&message.Ready{},
		),
		encoded(
			t,
			&message.SchemaChangeEvent{ChangeType: "CREATED", Target: "KEYSPACE", Keyspace: "ks"},
			event,
		),
		encoded(t, &message.Overloaded{}),
	}
}

func TestFrameCheckerHandsOnWhatIsWhole(t *testing.T) {
	all := slices.Concat(wholeFrames(t)...)
	for _, buffer := range []int{7, 4096, 8 << 20} {
		for _, in := range []io.Reader{
			bytes.NewReader(all), iotest.HalfReader(bytes.NewReader(all)),
			iotest.DataErrReader(bytes.NewReader(all)),
		} {
			out, err := guarded(in, buffer)
			require.ErrorIs(t, err, io.EOF)
			require.True(t, bytes.Equal(all, out))
		}
	}
	out, err := guarded(iotest.OneByteReader(bytes.NewReader(all)), 4096)
	require.ErrorIs(t, err, io.EOF)
	require.True(t, bytes.Equal(all, out))
}

func TestFrameCheckerStops(t *testing.T) {
	void := encoded(t, &message.VoidResult{})
	supported := func(name string, values ...string) []byte {
		return encoded(
			t,
			&message.Supported{
				Options: map[string][]string{"SCYLLA_NR_SHARDS": {"4"}, name: values},
			},
		)
	}
	for text, frame := range map[string][]byte{
		"unsupported protocol version 0x85":         with(void, 0, 0x85),
		"unsupported protocol version 0x4":          with(void, 0, 0x04),
		"a compressed frame":                        with(void, 1, 1),
		"opcode 0x8 on stream -1":                   with(with(void, 2, 0xff), 3, 0xff),
		"opcode 0xc on stream 0":                    with(void, 4, opEvent),
		"an event that was not asked for":           encoded(t, &message.SchemaChangeEvent{ChangeType: "CREATED", Target: "KEYSPACE", Keyspace: "ks"}, event),
		"a frame of 2147483647 bytes":               withLength(void, 0x7fffffff),
		"a keyspace is in use":                      encoded(t, &message.SetKeyspaceResult{Keyspace: "ks"}),
		"more pages, and no paging state":           emptyPaging(t),
		"2 rows of 2 columns in 3 bytes":            cutShort(encoded(t, rowsOf(nil, plain, [2][]byte{{}, {}}, [2][]byte{{}, {}})), 13),
		"do not fit":                                cutShort(encoded(t, rowsOf(nil, plain, [2][]byte{make([]byte, 9), {}})), 1),
		"the connection ended within a frame":       void[:5],
		"SCYLLA_SHARD is \"4\"":                     supported("SCYLLA_SHARD", "4"),
		"SCYLLA_SHARD without a value":              supported("SCYLLA_SHARD"),
		"SCYLLA_SHARDING_IGNORE_MSB is \"64\"":      supported("SCYLLA_SHARDING_IGNORE_MSB", "64"),
		"SCYLLA_PARTITIONER without a value":        supported("SCYLLA_PARTITIONER"),
		"SCYLLA_RATE_LIMIT_ERROR is \"ERROR_CODE\"": supported("SCYLLA_RATE_LIMIT_ERROR", "ERROR_CODE"),
		"SCYLLA_NR_SHARDS is \"1000000\"":           supported("SCYLLA_NR_SHARDS", "1000000"),
		"types more than 64 deep":                   raw(opResult, slices.Concat([]byte{0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, bytes.Repeat([]byte{0, 0x20}, 100))...),
		"a tuple of nothing":                        raw(opResult, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x31, 0, 0, 0, 0, 0, 0),
	} {
		out, err := guarded(bytes.NewReader(slices.Concat(void, frame, void)), 4096)
		if text == "the connection ended within a frame" {
			out, err = guarded(bytes.NewReader(slices.Concat(void, frame)), 4096)
		}
		require.ErrorContains(t, err, text)
		require.True(t, bytes.HasPrefix(out, void), text)
		require.Less(t, len(out), len(void)+len(frame), text)
	}
}

// Nothing of a large frame is passed on before it is complete.
func TestFrameCheckerHoldsLargeFrames(t *testing.T) {
	large := withLength(encoded(t, &message.VoidResult{}), 100<<20)
	before := allocated()
	g := newFrameChecker(bytesConn{in: bytes.NewReader(large)}, time.Second, new(pageLimit))
	for range 2 {
		n, err := g.Read(make([]byte, 4096))
		require.ErrorContains(t, err, "ended within a frame")
		require.Zero(t, n)
	}
	require.Less(t, allocated()-before, uint64(1<<20))
}

// The library may wait without limit for a frame to begin. A timeout within a frame must not look
// like one between frames.
func TestFrameCheckerDoesNotWaitWithinAFrame(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	go func() { _, _ = server.Write(encoded(t, &message.VoidResult{})[:5]) }()
	defer server.Close()
	g := newFrameChecker(client, 10*time.Millisecond, new(pageLimit))
	_, err := g.Read(make([]byte, headerSize))
	require.ErrorContains(t, err, "ended within a frame")
	var timeout net.Error
	require.False(t, errors.As(err, &timeout))
	_, next := g.Read(make([]byte, headerSize))
	require.Equal(t, err, next)
}

// hiddenTypes are types that servers send, and what the library reads instead.
func hiddenTypes(t *testing.T) map[datatype.DataType]datatype.DataType {
	t.Helper()
	hide := func(typ datatype.DataType) datatype.DataType {
		var option bytes.Buffer
		require.NoError(t, datatype.WriteDataType(typ, &option, primitive.ProtocolVersion4))
		return datatype.NewCustom(hiddenType + option.String())
	}
	const marshal = "org.apache.cassandra.db.marshal."
	inner := datatype.NewTuple(datatype.Int, datatype.NewList(datatype.Varchar))
	types := make(map[datatype.DataType]datatype.DataType)
	types[datatype.NewList(inner)] = datatype.NewList(inner)
	for _, whole := range []datatype.DataType{
		datatype.NewTuple(datatype.Int, datatype.NewTuple(datatype.Int)),
		datatype.NewCustom(""),
		datatype.NewCustom(marshal + "VectorType("),
	} {
		types[whole] = hide(whole)
	}
	for _, class := range []string{
		"DurationType", "TupleType", "VectorType", "VectorType(" + marshal + "FloatType , 3)", "FrozenType(" + marshal + "ListType)",
		"VectorType(" + marshal + "ListType(" + marshal + "VectorType(" + marshal + "UserType(ks,6e,61:" + marshal + "Int32Type) , 2)) , 2)",
	} {
		custom := datatype.NewCustom(marshal + class)
		types[custom] = hide(custom)
		types[datatype.NewSet(custom)] = datatype.NewSet(hide(custom))
		types[datatype.NewMap(custom, datatype.NewList(custom))] = datatype.NewMap(
			hide(custom),
			datatype.NewList(hide(custom)),
		)
		types[datatype.NewTuple(custom, datatype.Int)] = hide(
			datatype.NewTuple(hide(custom), datatype.Int),
		)
		udt, _ := datatype.NewUserDefined(
			"ks",
			"u",
			[]string{"a", "b"},
			[]datatype.DataType{custom, inner},
		)
		hidden, _ := datatype.NewUserDefined(
			"ks",
			"u",
			[]string{"a", "b"},
			[]datatype.DataType{hide(custom), inner},
		)
		types[udt] = hidden
	}
	return types
}

// Types that the library takes apart are hidden from it, in rows and in answers to PREPARE.
func TestFrameCheckerHidesTypes(t *testing.T) {
	for typ, want := range hiddenTypes(t) {
		cells := [2][]byte{{1, 2, 3}, nil}
		of := func(typ datatype.DataType) [][]byte {
			rows := rowsOf([]byte("state"), [2]datatype.DataType{typ, datatype.Int}, cells, cells)
			return [][]byte{encoded(t, rows), encoded(t, &message.PreparedResult{
				PreparedQueryId: []byte("id"),
				ResultMetadata:  rows.Metadata,
				VariablesMetadata: &message.VariablesMetadata{
					PkIndices: []uint16{0},
					Columns:   rows.Metadata.Columns,
				},
			})}
		}
		for _, buffer := range []int{3, 4096} {
			out, err := guarded(bytes.NewReader(slices.Concat(of(typ)...)), buffer)
			require.ErrorIs(t, err, io.EOF)
			require.Equal(t, slices.Concat(of(want)...), out, typ)
		}
	}
}

// FuzzFrameChecker passes bytes through a frameChecker. The result is hardly longer than the input:
// each type takes two bytes there, and the name of a hidden one a few more. It passes another
// frameChecker unchanged. No more memory is used than for complete frames.
func FuzzFrameChecker(f *testing.F) {
	for _, frame := range slices.Concat(errorFrames(f), pages(f), others(f), lies(f), events(f)) {
		f.Add(frame, uint16(4096))
	}
	f.Fuzz(func(t *testing.T, in []byte, buffer uint16) {
		before := allocated()
		out, err := guarded(bytes.NewReader(in), 1+int(buffer))
		require.Error(t, err)
		require.Less(t, allocated()-before, uint64(most))
		require.LessOrEqual(t, len(out), len(in)*(1+len(hiddenType)))
		next, end := guarded(bytes.NewReader(out), 1+int(buffer))
		require.True(t, bytes.HasPrefix(out, next))
		if errors.Is(err, io.EOF) {
			require.ErrorIs(t, end, io.EOF)
			require.Len(t, next, len(out))
		}
	})
}
