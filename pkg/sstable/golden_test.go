package sstable

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// golden is a table of testdata/golden, which Cassandra 5.0.6 wrote; the script make there says how.
type golden struct {
	name               string
	data, index, stats []byte
	header             []byte // of stats
	codec              *Codec
}

// goldens reads all of them.
func goldens(t testing.TB) []golden {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*/Data.db")
	require.NoError(t, err)
	require.Len(t, files, 10)
	var out []golden
	for _, file := range files {
		folder := filepath.Dir(file)
		g := golden{name: filepath.Base(folder)}
		for name, b := range map[string]*[]byte{"Data.db": &g.data, "Index.db": &g.index, "Statistics.db": &g.stats} {
			*b, err = os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
		}
		parts, err := statisticsTable(g.stats, NB)
		require.NoError(t, err)
		g.header = parts[headerPart]
		table, minima, err := DecodeHeader(g.header)
		require.NoError(t, err)
		g.codec = mustCodec(t, table, NB, minima)
		out = append(out, g)
	}
	return out
}

// rewrite decodes the bytes of partitions and encodes what it finds.
func rewrite(c *Codec, in io.Reader, observer Observer) ([]byte, error) {
	var out bytes.Buffer
	w, err := NewPartitionWriter(c, &out, observer)
	if err != nil {
		return nil, err
	}
	d := NewDecoder(c, in, MaxRowBytes)
	for {
		item, err := d.Next()
		if err == io.EOF {
			err = w.Flush()
			return out.Bytes(), err
		}
		if err != nil {
			return nil, err
		}
		switch item {
		case PartitionStart:
			err = w.Begin(d.Key(), d.Deletion())
		case RangeMarker:
			err = w.Marker(d.Marker())
		case PartitionEnd:
			err = w.End()
		default:
			var encoded []byte
			if encoded, err = c.AppendRow(nil, d.Row()); err != nil {
				return nil, err
			}
			if item == StaticRow {
				err = w.Static(encoded)
			} else {
				err = w.Row(encoded)
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

func TestGoldenFilesAreWrittenAgainByteForByte(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			require.Equal(t, g.header, g.codec.AppendHeader(nil))
			again, err := rewrite(g.codec, bytes.NewReader(g.data), nil)
			require.NoError(t, err)
			require.Equal(t, g.data, again)
			again, err = rewrite(g.codec, iotest.OneByteReader(bytes.NewReader(g.data)), nil)
			require.NoError(t, err)
			require.True(t, bytes.Equal(g.data, again))
		})
	}
}
