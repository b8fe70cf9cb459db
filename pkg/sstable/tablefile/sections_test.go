package tablefile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// streamed is what a node sends of sections of a Data.db, and what it says of them.
func streamed(
	t testing.TB,
	data []byte,
	info *component.CompressionInfo,
	sections []Section,
) ([]byte, Sections) {
	t.Helper()
	of := Sections{Sections: sections}
	var sent []byte
	if info == nil {
		for _, s := range sections {
			sent = append(sent, data[s.From:s.To]...)
		}
		return sent, of
	}
	of.Compression = info.Compression
	next := uint64(0)
	for _, s := range sections {
		length := uint64(info.ChunkLength)
		for i := max(next, s.From/length); i <= (s.To-1)/length; i++ {
			end := uint64(len(data))
			if i+1 < uint64(len(info.Offsets)) {
				end = info.Offsets[i+1]
			}
			sent = append(sent, data[info.Offsets[i]:end]...)
			of.Chunks = append(of.Chunks, int(end-info.Offsets[i])-component.SumLen)
			next = i + 1
		}
	}
	return sent, of
}

// dataOf reads Data.db and what it is read by, as it is stored and plain.
func dataOf(t testing.TB, folder string) (data, plain []byte, r *Reader) {
	t.Helper()
	r = opened(t, folder)
	data, err := os.ReadFile(r.path(component.DataDB))
	require.NoError(t, err)
	plain, err = io.ReadAll(newPlacedReader(r.file, &r.data.dataPieces))
	require.NoError(t, err)
	require.Len(t, plain, int(r.Length()))
	return data, plain, r
}

// kept is a file in memory.
type kept struct{ *bytes.Reader }

func (kept) Close() error { return nil }

// sectionsOf makes a reader of the bytes of sections.
func sectionsOf(sent []byte, of Sections) (io.ReadSeeker, error) {
	r := &Reader{file: kept{bytes.NewReader(sent)}}
	if err := r.placeSections(of); err != nil {
		return nil, err
	}
	return r.plain(), nil
}

func TestSectionsAreCutOutOfWhatIsStreamed(t *testing.T) {
	for _, folder := range goldenFiles(t) {
		data, plain, r := dataOf(t, folder)
		random := rand.New(rand.NewPCG(7, 0))
		for range 20 {
			var sections []Section
			for at := uint64(0); ; {
				from := at + uint64(random.IntN(2000)*random.IntN(2))
				to := from + 1 + uint64(random.IntN(9000))
				if to > uint64(len(plain)) {
					break
				}
				sections = append(sections, Section{from, to})
				at = to
			}
			if random.IntN(2) == 0 {
				sections = append(
					sections[:random.IntN(len(sections)+1)],
					Section{uint64(len(plain)) - 5, uint64(len(plain))},
				)
			}
			if n := len(sections); n > 1 && sections[n-2].To > sections[n-1].From {
				sections = sections[:n-1]
			}
			var want []byte
			for _, s := range sections {
				want = append(want, plain[s.From:s.To]...)
			}
			sent, of := streamed(t, data, r.data.info, sections)
			sr, err := sectionsOf(append(bytes.Clone(sent), "behind"...), of)
			if len(sections) == 0 {
				require.ErrorContains(t, err, "no sections")
				continue
			}
			require.NoError(t, err)
			got, err := io.ReadAll(iotest.OneByteReader(sr))
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got))
			at := random.IntN(len(want))
			_, err = sr.Seek(int64(at), io.SeekStart)
			require.NoError(t, err)
			got, err = io.ReadAll(sr)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want[at:], got))
			sr, err = sectionsOf(sent[:random.IntN(len(sent))], of)
			require.NoError(t, err)
			got, err = io.ReadAll(sr)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.True(t, bytes.HasPrefix(want, got))
			if r.data.info == nil {
				continue
			}
			sent[random.IntN(len(sent))] ^= 4
			sr, err = sectionsOf(sent, of)
			require.NoError(t, err)
			got, err = io.ReadAll(sr)
			require.ErrorIs(t, err, component.ErrSum)
			require.True(t, bytes.HasPrefix(want, got))
		}
	}
}

