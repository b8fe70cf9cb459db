package source

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// maxZstdWindow is what the zstd tool accepts by default.
const maxZstdWindow = 128 << 20

// snappyBlock is the most text that a chunk of the Snappy framing format holds.
const snappyBlock = 64 << 10

// format is a kind of compression.
type format struct {
	name string
	// open makes the decompressor, and may read from in. release frees what it holds.
	open func(in *bufio.Reader) (text io.Reader, release func(), err error)
}

var (
	gzipFormat   = format{"gzip", openGzip}
	zstdFormat   = format{"zstd", openZstd}
	lz4Format    = format{"lz4", openLZ4}
	snappyFormat = format{"snappy", openSnappy}
	bzip2Format  = format{"bzip2", openBzip2}
	xzFormat     = format{"xz", openXZ}
)

func nothing() {}

// openZstd decompresses in the calling goroutine only: reading ahead has a goroutine already.
func openZstd(in *bufio.Reader) (io.Reader, func(), error) {
	d, err := zstd.NewReader(
		in,
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxZstdWindow),
	)
	if err != nil {
		return nil, nil, err
	}
	return d, d.Close, nil
}

func openLZ4(in *bufio.Reader) (io.Reader, func(), error) {
	return lz4.NewReader(in), nothing, nil
}

func openSnappy(in *bufio.Reader) (io.Reader, func(), error) {
	return s2.NewReader(in, s2.ReaderMaxBlockSize(snappyBlock)), nothing, nil
}

func openBzip2(in *bufio.Reader) (io.Reader, func(), error) {
	return bzip2.NewReader(in), nothing, nil
}

func openGzip(in *bufio.Reader) (io.Reader, func(), error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, nil, err
	}
	z.Multistream(false)
	return &gzipMembers{in: in, z: z}, nothing, nil
}

// gzipMembers reads one member after another. After the last one, zeros may fill up the last block
// of a tape.
type gzipMembers struct {
	in      *bufio.Reader
	z       *gzip.Reader
	between bool // the present member has ended
}

var errAfterPadding = errors.New("data after the zeros that follow the last member")

// Read returns the end of a member before it waits for the next one, which may come much later.
func (g *gzipMembers) Read(p []byte) (int, error) {
	for {
		if g.between {
			if err := g.next(); err != nil {
				return 0, err
			}
		}
		n, err := g.z.Read(p)
		if !isEnd(err) {
			return n, err
		}
		g.between = true
		if n > 0 {
			return n, nil
		}
	}
}

// next begins the next member. io.EOF: there is none.
func (g *gzipMembers) next() error {
	head, err := g.in.Peek(1)
	if err != nil {
		return err
	}
	if head[0] == 0 {
		return g.padding()
	}
	if err := g.z.Reset(g.in); err != nil {
		return notTheEnd(err)
	}
	g.z.Multistream(false)
	g.between = false
	return nil
}

func (g *gzipMembers) padding() error {
	for {
		b, err := g.in.ReadByte()
		if err != nil {
			return err
		}
		if b != 0 {
			return errAfterPadding
		}
	}
}
