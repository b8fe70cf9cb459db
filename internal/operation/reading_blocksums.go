package operation

import (
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// blockSums sums up the blocks of a file that is not compressed, as they come, to compare them with
// CRC.db, which comes later. Nodes do not check the sums of what they send, so that a bit that
// changed on a node's disk would come as it is; another replica may have the right one.
type blockSums struct {
	file string
	from io.ReaderAt // the file, as it was kept here
	size int64

	sums []uint32 // of the blocks that are complete
	sum  uint32   // of the block at hand
	at   int      // how many bytes of that came
}

// Write takes bytes of the file.
func (b *blockSums) Write(p []byte) (int, error) {
	all := len(p)
	for len(p) > 0 {
		n := min(len(p), sstable.SumBlock-b.at)
		b.sum = crc32.Update(b.sum, crc32.IEEETable, p[:n])
		if b.at, p = b.at+n, p[n:]; b.at == sstable.SumBlock {
			b.end()
		}
	}
	return all, nil
}

// end completes a block.
func (b *blockSums) end() { b.sums, b.sum, b.at = append(b.sums, b.sum), 0, 0 }

// compare finds a block whose sum is another one than CRC.db has.
func (b *blockSums) compare(crc []byte) error {
	want, err := sstable.ParseBlockSums(crc)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", b.file, sstable.CRCDB, err)
	}
	if want.BlockLength != sstable.SumBlock {
		if err := b.again(want.BlockLength); err != nil {
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

// again sums up blocks of another length, of the file that was kept.
func (b *blockSums) again(length int) error {
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
