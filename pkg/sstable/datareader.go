package sstable

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// dataReader reads a Data.db from its begin to its end and gives its plain bytes. Each chunk or block is held against its
// checksum before a byte of it is given.
type dataReader struct {
	in     io.Reader
	size   uint64           // bytes of the file
	info   *CompressionInfo // nil: not compressed
	sums   *BlockSums       // of a file that is not compressed, or nil
	undo   decompressor
	read   uint64 // bytes of the file that were read
	chunks int    // that were read
	digest uint32 // of the bytes that were read
	stored []byte
	plain  []byte
	rest   []byte // of plain, that was not given
}

// newDataReader makes a reader of a file of that many bytes. info is nil when it is not compressed; sums may be nil.
func newDataReader(in io.Reader, size int64, info *CompressionInfo, sums *BlockSums) (*dataReader, error) {
	r := &dataReader{in: in, size: uint64(size), info: info, sums: sums}
	if info == nil {
		blocks := uint64(0)
		if sums != nil {
			blocks = (r.size + uint64(sums.BlockLength) - 1) / uint64(sums.BlockLength)
		}
		// Cassandra writes the sum of an empty block where the data ends with a full one.
		if sums != nil && uint64(len(sums.Sums)) != blocks && uint64(len(sums.Sums)) != blocks+1 {
			return nil, fmt.Errorf("%s: %d checksums for %d blocks", CRCDB, len(sums.Sums), blocks)
		}
		return r, nil
	}
	undo, err := newDecompressor(info.Compressor)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", DataDB, err)
	}
	r.undo = undo
	return r, nil
}

// length is how many plain bytes there are.
func (r *dataReader) length() uint64 {
	if r.info == nil {
		return r.size
	}
	return r.info.DataLength
}

// Read gives plain bytes.
func (r *dataReader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// next reads the next chunk or block; after the last it is io.EOF.
func (r *dataReader) next() error {
	var err error
	if r.info == nil {
		err = r.nextBlock()
	} else {
		err = r.nextChunk()
	}
	if err != nil && err != io.EOF {
		what := "block"
		if r.info != nil {
			what = "chunk"
		}
		err = fmt.Errorf("%s: %s %d at %d: %w", DataDB, what, r.chunks, r.read, err)
	}
	r.chunks++
	return err
}

func (r *dataReader) nextBlock() error {
	length := uint64(sumBlock)
	if r.sums != nil {
		length = uint64(r.sums.BlockLength)
	}
	if r.read == r.size {
		return io.EOF
	}
	if err := r.load(min(length, r.size-r.read)); err != nil {
		return err
	}
	if r.sums != nil && crc32.ChecksumIEEE(r.stored) != r.sums.Sums[r.chunks] {
		return errSum
	}
	r.rest = r.stored
	return nil
}

func (r *dataReader) nextChunk() error {
	if r.chunks >= len(r.info.Offsets) {
		return io.EOF
	}
	from, to := r.info.Offsets[r.chunks], r.size
	if r.chunks+1 < len(r.info.Offsets) {
		to = r.info.Offsets[r.chunks+1]
	}
	if to > r.size || to < from+sumLen {
		return fmt.Errorf("is from %d to %d of %d bytes", from, to, r.size)
	}
	if limit := uint64(r.info.ChunkLength)*2 + 1<<16; to-from > limit {
		return fmt.Errorf("is of %d bytes, and %d of it are no more than %d", to-from, r.info.ChunkLength, limit)
	}
	if err := r.load(to - from); err != nil {
		return err
	}
	stored, sum := r.stored[:to-from-sumLen], r.stored[to-from-sumLen:]
	if crc32.ChecksumIEEE(stored) != binary.BigEndian.Uint32(sum) {
		return errSum
	}
	begin := uint64(r.chunks) * uint64(r.info.ChunkLength)
	length := min(r.info.DataLength-min(begin, r.info.DataLength), uint64(r.info.ChunkLength))
	if length == 0 {
		return nil // the empty chunk at the end
	}
	if len(stored) >= r.info.MaxCompressedLength {
		if uint64(len(stored)) < length {
			return errChunkLength
		}
		r.rest = stored[:length]
		return nil
	}
	r.plain, _ = grow(r.plain[:0], int(length))
	if err := r.undo(r.plain, stored); err != nil {
		return err
	}
	r.rest = r.plain
	return nil
}

// load reads n bytes of the file.
func (r *dataReader) load(n uint64) error {
	r.stored, _ = grow(r.stored[:0], int(n))
	got, err := io.ReadFull(r.in, r.stored)
	r.read += uint64(got)
	r.digest = crc32.Update(r.digest, crc32.IEEETable, r.stored[:got])
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// finish reads what is left, and fails when the file goes on behind its last chunk, or has another digest.
func (r *dataReader) finish(digest uint32) error {
	for {
		if err := r.next(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	if _, err := io.ReadFull(r.in, make([]byte, 1)); err == nil {
		return fmt.Errorf("%s: has more than %d bytes", DataDB, r.size)
	} else if err != io.EOF {
		return fmt.Errorf("%s: %w", DataDB, err)
	}
	if digest != r.digest {
		return fmt.Errorf("%s: digest is %d, and %s says %d", DataDB, r.digest, DigestCRC32, digest)
	}
	return nil
}
