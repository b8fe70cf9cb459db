package tablefile

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// dataWriter takes what Data.db has when it is not compressed, and writes it as it is stored.
type dataWriter struct {
	out      io.Writer
	compress component.Compressor // nil: not compressed
	info     component.CompressionInfo
	sums     component.BlockSums // of blocks that are not compressed
	block    []byte              // plain bytes of a chunk or a block that is not full yet
	stored   []byte              // of a chunk
	written  uint64              // bytes that are in out
	digest   uint32              // of them
}

// newDataWriter makes a writer to out of a file of a version that is compressed so.
func newDataWriter(
	out io.Writer,
	c component.Compression,
	v component.Version,
) (*dataWriter, error) {
	w := &dataWriter{out: out}
	size := component.SumBlock
	if c.Compressor == "" {
		w.sums.BlockLength = component.SumBlock
	} else {
		compress, err := component.NewCompressor(c)
		if err != nil {
			return nil, err
		}
		if !v.HasMaxCompressedLength() {
			c.MaxCompressedLength = component.NeverPlain
		}
		w.compress, w.info.Compression, size = compress, c, c.ChunkLength
	}
	w.block = make([]byte, 0, size)
	return w, nil
}

// Write takes plain bytes.
func (w *dataWriter) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		some := min(cap(w.block)-len(w.block), len(b))
		w.block = append(w.block, b[:some]...)
		b = b[some:]
		if len(w.block) == cap(w.block) {
			if err := w.flush(); err != nil {
				return n - len(b), err
			}
		}
	}
	return n, nil
}

// close writes what has not filled a chunk. A file of no bytes has no chunk, and none has an empty
// one at its end: the digest of ScyllaDB leaves that out.
func (w *dataWriter) close() error {
	if len(w.block) == 0 {
		return nil
	}
	return w.flush()
}

// flush writes a chunk or a block.
func (w *dataWriter) flush() error {
	defer func() { w.block = w.block[:0] }()
	if w.compress == nil {
		w.sums.Sums = append(w.sums.Sums, crc32.ChecksumIEEE(w.block))
		return w.store(w.block)
	}
	stored, err := w.compress(w.stored[:0], w.block)
	if err != nil {
		return err
	}
	if len(stored) >= w.info.MaxCompressedLength {
		stored = append(stored[:0], w.block...)
		for len(stored) < w.info.MaxCompressedLength {
			stored = append(stored, 0)
		}
	}
	w.info.Offsets = append(w.info.Offsets, w.written)
	w.info.DataLength += uint64(len(w.block))
	w.stored = binary.BigEndian.AppendUint32(stored, crc32.ChecksumIEEE(stored))
	return w.store(w.stored)
}

func (w *dataWriter) store(b []byte) error {
	n, err := w.out.Write(b)
	w.written += uint64(n)
	w.digest = crc32.Update(w.digest, crc32.IEEETable, b[:n])
	return err
}

// ratio is the compression ratio as STATS has it.
func (w *dataWriter) ratio() float64 {
	if w.compress == nil {
		return component.NotCompressed
	}
	return w.info.Ratio(w.written)
}
