package internode

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// A message that is read is written again as the same bytes, and no bytes do harm.
func FuzzRead(f *testing.F) {
	for _, m := range []Message{
		Init{From: loader, Plan: plan}, PrepareSyn{[]Summary{{table, 1, 43}}}, PrepareSynAck{}, PrepareAck{}, Received{table, 1},
		Complete, SessionFailed, KeepAlive,
		&FileHead{Table: table, From: loader, Plan: plan, Version: "nb", Keys: 1, Length: 43, Header: exampleHeader(f)},
		&FileHead{
			Table: table, From: loader, Plan: plan, Version: "nb", Keys: 1, Header: exampleHeader(f),
			Manifest: Manifest{{"Data.db", 43}, {"Index.db", 300}}, FirstKey: []byte{0, 0, 0, 1},
		},
	} {
		f.Add(Append(nil, m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		m, err := Read(r)
		if err != nil {
			require.Nil(t, m)
			if !errors.Is(err, errMalformed) && !errors.Is(err, io.EOF) {
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			}
			return
		}
		require.Equal(t, b[:len(b)-r.Len()], Append(nil, m))
	})
}

func FuzzReadOffer(f *testing.F) {
	f.Add(AppendOffer(nil, Offer{Use: 12, Min: 12, Max: 13, From: loader}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		o, err := ReadOffer(r)
		if err == nil {
			require.Equal(t, b[:len(b)-r.Len()], AppendOffer(nil, o))
		}
	})
}

func FuzzReadAnswer(f *testing.F) {
	f.Add(AppendAnswer(nil, Answer{Max: 12, Use: 12}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		a, err := ReadAnswer(r)
		if err == nil {
			require.Equal(t, b[:answerLen], AppendAnswer(nil, a))
		}
	})
}

// Blocks give the plain bytes that they say they have, or an error, and take nothing behind them.
func FuzzBlocks(f *testing.F) {
	block, err := newCompressor().block(examplePartition(f))
	require.NoError(f, err)
	f.Add(block, int64(43))
	f.Add(append(bytes.Clone(block), block...), int64(86))
	f.Add(append(unhex(f, "0000002d 0000002b f01c"), examplePartition(f)...), int64(43))
	f.Fuzz(func(t *testing.T, b []byte, length int64) {
		if length < 0 {
			return
		}
		r := bytes.NewReader(append(bytes.Clone(b), 0xff))
		plain, err := io.ReadAll(NewBlocks(r, length))
		require.LessOrEqual(t, int64(len(plain)), length)
		if err == nil {
			require.Len(t, plain, int(length))
		}
	})
}

// What one side packs the other unpacks.
func FuzzBlocksThere(f *testing.F) {
	f.Add([]byte("partitions, partitions, partitions"))
	f.Fuzz(func(t *testing.T, plain []byte) {
		c := newCompressor()
		var packed []byte
		for rest := plain; len(rest) > 0; {
			n := min(len(rest), blockLen)
			block, err := c.block(rest[:n])
			require.NoError(t, err)
			packed = append(packed, block...)
			rest = rest[n:]
		}
		r := bytes.NewReader(packed)
		got, err := io.ReadAll(NewBlocks(r, int64(len(plain))))
		require.NoError(t, err)
		require.True(t, bytes.Equal(plain, got))
		require.Zero(t, r.Len())
	})
}

func TestMessagesThatAreRefused(t *testing.T) {
	whole := &FileHead{
		Table: table, From: loader, Plan: plan, Version: "nb", Keys: 1, Header: exampleHeader(t),
		Manifest: Manifest{{"Data.db", 43}}, FirstKey: []byte{1},
	}
	rows := &FileHead{Table: table, From: loader, Plan: plan, Version: "nb", Keys: 1, Length: 43, Header: exampleHeader(t)}
	changed := func(m Message, at int, b ...byte) []byte {
		raw := Append(nil, m)
		if at < 0 {
			at += len(raw)
		}
		copy(raw[at:], b)
		return raw
	}
	// Where fields stand in the heads: 1 type, 16 table, 7 address, 16 plan, 1, 4, 4, 8, 1.
	const version = 1 + 16 + 7 + 16 + 1 + 4 + 4 + 8 + 1
	for text, raw := range map[string][]byte{
		"message 0":                    {0},
		"message 4":                    {4},
		"an address of 5 bytes":        changed(Init{From: loader}, 1, 5),
		"a repair":                     changed(Init{From: loader}, -5, 1),
		"preview 1":                    changed(Init{From: loader}, -1, 1),
		"session 1":                    changed(Init{From: loader}, 11, 1),
		`operation "Depair"`:           changed(Init{From: loader}, 30, 'D'),
		"byte 0x00 in a name":          changed(Init{From: loader}, 30, 0),
		"requests 1":                   changed(PrepareSyn{}, 4, 1),
		"summaries -1":                 changed(PrepareSyn{}, 5, 0xff, 0xff, 0xff, 0xff),
		"files -1":                     changed(PrepareSyn{[]Summary{{table, 1, 1}}}, -12, 0xff, 0xff, 0xff, 0xff),
		"bytes -1":                     changed(PrepareSyn{[]Summary{{table, 1, -1}}}, 0, 1),
		"sequence -2147483648":         changed(Received{}, -4, 0x80),
		"a file sent by the follower":  changed(rows, 40, 1),
		"repaired at":                  changed(rows, 49, 1),
		"a pending repair":             changed(rows, 57, 1),
		`SSTable format "bti"`:         changed(rows, version+6, 'b', 't', 'i'),
		"keys -":                       changed(rows, version+9, 0x80),
		"2 sections":                   changed(rows, version+20, 2),
		"a section from":               changed(rows, version+21, 1),
		"chunks":                       changed(rows, version+37, 0),
		"level":                        changed(rows, version+41, 1),
		"a file with 1 sections":       changed(rows, -1, 1),
		"0x02 for true":                changed(rows, -1, 2),
		"for one file":                 changed(rows, -2, 1),
		"a file with 0 sections":       changed(whole, version+17+4+4+4+len(rows.Header)+16, 0),
		"a vint that is longer":        changed(whole, -2, 0x80, 0),
		"a field of":                   changed(whole, -2, 0xe1),
		"a handshake that begins with": nil,
		"a field of 4194304 bytes":     slicesOf(rows, version+45),
	} {
		if raw == nil {
			_, err := ReadOffer(bytes.NewReader(make([]byte, 30)))
			require.ErrorContains(t, err, text)
			continue
		}
		_, err := Read(io.MultiReader(bytes.NewReader(raw), zeros{}))
		require.ErrorIs(t, err, errMalformed, text)
		require.ErrorContains(t, err, text)
	}
}

// slicesOf is a head whose header goes on for ever: types of 4 MiB each.
func slicesOf(m Message, header int) []byte {
	raw := Append(nil, m)[:header]
	raw = append(raw, 0, 0, 0, 0, 100) // minima, key type, number of clustering columns
	for range 5 {
		raw = append(raw, 0xe0, 0x40, 0, 0)
		raw = append(raw, make([]byte, 4<<20)...)
	}
	return raw
}

// zeros is a reader of zeros without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
