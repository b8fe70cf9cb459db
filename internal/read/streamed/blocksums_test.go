package streamed

import (
	"bytes"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Blocks of any length are compared, however their bytes come, and one bit that is another is
// found.
func TestBlockSums(t *testing.T) {
	data := make([]byte, 5*component.SumBlock/2)
	for i := range data {
		data[i] = byte(i * i >> 8)
	}
	for _, length := range []int{component.SumBlock, 1000, len(data), 2 * len(data)} {
		crc := component.BlockSums{BlockLength: length}
		for at := 0; at < len(data); at += length {
			crc.Sums = append(crc.Sums, crc32.ChecksumIEEE(data[at:min(at+length, len(data))]))
		}
		for _, flip := range []int{-1, 0, component.SumBlock, len(data) - 1} {
			for _, step := range []int{7001, component.SumBlock, len(data)} {
				came := bytes.Clone(data)
				if flip >= 0 {
					came[flip] ^= 4
				}
				b := &blockSums{
					file: "node/nb-1-big-Data.db",
					from: bytes.NewReader(came),
					size: int64(len(came)),
				}
				for at := 0; at < len(came); at += step {
					_, err := b.Write(came[at:min(at+step, len(came))])
					require.NoError(t, err)
				}
				err := b.compare(crc.Append(nil))
				if flip < 0 {
					require.NoError(t, err)
					continue
				}
				require.ErrorContains(t, err, "node/nb-1-big-Data.db: the block at byte ")
			}
		}
	}
	// A node that compacts adds the checksum of an empty block.
	b := &blockSums{file: "f"}
	_, err := b.Write(data)
	require.NoError(t, err)
	crc := component.BlockSums{BlockLength: component.SumBlock, Sums: []uint32{
		crc32.ChecksumIEEE(
			data[:component.SumBlock],
		),
		crc32.ChecksumIEEE(data[component.SumBlock : 2*component.SumBlock]),
		crc32.ChecksumIEEE(data[2*component.SumBlock:]),
		0,
	}}
	require.NoError(t, b.compare(crc.Append(nil)))
	b = &blockSums{file: "f"}
	crc.Sums = []uint32{1}
	require.EqualError(t, b.compare(crc.Append(nil)), "f: CRC.db: 1 checksums for 0 blocks")
}
