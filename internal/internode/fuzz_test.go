package internode

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// A message that is read is written again as the same bytes, and no bytes do harm.
func FuzzRead(f *testing.F) {
	for _, m := range []Message{
		Init{
			From: loader, Plan: plan, Operation: Repair,
		}, PrepareSyn{
			Summaries: []Summary{{table, 1, 43}},
		}, PrepareSynAck{}, PrepareAck{}, Received{table, 1},
		Complete, SessionFailed, KeepAlive,
		&FileHead{Table: table, From: loader, Plan: plan, Version: "nb", Format: "big", Keys: 1, Sections: []Section{{0, 43}}, Header: exampleHeader(f)},
		&FileHead{
			Table: table, From: loader, Plan: plan, Version: "nb", Format: "big", Keys: 1, Header: exampleHeader(f),
			Manifest: Manifest{{"Data.db", 43}, {"Index.db", 300}}, FirstKey: []byte{0, 0, 0, 1},
		},
		Init{
			From: loader, Plan: plan, Operation: Other, Preview: true,
		}, exampleRequest(), exampleChunks(f),
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

// Blocks return the plain bytes that they announce, or an error, and read nothing behind them.
func FuzzBlocks(f *testing.F) {
	block, err := newCompressor().block(examplePartition(f))
	require.NoError(f, err)
	f.Add(block, int64(43))
	f.Add(append(bytes.Clone(block), block...), int64(86))
	f.Add(append(testkit.Unhex(f, "0000002d 0000002b f01c"), examplePartition(f)...), int64(43))
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

// What one side packs, the other unpacks.
func FuzzBlocksThere(f *testing.F) {
	f.Add([]byte("partitions, partitions, partitions"))
	f.Fuzz(func(t *testing.T, plain []byte) {
		packed, err := AppendBlocks(nil, plain)
		require.NoError(t, err)
		r := bytes.NewReader(packed)
		got, err := io.ReadAll(NewBlocks(r, int64(len(plain))))
		require.NoError(t, err)
		require.True(t, bytes.Equal(plain, got))
		require.Zero(t, r.Len())
	})
}

func TestMessagesThatAreRefused(t *testing.T) {
	whole := &FileHead{
		Table:    table,
		From:     loader,
		Plan:     plan,
		Version:  "nb",
		Format:   "big",
		Keys:     1,
		Header:   exampleHeader(t),
		Manifest: Manifest{{"Data.db", 43}},
		FirstKey: []byte{1},
	}
	rows := &FileHead{
		Table:    table,
		From:     loader,
		Plan:     plan,
		Version:  "nb",
		Format:   "big",
		Keys:     1,
		Sections: []Section{{0, 43}},
		Header:   exampleHeader(t),
	}
	sectionless := *rows
	sectionless.Sections = nil
	twoSections := *rows
	twoSections.Sections = []Section{{0, 43}, {43, 50}}
	chunks := *rows
	chunks.Compression = &Compression{Chunks: []Chunk{{0, 10}}}
	request := PrepareSyn{
		Requests: []Request{
			{Keyspace: "k", Table: "t", From: loader, Ranges: make([]token.Range, 1)},
		},
	}
	changed := func(m Message, at int, b ...byte) []byte {
		raw := Append(nil, m)
		if at < 0 {
			at += len(raw)
		}
		copy(raw[at:], b)
		return raw
	}
	// Positions of fields in the heads: 1 type, 16 table, 7 address, 16 plan, 1, 4, 4, 8, 1.
	const version = 1 + 16 + 7 + 16 + 1 + 4 + 4 + 8 + 1
	for text, raw := range map[string][]byte{
		"message 0":                    {0},
		"message 4":                    {4},
		"an address of 5 bytes":        changed(Init{From: loader, Operation: Repair}, 1, 5),
		"a repair":                     changed(Init{From: loader, Operation: Repair}, -5, 1),
		"preview 2":                    changed(Init{From: loader, Operation: Repair}, -1, 2),
		"session 1":                    changed(Init{From: loader, Operation: Repair}, 11, 1),
		`operation "Depair"`:           changed(Init{From: loader, Operation: Repair}, 30, 'D'),
		"byte 0x00 in a name":          changed(Init{From: loader, Operation: Repair}, 30, 0),
		"tables 0":                     changed(request, 1+4+3+3, 0),
		"summaries -1":                 changed(PrepareSyn{}, 5, 0xff, 0xff, 0xff, 0xff),
		"files -1":                     changed(PrepareSyn{Summaries: []Summary{{table, 1, 1}}}, -12, 0xff, 0xff, 0xff, 0xff),
		"bytes -1":                     changed(PrepareSyn{Summaries: []Summary{{table, 1, -1}}}, 0, 1),
		"sequence -2147483648":         changed(Received{}, -4, 0x80),
		`SSTable format "bbg"`:         changed(rows, version+7, 'b'),
		"keys -":                       changed(rows, version+9, 0x80),
		"sections -":                   changed(rows, version+17, 0x80),
		"a file of no sections":        changed(&sectionless, 0, 2),
		"a section from -":             changed(rows, version+21, 0x80),
		"a section from 44 up to 43":   changed(rows, version+28, 44),
		"behind one up to 43":          changed(&twoSections, version+44, 42),
		"chunks":                       changed(rows, version+37, 0x80),
		"2147483647 chunks":            changed(rows, version+37, 0x7f),
		"a chunk's offset -":           changed(&chunks, version+41, 0x80),
		"a chunk's length -":           changed(&chunks, version+49, 0x80),
		"level -":                      changed(rows, version+41, 0x80),
		"0x02 for true":                changed(rows, -1, 2),
		"for one file":                 changed(rows, -2, 1),
		"a vint that is longer":        changed(whole, -2, 0x80, 0),
		"a field of":                   changed(whole, -2, 0xe1),
		"a token's bytes 9":            changed(request, 1+4+3+4+7+4+3, 9),
		"transient ranges 1":           changed(request, 1+4+3+4+7+4+24+3, 1),
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

// slicesOf returns a head whose header continues without end: types of 4 MiB each.
func slicesOf(m Message, header int) []byte {
	raw := Append(nil, m)[:header]
	raw = append(raw, 0, 0, 0, 0, 100) // minima, key type, number of clustering columns
	for range 5 {
		raw = append(raw, 0xe0, 0x40, 0, 0)
		raw = append(raw, make([]byte, 4<<20)...)
	}
	return raw
}

// zeros is a reader of endless zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
