package streamed

import (
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// blockSums computes the checksums of a file's blocks as they come. The file is not compressed. Its
// CRC.db, which has the expected checksums, comes later. Nodes send blocks without checking them. A
// bit that flipped on a node's disk would be read as data, while another replica may have the right
// one.
type blockSums struct {
	file string
	from io.ReaderAt // the received file
	size int64

	sums []uint32 // of complete blocks
	sum  uint32   // of the current block
	at   int      // bytes received of the current block
}

// Write takes bytes of the file.
func (b *blockSums) Write(p []byte) (int, error) {
	all := len(p)
	for len(p) > 0 {
		n := min(len(p), component.SumBlock-b.at)
		b.sum = crc32.Update(b.sum, crc32.IEEETable, p[:n])
		if b.at, p = b.at+n, p[n:]; b.at == component.SumBlock {
			b.end()
		}
	}
	return all, nil
}

// end completes a block.
func (b *blockSums) end() { b.sums, b.sum, b.at = append(b.sums, b.sum), 0, 0 }

// compare returns an error for the first block whose checksum differs from the one in CRC.db.
func (b *blockSums) compare(crc []byte) error {
	want, err := component.ParseBlockSums(crc)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", b.file, component.CRCDB, err)
	}
	if want.BlockLength != component.SumBlock {
		if err := b.recompute(want.BlockLength); err != nil {
			return err
		}
	} else if b.at > 0 {
		b.end()
	}
	if err := want.Fit(len(b.sums)); err != nil {
		return fmt.Errorf("%s: %w", b.file, err)
	}
	for i, sum := range b.sums {
		if sum != want.Sums[i] {
			return fmt.Errorf(
				"%s: the block at byte %d of the file on the node is broken: its checksum is another one",
				b.file,
				int64(i)*int64(want.BlockLength),
			)
		}
	}
	return nil
}

// recompute computes the checksums from the file on the disk, for blocks of another length.
func (b *blockSums) recompute(length int) error {
	b.sums = b.sums[:0]
	block := make([]byte, length)
	for at := int64(0); at < b.size; at += int64(length) {
		some := block[:min(int64(length), b.size-at)]
		if _, err := b.from.ReadAt(some, at); err != nil {
			return fmt.Errorf("%s: %w", b.file, err)
		}
		b.sums = append(b.sums, crc32.ChecksumIEEE(some))
	}
	return nil
}
