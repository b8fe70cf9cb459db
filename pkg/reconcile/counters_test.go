package reconcile

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// context makes a counter's value of global shards: id, clock, count.
func context(shards ...[3]int) []byte {
	out := binary.BigEndian.AppendUint16(nil, uint16(len(shards)))
	for i := range shards {
		out = binary.BigEndian.AppendUint16(out, 0x8000|uint16(i))
	}
	for _, s := range shards {
		out = append(append(out, make([]byte, 15)...), byte(s[0]))
		out = binary.BigEndian.AppendUint64(
			binary.BigEndian.AppendUint64(out, uint64(s[1])),
			uint64(s[2]),
		)
	}
	return out
}

func counterTable(t testing.TB) *Table {
	return &Table{Schema: schemaOf(t, "k int", "c int", "", "n counter")}
}

// counted are the values of n.
func counted(t testing.TB, table *Table, files ...file) []string {
	t.Helper()
	return rowsOf(t, mergerOf(t, table, files...), []Selector{{Kind: Regular, Name: "n"}}, second)
}

// TestCountersAreMerged by shards: of each node the one with the greater clock, and their sum
// (CounterContext.merge, total).
func TestCountersAreMerged(t *testing.T) {
	table := counterTable(t)
	a := of(
		t,
		table,
		sstable.Deletion{},
		row(1, sstable.Liveness{}, cellAt(0, 5, context([3]int{1, 2, 10}, [3]int{3, 1, 100}))),
	)
	b := of(
		t,
		table,
		sstable.Deletion{},
		row(1, sstable.Liveness{}, cellAt(0, 4, context([3]int{1, 3, 7}, [3]int{2, 1, -1000}))),
	)
	c := of(
		t,
		table,
		sstable.Deletion{},
		row(1, sstable.Liveness{}, cellAt(0, 3, context([3]int{1, 3, 8}))),
	)
	require.Equal(t, []string{"000000000000006e."}, counted(t, table, a))
	merged := write(t, mergerOf(t, table, b, c), component.NB)
	for _, files := range [][]file{{a, b, c}, {c, b, a}, {b, a, c}, {merged, a}} {
		require.Equal(t, []string{"fffffffffffffc84."}, counted(t, table, files...))
	}
	require.Equal(t, []string{
		"partition 00000001 {false 0 0}",
		rowText(
			row(
				1,
				sstable.Liveness{},
				cellAt(0, 5, context([3]int{1, 3, 8}, [3]int{2, 1, -1000}, [3]int{3, 1, 100})),
			),
		),
		"end",
	}, texts(t, mergerOf(t, table, a, b, c)))
}

// TestTombstoneOfACounterStays, whenever it was written (Cells.resolveCounter, CASSANDRA-7346),
// unless it is deleted itself.
func TestTombstoneOfACounterStays(t *testing.T) {
	table := counterTable(t)
	none := sstable.Deletion{}
	live := of(t, table, none, row(1, sstable.Liveness{}, cellAt(0, 9, context([3]int{1, 1, 1}))))
	dead := of(t, table, none, row(1, sstable.Liveness{}, cellAt(0, 3, nil)))
	later := of(t, table, none, row(1, sstable.Liveness{}, cellAt(0, 4, nil)))
	require.Empty(t, counted(t, table, live, dead))
	require.Empty(t, counted(t, table, dead, live))
	for _, files := range [][]file{{live, dead, later}, {later, dead, live}} {
		require.Equal(
			t,
			rowText(row(1, sstable.Liveness{}, cellAt(0, 4, nil))),
			texts(t, mergerOf(t, table, files...))[1],
		)
	}
	deleted := of(
		t,
		table,
		none,
		&sstable.Row{Clustering: [][]byte{num(1)}, Deletion: deletedAt(5)},
	)
	orders := [][]file{{live, dead, deleted}, {deleted, dead, live}, {dead, live, deleted}}
	for _, files := range orders {
		require.Equal(t, []string{"0000000000000001."}, counted(t, table, files...))
	}
}

// TestCountersThatAreRefused have shards whose counts are those of one node, or no shards.
func TestCountersThatAreRefused(t *testing.T) {
	table := counterTable(t)
	local := context([3]int{1, 1, 1})
	local[2] = 0
	remote := append([]byte{0, 0}, context([3]int{1, 1, 1})[4:]...)
	twice := context([3]int{1, 1, 1}, [3]int{1, 1, 1})
	elsewhere := context([3]int{1, 1, 1})
	elsewhere[3] = 1
	for want, list := range map[string][][]byte{
		"local or remote shards": {local, remote},
		"not that of a counter":  {{}, {0}, {0, 1}, {0xff, 0xff}, twice, elsewhere, context([3]int{1, 1, 1})[:20]},
	} {
		for _, value := range list {
			m := mergerOf(
				t,
				table,
				of(t, table, sstable.Deletion{}, row(1, sstable.Liveness{}, cellAt(0, 1, value))),
			)
			_, err := m.Next()
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, `file 0: column "n": `)
			_, again := m.Next()
			require.Equal(t, err, again)
		}
	}
}
