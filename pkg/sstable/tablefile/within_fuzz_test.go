package tablefile

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// FuzzWithin changes one component of an SSTable, and reads ranges: what is found is right, or
// there is an error.
func FuzzWithin(f *testing.F) {
	var tables []*damaged
	for _, folder := range []string{"nb_lz4", "nb_none", "da_zstd"} {
		tables = append(tables, damagedOf(f, filepath.Join("../testdata/golden/files", folder)))
	}
	tables = append(
		tables,
		damagedOf(f, "../testdata/golden/files/nb_snappy", component.SummaryDB),
		damagedOf(f, "../testdata/golden/files/nb_deflate", component.SummaryDB, component.IndexDB),
	)
	components := make([]map[component.Kind]string, len(tables))
	right := make([]map[component.Kind][]byte, len(tables))
	for i, d := range tables {
		components[i], right[i] = d.components(f), make(map[component.Kind][]byte)
		for c, path := range components[i] {
			b, err := os.ReadFile(path)
			require.NoError(f, err)
			right[i][c] = b
		}
	}
	for i := range tables {
		for c := range len(components[i]) {
			f.Add(
				uint8(i),
				uint8(c),
				uint16(40*c),
				[]byte{1, 0x80},
				uint16(0),
				uint64(1)<<62,
				uint64(3)<<62,
			)
			f.Add(uint8(i), uint8(c), uint16(0), []byte{}, uint16(9*c), uint64(0), uint64(1)<<63)
		}
	}
	f.Fuzz(
		func(
			t *testing.T,
			table, component uint8,
			at uint16,
			xor []byte,
			cut uint16,
			start, end uint64,
		) {
			i := int(table) % len(tables)
			names := slices.Sorted(maps.Keys(components[i]))
			c := names[int(component)%len(names)]
			b := bytes.Clone(right[i][c])
			for n, x := range xor {
				b[(int(at)+n)%len(b)] ^= x
			}
			b = b[:len(b)-int(cut)%(len(b)+1)]
			require.NoError(t, os.WriteFile(components[i][c], b, 0o600))
			defer func() {
				require.NoError(
					t,
					os.WriteFile(components[i][c], right[i][c], 0o600),
				)
			}()
			d := *tables[i]
			d.ranges = [][]token.Range{
				{token.Whole(token.Murmur3)},
				{{Start: token.Token{Lo: start}, End: token.Token{Lo: end}}},
			}
			found := d.requireFound(t, "%s", c)
			require.True(t, found || bytes.Equal(b, right[i][c]) || !alwaysFound[c], "%s", c)
		},
	)
}

// FuzzSections reads sections of any bytes: no more comes of them than the sections have, and what
// is right is right.
func FuzzSections(f *testing.F) {
	plain := bytes.Repeat([]byte("plain bytes of partitions; "), 9)
	kinds := []component.Compression{
		{},
		{Compressor: component.LZ4Compressor, ChunkLength: 64, MaxCompressedLength: 60},
		{
			Compressor:          component.ZstdCompressor,
			ChunkLength:         32,
			MaxCompressedLength: component.NeverPlain,
		},
		{
			Compressor:          component.NoopCompressor,
			ChunkLength:         16,
			MaxCompressedLength: component.NeverPlain,
		},
	}
	for i, c := range kinds {
		b, w := stored(f, plain, c, component.NB)
		var info *component.CompressionInfo
		if c.Compressor != "" {
			info = &w.info
		}
		sent, of := streamed(f, b, info, []Section{{3, 70}, {70, 71}, {200, uint64(len(plain))}})
		lengths := make([]byte, len(of.Chunks))
		for i, n := range of.Chunks {
			lengths[i] = byte(n)
		}
		f.Add(uint8(i), uint64(3), uint64(67), uint64(0), uint64(1), lengths, sent)
		f.Add(uint8(i), uint64(0), uint64(200), uint64(0), uint64(len(plain)-200), lengths, sent)
	}
	f.Fuzz(func(t *testing.T, kind uint8, from, length, gap, second uint64, lengths, sent []byte) {
		of := Sections{
			Compression: kinds[int(kind)%len(kinds)],
			Sections: []Section{
				{from, from + length},
				{from + length + gap, from + length + gap + second},
			},
		}
		for _, n := range lengths {
			of.Chunks = append(of.Chunks, int(n))
		}
		r, err := sectionsOf(sent, of)
		if err != nil {
			return
		}
		got, err := io.ReadAll(r)
		require.LessOrEqual(t, uint64(len(got)), length+second)
		if err == nil {
			require.Equal(t, length+second, uint64(len(got)))
		}
		// Read once more, byte for byte: the same.
		_, again := r.Seek(0, io.SeekStart)
		require.NoError(t, again)
		single, again := io.ReadAll(iotest.OneByteReader(r))
		require.Equal(t, err == nil, again == nil)
		require.True(t, bytes.Equal(got, single))
	})
}
