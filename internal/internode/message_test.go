package internode

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

var (
	loader = netip.MustParseAddrPort("127.0.0.9:7000")
	table  = UUID{0: 0x11, 15: 0x1f}
	plan   = UUID{0: 0x22, 6: 0x10, 8: 0x80, 15: 0x2f}
)

const (
	tableHex = "1100000000000000000000000000001f"
	planHex  = "2200000000001000800000000000002f"
)

// exampleHeader returns the HEADER of (k int, c int, v text, PRIMARY KEY (k, c)) with the minimum
// timestamp 1700000000000000.
func exampleHeader(t testing.TB) []byte {
	return testkit.Unhex(
		t,
		"fce9d96a43c000 00 00 29"+hex.EncodeToString(
			[]byte("org.apache.cassandra.db.marshal.Int32Type"),
		)+
			"01 29"+hex.EncodeToString(
			[]byte("org.apache.cassandra.db.marshal.Int32Type"),
		)+
			"00 01 01 76 28"+hex.EncodeToString(
			[]byte("org.apache.cassandra.db.marshal.UTF8Type"),
		),
	)
}

// examplePartition returns a partition of that table: (1, 2, 'hi'), and (1, 3) a millisecond later.
func examplePartition(t testing.TB) []byte {
	return testkit.Unhex(t, `0004 00000001 7fffffff 8000000000000000
		24 00 00000002 06 12 00 08 02 6869
		04 00 00000003 04 0d 83e8 01
		01`)
}

// exampleRequest requests the whole ring of a table, and a part of it.
func exampleRequest() PrepareSyn {
	return PrepareSyn{Requests: []Request{
		{
			Keyspace: "ks",
			Table:    "small",
			From:     loader,
			Ranges: []token.Range{
				{},
				{Start: token.Token{Lo: 1<<63 - 1}, End: token.Token{Lo: 1<<63 + 256}},
			},
		},
	}}
}

// exampleChunks returns the head of a compressed file as a node sends it.
func exampleChunks(t testing.TB) *FileHead {
	return &FileHead{
		Table:         table,
		From:          loader,
		Plan:          plan,
		Asked:         true,
		Sequence:      1,
		RepairedAt:    5,
		PendingRepair: &plan,
		Version:       "oa",
		Format:        "bti",
		Keys:          1,
		Sections:      []Section{{16, 32}, {64, 65}},
		Level:         3,
		Header:        exampleHeader(t),
		Compression: &Compression{
			Chunks: []Chunk{
				{10, 11},
				{40, 7},
			},
			Compressor:    "LZ4Compressor",
			Options:       []CompressorOption{{"a", "b"}},
			ChunkLength:   16,
			MaxCompressed: 15,
		},
	}
}

func TestHandshakeBytes(t *testing.T) {
	offer := Offer{Use: 12, Min: 12, Max: 13, From: loader}
	asked := Offer{Use: 12, Min: 12, Max: 13, From: netip.MustParseAddrPort("[fe80::1]:7099")}
	for _, o := range []Offer{offer, asked} {
		got, err := ReadOffer(bytes.NewReader(AppendOffer(nil, o)))
		require.NoError(t, err)
		require.Equal(t, o, got)
	}
	require.Equal(
		t,
		testkit.Unhex(t, "ca552dfa 0d0c0c08 06 7f000009 1b58 771ff58a"),
		AppendOffer(nil, offer),
	)

	answer := testkit.Unhex(t, "0000000c 0000000c 26f5673a")
	require.Equal(t, answer, AppendAnswer(nil, Answer{Max: 12, Use: 12}))
	got, err := ReadAnswer(bytes.NewReader(answer))
	require.NoError(t, err)
	require.Equal(t, Answer{Max: 12, Use: 12}, got)
}

