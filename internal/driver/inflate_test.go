package driver

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"
)

// deflated returns the body of a compressed frame.
func deflated(t testing.TB, body []byte) []byte {
	t.Helper()
	out, err := deflater{}.Encode(body)
	require.NoError(t, err)
	return out
}

// deflatedFrame returns a frame with a compressed body.
func deflatedFrame(t testing.TB, frame []byte) []byte {
	body := deflated(t, frame[headerSize:])
	return withLength(
		slices.Concat(with(frame[:headerSize], 1, frame[1]|compressedFlag), body),
		uint32(len(body)),
	)
}

// inflated returns what an inflater makes of a body.
func inflated(in io.Reader, length, buffer int) ([]byte, error) {
	z, err := newInflater(in, length)
	if err != nil {
		return nil, err
	}
	defer z.release()
	var out []byte
	p := make([]byte, buffer)
	for z.want > 0 || z.from < z.to {
		n, err := z.Read(p)
		out = append(out, p[:n]...)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// bodies returns some that compress well, some that do not, and some about as large as buffers.
func bodies() [][]byte {
	all := [][]byte{
		nil,
		{1},
		[]byte("a body that is short"),
		make([]byte, 1<<20),
		bytes.Repeat([]byte("abc"), window),
	}
	random := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, 400_000)
	_, _ = random.Read(noise)
	mixed := slices.Concat(
		noise[:window-3],
		noise[:200_000],
		[]byte(strings.Repeat("some text ", 30_000)),
		noise[:window+7],
	)
	all = append(all, noise, mixed)
	for _, n := range []int{
		15, 19, 270, window - 1, window, window + 1, 2*window - 1, 2 * window, 2*window + 1,
	} {
		all = append(all, noise[:n], make([]byte, n))
	}
	return all
}

func TestInflate(t *testing.T) {
	for _, body := range bodies() {
		small := deflated(t, body)
		for _, in := range []io.Reader{
			bytes.NewReader(small), iotest.HalfReader(bytes.NewReader(small)),
			iotest.DataErrReader(bytes.NewReader(small)),
			iotest.OneByteReader(bytes.NewReader(small)),
		} {
			for _, buffer := range []int{4095, 8 << 20} {
				if r, ok := in.(*bytes.Reader); ok {
					r.Reset(small)
				} else if buffer == 4095 {
					continue
				}
				out, err := inflated(in, len(small), buffer)
				require.NoError(t, err)
				require.True(t, bytes.Equal(body, out), len(body))
			}
		}
	}
}

// sized returns a compressed body with another uncompressed size in its header.
func sized(body []byte, size uint32) []byte {
	return slices.Concat(binary.BigEndian.AppendUint32(nil, size), body[sizeLength:])
}

func TestInflateStops(t *testing.T) {
	text := []byte(strings.Repeat("all work and no play ", 1000))
	good := deflated(t, text)
	size := uint32(len(text))
	for name, body := range map[string]struct {
		in   []byte
		want string
	}{
		"no size":                 {good[:3], "a compressed frame of 3 bytes"},
		"a size above the bound":  {sized(good, largestFrame+1), "that shall become 268435457"},
		"a size above any ratio":  {sized(good, uint32(mostRatio*len(good))), "that shall become"},
		"a negative size":         {sized(good, 0xffffffff), "that shall become 4294967295"},
		"a size, and no block":    {good[:4], "that shall become"},
		"a size that is too low":  {sized(good, size-1), "is damaged"},
		"a size that is too high": {sized(good, size+1), "is damaged"},
		"a size of zero":          {sized(good, 0), "is damaged"},
		"a block that ends early": {good[:len(good)-1], "is damaged"},
		"a block that is longer":  {append(slices.Clone(good), 0x10, 'a'), "is damaged"},
		"an offset of zero":       {[]byte{0, 0, 0, 5, 0x10, 'a', 0, 0}, "is damaged"},
		"an offset before all":    {[]byte{0, 0, 0, 5, 0x10, 'a', 2, 0}, "is damaged"},
		"literals above the size": {[]byte{0, 0, 0, 5, 0xf0, 255, 255, 0}, "is damaged"},
		"a match above the size":  {[]byte{0, 0, 0, 9, 0x1f, 'a', 1, 0, 255, 0}, "is damaged"},
	} {
		out, err := inflated(bytes.NewReader(body.in), len(body.in), 100)
		require.ErrorContains(t, err, body.want, name)
		require.Less(t, len(out), len(text), name)
	}
	_, err := inflated(bytes.NewReader(good[:20]), len(good), 100)
	require.ErrorContains(t, err, "the connection ended within a frame")
	out, err := inflated(bytes.NewReader(make([]byte, 4)), 4, 100)
	require.NoError(t, err)
	require.Empty(t, out)
}

// compressing returns a frameChecker of a connection with compressed frames.
func compressing(in io.Reader, r *pageLimit) *frameChecker {
	g := newFrameChecker(bytesConn{in: in}, time.Second, r)
	g.lz4 = newCompression(Config{Compress: true})
	return g
}

var offersLZ4 = &message.Supported{
	Options: map[string][]string{compressionOption: {"snappy", lz4Name}},
}

// The library reads the same frames whether they came compressed or not.
func TestFrameCheckerInflates(t *testing.T) {
	hello := encoded(t, offersLZ4)
	want, sent := slices.Clone(hello), [][]byte{hello}
	for _, frame := range wholeFrames(t)[1:] {
		want = append(want, frame...)
		sent = append(sent, deflatedFrame(t, frame))
	}
	all := slices.Concat(sent...)
	for _, in := range []io.Reader{
		bytes.NewReader(all), iotest.HalfReader(bytes.NewReader(all)),
		iotest.OneByteReader(bytes.NewReader(all)),
	} {
		out, err := io.ReadAll(compressing(in, new(pageLimit)))
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, out))
	}
}

