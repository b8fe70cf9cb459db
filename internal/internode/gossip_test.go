package internode

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// exampleAck returns an answer with a node that joins.
func exampleAck() Ack {
	return Ack{
		[]Endpoint{
			{
				Address:    netip.MustParseAddrPort("127.0.0.1:7000"),
				Generation: 1700000000,
				Heartbeat:  77,
				States: []AppState{
					{
						StateStatusWithPort,
						"NORMAL,-9223372036854775808",
						20,
					},
					{StateDC, "Zürich 𝄞", 3},
					{State(20), "\x00", 4},
				},
			},
			{
				Address:    netip.MustParseAddrPort("[::1]:7001"),
				Generation: 1700000100,
				Heartbeat:  5,
				States: []AppState{
					{
						StateStatusWithPort,
						"BOOT,-1",
						21,
					},
					{
						StateTokens,
						TokensValue(
							[][]byte{
								{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
								{0x80, 0, 0, 0, 0, 0, 0, 0},
							},
						),
						22,
					},
				},
			},
		},
	}
}

var sentAt = time.UnixMilli(1700000000123)

// Gossip messages are read as they were written, in each framing.
func TestGossipMessages(t *testing.T) {
	syn, ack := Syn{"Test Cluster", "org.apache.cassandra.dht.Murmur3Partitioner"}, exampleAck()
	both := AppendAck(AppendSyn(nil, syn, sentAt), ack, sentAt)
	packed := make([]byte, lz4.CompressBlockBound(len(both)))
	var c lz4.Compressor
	n, err := c.CompressBlock(both, packed)
	require.NoError(t, err)
	for framing, wire := range map[Framing][]byte{
		CRC: AppendFrames(nil, both), LZ4: lz4Frame(
			packed[:n], len(both),
		), Unprotected: AppendFrames(nil, both)[:6+len(both)],
	} {
		r := NewFrames(bytes.NewReader(wire), framing)
		got, err := ReadGossip(r)
		require.NoError(t, err)
		require.Equal(t, syn, got)
		got, err = ReadGossip(r)
		require.NoError(t, err)
		require.Equal(t, ack, got)
		_, err = ReadGossip(r)
		require.ErrorIs(t, err, io.EOF)
	}
	tokens, err := ack.Endpoints[1].Tokens()
	require.NoError(t, err)
	require.Equal(
		t,
		[][]byte{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0x80, 0, 0, 0, 0, 0, 0, 0}},
		tokens,
	)
	tokens, err = ack.Endpoints[0].Tokens()
	require.NoError(t, err)
	require.Empty(t, tokens)
	require.Equal(t, "Zürich 𝄞", ack.Endpoints[0].Get(StateDC))
}

// lz4Frame returns a compressed frame.
func lz4Frame(packed []byte, plain int) []byte {
	head := uint64(len(packed)) | uint64(plain)<<17 | lz4Alone
	head |= uint64(checksum24(head, 5)) << 40
	var wire []byte
	for i := range 8 {
		wire = append(wire, byte(head>>(8*i)))
	}
	sum := checksum(packed)
	return append(append(wire, packed...), byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
}

// A message that is too large for a frame takes several.
func TestGossipInManyFrames(t *testing.T) {
	var ack Ack
	for i := range 600 {
		e := exampleAck().Endpoints[i%2]
		e.States = append(
			e.States,
			AppState{StateSchema, string(bytes.Repeat([]byte{'x'}, 700)), 1},
		)
		ack.Endpoints = append(ack.Endpoints, e)
	}
	wire := AppendFrames(nil, AppendAck(nil, ack, sentAt))
	require.Greater(t, len(wire), 3*maxFrame)
	got, err := ReadGossip(NewFrames(bytes.NewReader(wire), CRC))
	require.NoError(t, err)
	require.Equal(t, ack, got)
}

// A message of another kind is skipped.
func TestOtherMessagesAreNoGossip(t *testing.T) {
	message := appendMessage(nil, 31, sentAt, []byte("anything"))
	message = AppendSyn(message, Syn{Cluster: "c"}, sentAt)
	r := bytes.NewReader(message)
	got, err := ReadGossip(r)
	require.NoError(t, err)
	require.Nil(t, got)
	got, err = ReadGossip(r)
	require.NoError(t, err)
	require.Equal(t, Syn{Cluster: "c"}, got)
}

// Damage in transit is detected.
func TestBrokenFrames(t *testing.T) {
	wire := AppendFrames(nil, AppendSyn(nil, Syn{Cluster: "c"}, sentAt))
	for i := range wire {
		broken := bytes.Clone(wire)
		broken[i] ^= 0x10
		_, err := io.ReadAll(NewFrames(bytes.NewReader(broken), CRC))
		require.ErrorIs(t, err, errMalformed, "byte %d", i)
	}
}

// No bytes do harm, and what is read is written again as the same states.
func FuzzReadGossip(f *testing.F) {
	f.Add(
		AppendSyn(nil, Syn{"Test Cluster", "org.apache.cassandra.dht.Murmur3Partitioner"}, sentAt),
	)
	f.Add(AppendAck(nil, exampleAck(), sentAt))
	f.Add(appendMessage(nil, 31, sentAt, []byte("anything")))
	f.Add(cqlwire.AppendUvint(nil, 1<<40))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ReadGossip(bytes.NewReader(b))
		if err != nil {
			require.Nil(t, m)
			if !errors.Is(err, errMalformed) && !errors.Is(err, io.EOF) {
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			}
			return
		}
		var encoded []byte
		switch m := m.(type) {
		case Syn:
			encoded = AppendSyn(nil, m, sentAt)
		case Ack:
			encoded = AppendAck(nil, m, sentAt)
			for _, e := range m.Endpoints {
				if tokens, err := e.Tokens(); err == nil && tokens != nil {
					_ = TokensValue(tokens)
				}
			}
		default:
			return
		}
		got, err := ReadGossip(bytes.NewReader(encoded))
		require.NoError(t, err)
		require.Equal(t, m, got)
	})
}

// No bytes do harm to the reader of frames.
func FuzzFrames(f *testing.F) {
	message := AppendSyn(nil, Syn{Cluster: "c"}, sentAt)
	f.Add(AppendFrames(nil, message), uint8(CRC))
	f.Add(AppendFrames(nil, message), uint8(Unprotected))
	f.Add(lz4Frame(message, 0), uint8(LZ4))
	f.Fuzz(func(t *testing.T, b []byte, framing uint8) {
		_, err := io.Copy(io.Discard, NewFrames(bytes.NewReader(b), Framing(framing%3)))
		if err != nil && !errors.Is(err, errMalformed) {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		}
	})
}