// TestStreamedPartitionsAreDecoded reads each second partition of what is streamed.
func TestStreamedPartitionsAreDecoded(t *testing.T) {
	for _, folder := range goldenFiles(t) {
		data, _, r := dataOf(t, folder)
		d := r.Decoder()
		all, err := partitionsOf(d)
		require.NoError(t, err)
		index := opened(t, folder).Decoder()
		var sections []Section
		var want []readPartition
		for n := -1; ; {
			item, err := index.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			switch item {
			case sstable.PartitionStart:
				if n++; n%2 == 0 {
					sections = append(sections, Section{From: uint64(index.Offset())})
					want = append(want, all[n])
				}
			case sstable.PartitionEnd:
				if n%2 == 0 {
					sections[len(sections)-1].To = uint64(index.End())
				}
			}
		}
		sent, of := streamed(t, data, r.data.info, sections)
		table, err := OpenSections(
			kept{bytes.NewReader(sent)},
			"10.0.0.1",
			r.files.Descriptor(),
			r.statistics.Header,
			of,
		)
		require.NoError(t, err)
		got, err := partitionsOf(table.Decoder())
		require.NoError(t, err)
		require.Equal(t, want, got, filepath.Base(folder))
		random := rand.New(rand.NewPCG(8, 0))
		for range 30 {
			ranges := []token.Range{
				{Start: token.Token{Lo: random.Uint64()}, End: token.Token{Lo: random.Uint64()}},
			}
			var inside []readPartition
			for _, p := range want {
				if ranges[0].Contains(token.Murmur3.Hash([]byte(p.key))) {
					inside = append(inside, p)
				}
			}
			d, err := table.Within(ranges)
			require.NoError(t, err)
			got, err := partitionsOf(d)
			require.NoError(t, err)
			require.Equal(t, inside, got)
		}
		first, last, err := table.Bounds()
		require.NoError(t, err)
		require.Equal(
			t,
			[]string{want[0].key, want[len(want)-1].key},
			[]string{string(first.Key), string(last.Key)},
		)
	}
}

func TestSectionsThatCannotBeAreRefused(t *testing.T) {
	lz := component.Compression{
		Compressor:          component.LZ4Compressor,
		ChunkLength:         16,
		MaxCompressedLength: component.NeverPlain,
	}
	bad := func(change func(*component.Compression)) component.Compression {
		c := lz
		change(&c)
		return c
	}
	one := []Section{{0, 1}}
	for want, of := range map[string]Sections{
		"section 0":            {Sections: []Section{{1, 1}}},
		"section 1":            {Sections: []Section{{0, 2}, {1, 3}}},
		"section 0 is from 0":  {Sections: []Section{{0, 1 << 63}}},
		"not compressed":       {Sections: one, Chunks: []int{1}},
		"576460752303423488":   {Sections: []Section{{0, 1<<63 - 1}}, Compression: lz},
		"0 chunks":             {Sections: one, Compression: lz},
		"2 chunks":             {Sections: []Section{{0, 3}, {5, 16}}, Compression: lz, Chunks: []int{1, 1}},
		"chunk 0 has -1":       {Sections: one, Compression: lz, Chunks: []int{-1}},
		"chunk 0 has 99999999": {Sections: one, Compression: lz, Chunks: []int{99999999}},
		`"EncryptingLZ4`: {Sections: one, Compression: bad(
			func(c *component.Compression) { c.Compressor = "EncryptingLZ4Compressor" },
		), Chunks: []int{1}},
		"chunks of 17": {Sections: one, Compression: bad(
			func(c *component.Compression) { c.ChunkLength = 17 },
		), Chunks: []int{1}},
		"at most -1 bytes": {Sections: one, Compression: bad(
			func(c *component.Compression) { c.MaxCompressedLength = -1 },
		), Chunks: []int{1}},
	} {
		_, err := sectionsOf(nil, of)
		require.ErrorContains(t, err, want)
	}
	// A chunk in the middle is too short, and one at the end does not reach the section's end.
	short, err := newLZ4()(nil, []byte("short"))
	require.NoError(t, err)
	sent := binary.BigEndian.AppendUint32(bytes.Clone(short), crc32.ChecksumIEEE(short))
	for _, of := range []Sections{
		{Sections: []Section{{0, 20}}, Compression: lz, Chunks: []int{len(short), len(short)}},
		{Sections: []Section{{0, 6}}, Compression: lz, Chunks: []int{len(short)}},
	} {
		r, err := sectionsOf(append(bytes.Clone(sent), sent...), of)
		require.NoError(t, err)
		_, err = io.ReadAll(r)
		require.ErrorIs(t, err, component.ErrChunkLength)
	}
}
