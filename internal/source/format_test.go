package source

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestRoundTrip(t *testing.T) {
	for name, compress := range makers {
		for _, size := range []int{
			0, 1, 9, 1000, blockSize, blockSize + 1, blocks * blockSize, 1_000_000,
		} {
			t.Run(fmt.Sprint(name, " ", size), func(t *testing.T) {
				text := sample(size)
				data := compress(text)
				got, err := readAll(t, bytes.NewReader(data))
				require.NoError(t, err)
				require.True(t, bytes.Equal(text, got))
				if name == "plain" {
					return
				}
				got, err = readAll(
					t,
					bytes.NewReader(
						bytes.Join(
							[][]byte{data, compress([]byte("more")), compress(nil), data},
							nil,
						),
					),
				)
				require.NoError(t, err)
				require.True(
					t,
					bytes.Equal(bytes.Join([][]byte{text, []byte("more"), text}, nil), got),
				)
			})
		}
	}
}

// Readers that give little, or their end along with the last bytes.
func TestOddReaders(t *testing.T) {
	text := sample(3000)
	odd := map[string]func(io.Reader) io.Reader{
		"byte by byte":  iotest.OneByteReader,
		"halves":        iotest.HalfReader,
		"end with data": iotest.DataErrReader,
	}
	for format, compress := range makers {
		data := compress(text)
		for name, wrap := range odd {
			t.Run(format+" "+name, func(t *testing.T) {
				got, err := readAll(t, wrap(bytes.NewReader(data)))
				require.NoError(t, err)
				require.Equal(t, text, got)
			})
		}
		t.Run(format+" by the rules", func(t *testing.T) {
			r := newReader("stdin", bytes.NewReader(data), -1)
			require.NoError(t, iotest.TestReader(r, text))
			require.NoError(t, r.Close())
		})
	}
}

func TestGolden(t *testing.T) {
	text := golden(t, "text.csv")
	for _, tc := range []struct {
		file   string
		format string
		text   []byte
	}{
		{"text.csv", "", text},
		{"members.gz", "gzip", text},
		{"padded.gz", "gzip", text},
		{"frames.zst", "zstd", text},
		{"skippable.zst", "zstd", text},
		{"frames.lz4", "lz4", text},
		{"linked.lz4", "lz4", text},
		{"streams.bz2", "bzip2", text},
		{"streams.xz", "xz", text},
		{"blocks.xz", "xz", text},
		{"empty.gz", "gzip", nil},
		{"empty.zst", "zstd", nil},
		{"empty.lz4", "lz4", nil},
		{"empty.bz2", "bzip2", nil},
		{"empty.xz", "xz", nil},
	} {
		t.Run(tc.file, func(t *testing.T) {
			data := golden(t, tc.file)
			r := newReader("stdin", bytes.NewReader(data), -1)
			got, err := io.ReadAll(r)
			require.NoError(t, err)
			require.Equal(t, string(tc.text), string(got))
			require.Equal(t, tc.format, r.format)
			require.EqualValues(t, len(data), r.Consumed())
			require.NoError(t, r.Close())
		})
	}
}

func TestManyEmptyStreams(t *testing.T) {
	for name, compress := range makers {
		data := append(bytes.Repeat(compress(nil), 1000), compress([]byte("a\n"))...)
		got, err := readAll(t, bytes.NewReader(data))
		require.NoError(t, err, name)
		require.Equal(t, "a\n", string(got), name)
	}
	got, err := readAll(t, bytes.NewReader(bytes.Repeat(golden(t, "empty.bz2"), 1000)))
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestSnappyByHand(t *testing.T) {
	stream := snappyHead + snappyChunk(
		"one,",
	) + "\xfe\x03\x00\x00abc" + "\x80\x01\x00\x00z" + snappyChunk(
		"two",
	) + snappyHead + snappyChunk(
		"\n",
	)
	got, err := readAll(t, strings.NewReader(stream))
	require.NoError(t, err)
	require.Equal(t, "one,two\n", string(got))
}

// What is no compressed stream is plain text, whatever it looks like.
func TestPlain(t *testing.T) {
	for _, text := range []string{
		"", "a", "(", "B", "BZ", "BZh", "BZh9", "BZh9,Zürich\n", "BZh91AY&SX", "P*", "P*M", "(a,b)\n", "\x1fa", "\x1f\x8b\x07", "\xff\xfda\x00",
		"\xef\xbb\xbfid,name\n", "\xff\x06\x00\x00S2sTwO", "\xfd7zXY", "\x04\x22\x4d\x19", "\x02\x21\x4c\x18", "\x00\x00",
	} {
		got, err := readAll(t, strings.NewReader(text))
		require.NoError(t, err, "%q", text)
		require.Equal(t, text, string(got))
	}
}

func TestDamage(t *testing.T) {
	gz := string(golden(t, "members.gz"))
	text := string(golden(t, "text.csv"))
	skip := "\x53\x2a\x4d\x18\x02\x00\x00\x00ab"
	for _, tc := range []struct {
		name, in, text, want string
	}{
		{"only a beginning", "\x1f\x8b", "", "input stdin: gzip data cut off after 0 bytes of text"},
		{"only a beginning that could be text", "BZh91AY", "", "input stdin: bzip2 data cut off after 0 bytes of text"},
		{"only a header", gz[:12], "", "input stdin: gzip data cut off after 0 bytes of text"},
		{"text after a stream", gz + "a,b\n", text, "input stdin: gzip data cut off after 869 bytes of text"},
		{"long text after a stream", gz + strings.Repeat("a,b\n", 9), text, "input stdin: gzip data damaged after 869 bytes of text: gzip: invalid header"},
		{"data after padding", gz + "\x00\x00" + gz, text, "input stdin: gzip data damaged after 869 bytes of text: data after the zeros that follow the last member"},
		{"another format after a stream", string(golden(t, "frames.lz4")) + gz, text, "input stdin: lz4 data damaged after 869 bytes of text: lz4: bad magic number"},
		{"text after a skippable frame", skip + "a,b\n", "", "input stdin: zstd or lz4 data damaged after 0 bytes of text: neither a zstd nor an lz4 frame follows a skippable one"},
		{"gzip after a skippable frame", skip + gz, "", "input stdin: zstd or lz4 data damaged after 0 bytes of text: neither a zstd nor an lz4 frame follows a skippable one"},
		{"skippable frame cut off", skip[:9], "", "input stdin: zstd or lz4 data cut off after 0 bytes of text"},
		{"size of a skippable frame cut off", skip[:6], "", "input stdin: zstd or lz4 data cut off after 0 bytes of text"},
		{"frame cut off after a skippable one", skip + "\x28\xb5", "", "input stdin: zstd or lz4 data cut off after 0 bytes of text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := readAll(t, strings.NewReader(tc.in))
			require.EqualError(t, err, tc.want)
			require.Equal(t, tc.text, string(got))
			var damage *DamageError
			require.ErrorAs(t, err, &damage)
			require.EqualValues(t, len(got), damage.Offset)
		})
	}
	got, err := readAll(t, strings.NewReader(skip+skip))
	require.NoError(t, err)
	require.Empty(t, got)
}

// A zstd window that would take more memory than the zstd tool allows.
func TestWindowTooLarge(t *testing.T) {
	frame := "\x28\xb5\x2f\xfd\x00" + string([]byte{(28 - 10) << 3}) + "\x01\x00\x00"
	_, err := readAll(t, strings.NewReader(frame))
	require.EqualError(
		t,
		err,
		"input stdin: zstd data damaged after 0 bytes of text: window size exceeded",
	)
}
