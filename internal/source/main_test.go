package source

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sample is some text that compresses well enough and fills several blocks.
func sample(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		b.WriteString(strings.Repeat("x", i%7))
		b.WriteByte(byte('a' + i*i%23))
		b.WriteString(",2024-01-02,\"flight\"\n")
	}
	return b.Bytes()[:size]
}

// makers compress text as one stream. bzip2 has none here: see the golden files.
var makers = map[string]func(text []byte) []byte{
	"gzip": func(text []byte) []byte {
		return pack(text, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	},
	"zstd": func(text []byte) []byte {
		return pack(text, func(w io.Writer) io.WriteCloser {
			e, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
			return must(e, err)
		})
	},
	"lz4": func(text []byte) []byte {
		return pack(text, func(w io.Writer) io.WriteCloser {
			e := lz4.NewWriter(w)
			return must(e, e.Apply(lz4.BlockSizeOption(lz4.Block64Kb)))
		})
	},
	"snappy": func(text []byte) []byte {
		if len(text) == 0 {
			return []byte(snappyHead)
		}
		return pack(text, func(w io.Writer) io.WriteCloser {
			return s2.NewWriter(w, s2.WriterSnappyCompat(), s2.WriterConcurrency(1))
		})
	},
	"xz": func(text []byte) []byte {
		return pack(text, func(w io.Writer) io.WriteCloser {
			e, err := xz.WriterConfig{DictCap: 1 << 16, BlockSize: 100_000}.NewWriter(w)
			return must(e, err)
		})
	},
	"plain": bytes.Clone,
}

const snappyHead = "\xff\x06\x00\x00sNaPpY"

// snappyChunk is a chunk of text that is not compressed, made by hand.
func snappyChunk(text string) string {
	sum := crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
	sum = (sum>>15 | sum<<17) + 0xa282ead8
	n := len(text) + 4
	return string(
		[]byte{
			1,
			byte(n),
			byte(n >> 8),
			byte(n >> 16),
			byte(sum),
			byte(sum >> 8),
			byte(sum >> 16),
			byte(sum >> 24),
		},
	) + text
}

func pack(text []byte, open func(io.Writer) io.WriteCloser) []byte {
	var out bytes.Buffer
	w := open(&out)
	_, err := w.Write(text)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func golden(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden", name))
	require.NoError(t, err)
	return data
}

// readAll reads stored bytes as the standard input.
func readAll(t testing.TB, in io.Reader) ([]byte, error) {
	t.Helper()
	r := newReader("stdin", in, -1)
	text, err := io.ReadAll(r)
	_, again := r.Read(make([]byte, 1))
	if err == nil {
		require.Equal(t, io.EOF, again)
	} else {
		require.Equal(t, err, again)
		require.NotErrorIs(t, err, io.EOF)
		require.ErrorContains(t, err, "input stdin: ")
	}
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	return text, err
}
