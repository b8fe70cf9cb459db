package stream

import (
	"context"
	"encoding/binary"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// appending makes rows of one clustering whose lists have one element, in the order of the input.
func appending(n int) (rows []*write.Row) {
	for i := range n {
		r := reading(&pieces{}, 1, 1, "", 1_600_000_000_000_000)
		r.Cells[4] = row.Cell{}
		r.Cells[3] = row.Cell{
			Bytes: binary.BigEndian.AppendUint32([]byte{0, 0, 0, 1, 0, 0, 0, 4}, uint32(i)),
			State: row.Set,
		}
		r.Place = 1_700_000_000_000_000 + int64(i)
		rows = append(rows, r)
	}
	return rows
}

// Elements that are appended with one timestamp are all there, in the order of the input, and once
// each, however often they are sent.
func TestAppendedListsOfOneTimestamp(t *testing.T) {
	const n = 2000
	var paths [2][]string
	for run := range paths {
		tg, _ := newTarget(t, func(o *Options) {
			o.Append, o.Single, o.Memory = true, true, 16<<10
			o.Timestamp = 1_600_000_000_000_000
			o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
				rowsOf(t, component.NB, f, func(r *sstable.Row) {
					for i, c := range r.Cells {
						require.EqualValues(t, i, binary.BigEndian.Uint32(c.Value))
						require.EqualValues(t, 1_600_000_000_000_000, c.Timestamp)
						paths[run] = append(paths[run], string(c.Path))
					}
				})
				return nil
			})
		})
		require.NoError(t, load(t, tg, appending(n)))
		require.Len(t, paths[run], n)
	}
	require.Equal(t, paths[0], paths[1])
}

// A row that was made of n rows is merged with another one of n, not with each few that come.
func TestMergerKeepsRowsOfDoubleSizes(t *testing.T) {
	tg, _ := newTarget(t, func(o *Options) { o.Append = true })
	defer func() { require.NoError(t, tg.batch.sorter.Close()) }()
	in, err := sstable.NewInserter(
		tg.codec,
		[]string{"k", "c", "l"},
		sstable.InsertOptions{AppendCollections: true},
	)
	require.NoError(t, err)
	m := newMerger(tg.codec)
	for round := range 2 { // the second time with the room of the first
		rows := appending(3000 + round)
		for i, r := range rows {
			_, made, err := in.Insert(sstable.Insert{Values: []sstable.Value{
				{
					Bytes: r.Cells[0].Bytes,
					State: sstable.Set,
				},
				{Bytes: r.Cells[1].Bytes, State: sstable.Set},
				{Bytes: r.Cells[3].Bytes, State: sstable.Set},
			}, Timestamp: r.Timestamp, Place: r.Place, Now: 1})
			require.NoError(t, err)
			encoded, err := tg.codec.AppendRow(nil, made)
			require.NoError(t, err)
			if i == 0 {
				require.NoError(t, m.begin(encoded))
			} else {
				require.NoError(t, m.add(encoded))
			}
			require.Less(t, len(m.ends), mergedAtOnce)
			require.Len(t, m.made, bits.OnesCount(uint((i+1)/mergedAtOnce)))
			for j := 1; j < len(m.made); j++ {
				require.GreaterOrEqual(t, m.made[j-1].of, 2*m.made[j].of)
			}
		}
		merged, err := m.merged()
		require.NoError(t, err)
		var out sstable.Row
		require.NoError(t, tg.codec.DecodeRow(merged, &out))
		require.Len(t, out.Cells, len(rows))
		for i, c := range out.Cells {
			require.EqualValues(t, i, binary.BigEndian.Uint32(c.Value))
		}
	}
}