// A compressed page that is too large is dropped like any other.
func TestCompressedPageWithoutRoom(t *testing.T) {
	s := &Session{pageLimit: new(pageLimit)}
	defer s.Reserve(1 << 20)()
	hello := encoded(t, offersLZ4)
	small := pageOf(t, "ks", 1000, 5)
	large := pageOf(t, "ks", 3<<20, 6)
	system := pageOf(t, "system_schema", 3<<20, 7)
	sent := slices.Concat(
		hello,
		deflatedFrame(t, large),
		deflatedFrame(t, system),
		deflatedFrame(t, small),
	)
	out, err := io.ReadAll(compressing(bytes.NewReader(sent), s.pageLimit))
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(out, hello))
	require.True(t, bytes.HasSuffix(out, slices.Concat(system, small)))
	answer := out[len(hello) : len(out)-len(system)-len(small)]
	require.Contains(t, string(answer), "cqlbulk has no room for a page of 31457")
}

// Damage within a compressed page ends the connection for good.
func TestFrameCheckerStopsAtDamagedBlock(t *testing.T) {
	hello, page := encoded(t, offersLZ4), deflatedFrame(t, pageOf(t, "ks", 300_000, 5))
	short := withLength(page[:len(page)-5], uint32(len(page)-5-headerSize))
	void := encoded(t, &message.VoidResult{})
	g := compressing(bytes.NewReader(slices.Concat(hello, short, void)), new(pageLimit))
	_, err := io.ReadAll(g)
	require.ErrorIs(t, err, errBlock)
	_, next := g.Read(make([]byte, headerSize))
	require.Equal(t, err, next)
}

// A node that does not offer LZ4, or is near, is not asked to compress, and must not.
func TestFrameCheckerRefusesCompression(t *testing.T) {
	near := newCompression(Config{Compress: true, CompressFrom: time.Hour})
	page := deflatedFrame(t, pageOf(t, "ks", 1000, 5))
	for offered, lz4 := range map[*message.Supported]*compression{
		offersLZ4: near,
		{Options: map[string][]string{compressionOption: {"snappy"}}}: newCompression(Config{Compress: true}),
	} {
		g := newFrameChecker(
			bytesConn{in: bytes.NewReader(slices.Concat(encoded(t, offered), page))},
			time.Second,
			new(pageLimit),
		)
		g.lz4 = lz4
		out, err := io.ReadAll(g)
		require.ErrorContains(t, err, "a compressed frame, which was not asked for")
		require.NotContains(t, string(out), lz4Name)
	}
}

// A node is far if it answers late several times, and near once it has answered soon.
func TestCompressionByDistance(t *testing.T) {
	const from, soon = 2 * time.Millisecond, time.Millisecond
	c := newCompression(Config{Compress: true, CompressFrom: from})
	require.False(t, c.addRoundTrip("near", soon))
	require.False(t, c.compresses("near"))

	require.True(t, c.addRoundTrip("busy", from))
	require.False(t, c.addRoundTrip("busy", soon))
	require.False(t, c.compresses("busy"))
	require.False(t, c.addRoundTrip("busy", time.Second), "it has shown that it is near")

	require.True(t, c.addRoundTrip("far", from))
	require.True(t, c.addRoundTrip("far", time.Second))
	require.False(t, c.addRoundTrip("far", time.Second))
	require.True(t, c.compresses("far"))
	require.False(t, c.addRoundTrip("far", soon))
	require.False(t, c.compresses("far"))

	all := newCompression(Config{Compress: true})
	require.False(t, all.addRoundTrip("any", time.Second))
	require.True(t, all.compresses("any"))
}

// FuzzInflate compares the inflater with the library's own reader of LZ4 for any block: both return
// the same, or both refuse it.
func FuzzInflate(f *testing.F) {
	text := []byte(strings.Repeat("all work and no play ", 100))
	good := deflated(f, text)
	for _, in := range [][]byte{
		nil, good, good[:3], good[:len(good)-1], deflated(f, nil), deflated(
			f, make([]byte, 3*window),
		), make([]byte, 4),
		sized(
			good, uint32(len(text)-1),
		), sized(
			good, uint32(len(text)+1),
		), sized(good, 0), sized(good, largestFrame+1), sized(good, 0xffffffff),
		{0, 0, 0, 5, 0x10, 'a', 0, 0}, {0, 0, 0, 5, 0xf0, 255, 255, 0},
	} {
		f.Add(in, uint16(100))
	}
	f.Fuzz(func(t *testing.T, in []byte, buffer uint16) {
		before := allocated()
		out, err := inflated(bytes.NewReader(in), len(in), 1+int(buffer))
		require.Less(t, allocated()-before, uint64(most))
		if err != nil || len(in) == sizeLength {
			return
		}
		size := binary.BigEndian.Uint32(in)
		require.Len(t, out, int(size))
		want := make([]byte, size)
		n, err := lz4.UncompressBlock(in[sizeLength:], want)
		if err == nil {
			require.True(t, bytes.Equal(want[:n], out))
		}
	})
}
