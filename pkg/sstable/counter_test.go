package sstable

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// counterContext makes a context of global shards: id, clock, count.
func counterContext(shards ...[3]int64) []byte {
	out := binary.BigEndian.AppendUint16(nil, uint16(len(shards)))
	for i := range shards {
		out = binary.BigEndian.AppendUint16(out, globalShard|uint16(i))
	}
	for _, s := range shards {
		out = append(append(out, make([]byte, counterID-1)...), byte(s[0]))
		out = binary.BigEndian.AppendUint64(
			binary.BigEndian.AppendUint64(out, uint64(s[1])),
			uint64(s[2]),
		)
	}
	return out
}

// TestCountersOfAServer are those that Cassandra wrote.
func TestCountersOfAServer(t *testing.T) {
	for _, name := range []string{"counters", "oa/counters"} {
		_, row := goldenRow(t, name, 1, 1)
		require.Len(t, row.Cells, 2) // m, n
		for i, want := range []int64{1, -7} {
			require.NoError(t, CheckCounter(row.Cells[i].Value))
			require.Equal(t, want, CounterValue(row.Cells[i].Value))
		}
	}
}

func TestMergeOfCounters(t *testing.T) {
	c := mustCodec(t, &Table{
		Key: []Column{
			column(t, "k", "int"),
		},
		Clustering: []Column{column(t, "c", "int")},
		Regulars:   []Column{column(t, "n", "counter")},
	}, component.NB, Minima{Timestamp: 0, Time: EpochTime})
	row := func(timestamp int64, shards ...[3]int64) *Row {
		return cellRow(Cell{Timestamp: timestamp, Value: counterContext(shards...)})
	}
	tombstone := func(timestamp int64) *Row {
		return cellRow(Cell{Kind: Tombstone, Timestamp: timestamp, Time: EpochTime})
	}

	// The greater clock of each ID, or the greater count, whatever the timestamps say.
	got := merged(
		t,
		c,
		Deletion{},
		row(2, [3]int64{1, 1, 10}, [3]int64{2, 1, 20}),
		row(1, [3]int64{1, 2, -1}, [3]int64{2, 1, 21}, [3]int64{3, 1, 5}),
	)
	require.Equal(
		t,
		row(2, [3]int64{1, 2, -1}, [3]int64{2, 1, 21}, [3]int64{3, 1, 5}).Cells,
		got.Cells,
	)

	require.Equal(
		t,
		Tombstone,
		merged(t, c, Deletion{}, row(9, [3]int64{1, 1, 1}), tombstone(1)).Cells[0].Kind,
	)
	require.EqualValues(
		t,
		2,
		merged(t, c, Deletion{}, tombstone(2), tombstone(1)).Cells[0].Timestamp,
	)
	require.Equal(
		t,
		row(9, [3]int64{1, 1, 1}).Cells,
		merged(
			t,
			c,
			Deletion{Set: true, Timestamp: 5},
			row(9, [3]int64{1, 1, 1}),
			tombstone(1),
		).Cells,
	)
	require.Empty(
		t,
		merged(
			t,
			c,
			Deletion{Set: true, Timestamp: 9},
			row(9, [3]int64{1, 1, 1}),
			row(1, [3]int64{1, 1, 1}),
		).Cells,
	)

	// What is no context is the value of whichever cell is later.
	broken := cellRow(Cell{Timestamp: 3, Value: []byte{0xff, 0xff, 1}})
	require.Equal(
		t,
		broken.Cells,
		merged(t, c, Deletion{}, broken, row(2, [3]int64{1, 1, 1})).Cells,
	)
}

func TestBytesThatAreNoCounter(t *testing.T) {
	whole := counterContext([3]int64{1, 1, 1}, [3]int64{2, 1, 1})
	require.NoError(t, CheckCounter(whole))
	require.NoError(t, CheckCounter(counterContext()))
	for n := range whole {
		require.Error(t, CheckCounter(whole[:n]))
		CounterValue(whole[:n])
	}
	local := counterContext([3]int64{1, 1, 1})
	local[2] = 0
	require.ErrorIs(t, CheckCounter(local), errLocalShards)
	remote := append([]byte{0, 0}, local[4:]...)
	require.ErrorIs(t, CheckCounter(remote), errLocalShards)
	require.ErrorIs(
		t,
		CheckCounter(counterContext([3]int64{2, 1, 1}, [3]int64{1, 1, 1})),
		errCounter,
	)
}
