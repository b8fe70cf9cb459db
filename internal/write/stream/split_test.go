package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// If nodes make mutations of the rows of a partition, a hundred at a time, none is larger than they
// take. The rest of the partition is in other files.
func TestPartitionsAreSplitForMutations(t *testing.T) {
	const perPartition, limit = 250, 3000
	p := &pieces{}
	var rows []*write.Row
	for k := range int32(4) {
		for c := range int32(perPartition) {
			// The first have few bytes, so that a hundred of them are no more than one mutation.
			r := reading(p, k, c, strings.Repeat("v", int(c)), 1_700_000_000_000_000)
			r.Cells[2] = row.Cell{Bytes: []byte("static"), State: row.Set}
			rows = append(rows, r)
		}
	}
	var mu sync.Mutex
	files, most, partitions := 0, 0, 0
	seen := make(map[[2]int32]int)
	statics := 0
	tg, _ := newTarget(t, func(o *Options) {
		o.BatchBytes, o.Single, o.FileBytes = limit, true, 1<<20
		o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
			mu.Lock()
			defer mu.Unlock()
			files++
			codec, err := sstable.ReadCodec(f.Header, component.NB)
			require.NoError(t, err)
			d := sstable.NewDecoder(codec, io.LimitReader(f.Open(), f.Bytes), 1<<20)
			last := token.Murmur3.Min()
			for count, bytes := 0, 0; ; {
				item, err := d.Next()
				if errors.Is(err, io.EOF) {
					return nil
				}
				require.NoError(t, err)
				switch item {
				case sstable.PartitionStart:
					at := token.Murmur3.Hash(d.Key())
					require.True(t, last.Less(at), "a partition comes twice in a file")
					last, count, bytes = at, 0, 0
					partitions++
				case sstable.StaticRow:
					if !d.Row().Empty() {
						statics++
					}
				case sstable.RegularRow:
					if count == 100 {
						count, bytes = 0, 0
					}
					count++
					bytes += int(d.End() - d.Offset())
					most = max(most, bytes)
					seen[[2]int32{
						int32(binary.BigEndian.Uint32(d.Key())),
						int32(binary.BigEndian.Uint32(d.Row().Clustering[0])),
					}]++
				}
			}
		})
	})
	require.NoError(t, load(t, tg, rows))
	require.Len(t, seen, 4*perPartition)
	for place, times := range seen {
		require.Equal(t, 1, times, place)
	}
	require.Equal(t, 4, statics)
	require.Greater(t, partitions, 4)
	require.Greater(t, files, 3)
	require.EqualValues(t, 4, tg.Stats().Partitions)
	require.Greater(t, most, limit/2)
	require.Less(t, most, limit+100*8, "each row has its size as well")
}
