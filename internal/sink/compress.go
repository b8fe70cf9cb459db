package sink

import (
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// zstdWindow bounds the memory of a zstd writer, and of the file's readers, in bytes. Delimited
// text repeats itself at short range. With a window of 4 MiB, the flights of the sample data are
// 1 % smaller at the default level. A writer then takes 6 MiB instead of 2.5.
const zstdWindow = 512 << 10

// lz4Block is the smallest block of the frame format: a quarter of the memory of
// the next size, for an output some 3 % larger.
const lz4Block = lz4.Block64Kb

// encoder is a compressor that can be used for one file after another. It works
// in the goroutine that calls it.
type encoder interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

// codec is one compression at one level.
type codec struct {
	ending   string
	maxLevel int
	level    int
	make     func(level int) (encoder, error) // nil: no compression
}

// codecs are the compressions by name.
var codecs = map[string]codec{
	"":       {},
	"gzip":   {ending: ".gz", maxLevel: 9, make: newGzip},
	"zstd":   {ending: ".zst", maxLevel: 9, make: newZstd},
	"lz4":    {ending: ".lz4", maxLevel: 9, make: newLZ4},
	"snappy": {ending: ".sz", make: newSnappy},
}

// Compressions gives the names that [Options] knows, besides the empty one.
func Compressions() []string { return []string{"gzip", "zstd", "lz4", "snappy"} }

func findCodec(name string, level int) (codec, error) {
	c, ok := codecs[name]
	switch {
	case !ok:
		return codec{}, fmt.Errorf(
			"unknown compression %q: one of %s",
			name,
			strings.Join(Compressions(), ", "),
		)
	case level != 0 && name == "":
		return codec{}, fmt.Errorf("compression level %d without a compression", level)
	case level != 0 && c.maxLevel == 0:
		return codec{}, fmt.Errorf("compression level %d: %s has no levels", level, name)
	case level < 0 || level > c.maxLevel:
		return codec{}, fmt.Errorf("compression level %d: %s has 1 to %d", level, name, c.maxLevel)
	}
	c.level = level
	return c, nil
}

func newGzip(level int) (encoder, error) {
	if level == 0 {
		level = gzip.DefaultCompression
	}
	return gzip.NewWriterLevel(nil, level)
}

func newZstd(level int) (encoder, error) {
	speed := zstd.SpeedDefault
	if level > 0 {
		speed = zstd.EncoderLevelFromZstd(level)
	}
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(speed), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true))
}

func newLZ4(level int) (encoder, error) {
	speed := lz4.Fast
	if level > 0 {
		speed = lz4.Level1 << (level - 1)
	}
	w := lz4.NewWriter(nil)
	err := w.Apply(
		lz4.CompressionLevelOption(speed),
		lz4.BlockSizeOption(lz4Block),
		lz4.ConcurrencyOption(1),
	)
	return w, err
}

func newSnappy(int) (encoder, error) {
	return &snappyEncoder{
		Writer: s2.NewWriter(nil, s2.WriterSnappyCompat(), s2.WriterConcurrency(1)),
	}, nil
}

// snappyEncoder writes a valid stream for an empty output. Every stream begins with the stream
// identifier, which the library's writer omits if no data came.
type snappyEncoder struct {
	*s2.Writer
	dst   io.Writer
	wrote bool
}

const snappyIdentifier = "\xff\x06\x00\x00sNaPpY"

func (s *snappyEncoder) Reset(w io.Writer) {
	s.Writer.Reset(w)
	s.dst, s.wrote = w, false
}

func (s *snappyEncoder) Write(b []byte) (int, error) {
	s.wrote = s.wrote || len(b) > 0
	return s.Writer.Write(b)
}

func (s *snappyEncoder) Close() error {
	if err := s.Writer.Close(); err != nil || s.wrote {
		return err
	}
	_, err := io.WriteString(s.dst, snappyIdentifier)
	return err
}