func TestMessageBytes(t *testing.T) {
	summary := []Summary{{Table: table, Files: 1, Bytes: 43}}
	for name, m := range map[string]struct {
		message Message
		hex     string
	}{
		"INIT":        {Init{From: loader, Plan: plan, Operation: Repair}, "0a 067f0000091b58 00000000" + planHex + "0006 526570616972 00 00000000"},
		"PREPARE_SYN": {PrepareSyn{Summaries: summary}, "01 00000000 00000001" + tableHex + "00000001 000000000000002b"},
		"a preview":   {Init{From: loader, Plan: plan, Operation: Other, Preview: true}, "0a 067f0000091b58 00000000" + planHex + "0005 4f74686572 00 00000001"},
		"a request": {exampleRequest(), "01 00000001 0002 6b73 00000001 067f0000091b58 00000002 " +
			"00000008 8000000000000000 00000008 8000000000000000 00000008 ffffffffffffffff 00000008 0000000000000100 00000000 0005 736d616c6c 00000000"},
		"PREPARE_SYNACK": {PrepareSynAck{}, "08 00000000"},
		"its summaries":  {PrepareSynAck{summary}, "08 00000001" + tableHex + "00000001 000000000000002b"},
		"PREPARE_ACK":    {PrepareAck{}, "09"},
		"RECEIVED":       {Received{table, 258}, "03" + tableHex + "00000102"},
		"COMPLETE":       {Complete, "05"},
		"SESSION_FAILED": {SessionFailed, "06"},
		"KEEP_ALIVE":     {KeepAlive, "07"},
		"rows": {
			&FileHead{Table: table, From: loader, Plan: plan, Sequence: 3, Version: "nb", Format: "big", Keys: 1, Sections: []Section{{0, 43}}, Header: exampleHeader(t)},
			"02" + tableHex + "067f0000091b58" + planHex + "00 00000000 00000003 0000000000000000 00" +
				"0002 6e62 0003 626967 0000000000000001 00000001 0000000000000000 000000000000002b ffffffff 00000000" +
				hex.EncodeToString(exampleHeader(t)) + tableHex + "00",
		},
		"an entire SSTable": {
			&FileHead{
				Table: table, From: loader, Plan: plan, Version: "nb", Format: "big", Keys: 1, Header: exampleHeader(t),
				Manifest: Manifest{{"Data.db", 43}, {"Index.db", 300}}, FirstKey: []byte{0, 0, 0, 1},
			},
			"02" + tableHex + "067f0000091b58" + planHex + "00 00000000 00000000 0000000000000000 00" +
				"0002 6e62 0003 626967 0000000000000001 00000000 ffffffff 00000000" +
				hex.EncodeToString(exampleHeader(t)) + tableHex + "01 02 0007 446174612e6462 2b 0008 496e6465782e6462 812c 04 00000001",
		},
		"a compressed file": {
			exampleChunks(t),
			"02" + tableHex + "067f0000091b58" + planHex + "01 00000000 00000001 0000000000000005 01" + planHex +
				"0002 6f61 0003 627469 0000000000000001 00000002 0000000000000010 0000000000000020 0000000000000040 0000000000000041" +
				"00000002 000000000000000a 0000000b 0000000000000028 00000007 000d 4c5a34436f6d70726573736f72 00000001 0001 61 0001 62" +
				"00000010 0000000f 00000003" + hex.EncodeToString(exampleHeader(t)) + tableHex + "00",
		},
	} {
		want := testkit.Unhex(t, m.hex)
		require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(Append(nil, m.message)), name)
		r := bytes.NewReader(want)
		got, err := Read(r)
		require.NoError(t, err, name)
		require.Equal(t, m.message, got, name)
		require.Zero(t, r.Len(), name)
		for n := range len(want) {
			_, err := Read(bytes.NewReader(want[:n]))
			if n == 0 {
				require.Equal(t, io.EOF, err, name)
				continue
			}
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%s cut off after %d bytes", name, n)
		}
	}
}

func TestBlockOfTheExample(t *testing.T) {
	plain := examplePartition(t)
	require.Len(t, plain, 43)
	block, err := newCompressor().block(plain)
	require.NoError(t, err)
	got, err := io.ReadAll(NewBlocks(bytes.NewReader(block), 43))
	require.NoError(t, err)
	require.Equal(t, plain, got)
	// the same bytes as literals only, which are a block too
	literals := append(testkit.Unhex(t, "0000002d 0000002b f01c"), plain...)
	got, err = io.ReadAll(NewBlocks(bytes.NewReader(literals), 43))
	require.NoError(t, err)
	require.Equal(t, plain, got)
}
