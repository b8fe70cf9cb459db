package sstables

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// Expiry is decided at one moment for all cells, whatever the clocks of the nodes were that wrote
// them. A cell from a node that was an hour ahead lives an hour longer. It keeps its later
// timestamp: other writes since do not undo it, also when it has expired.
func TestNodeWhoseClockIsAhead(t *testing.T) {
	const now, ahead, ttl = 1_700_000_000, 3600, 60
	s := numbered(t)
	written := func(value string, at int64) sstable.Row {
		return sstable.Row{
			Cells: []sstable.Cell{
				{
					Kind:      sstable.Expiring,
					TTL:       ttl,
					Timestamp: at * 1e6,
					Time:      at + ttl,
					Value:     []byte(value),
				},
			},
		}
	}
	plain := func(value string, at int64) sstable.Row {
		return sstable.Row{Cells: []sstable.Cell{{Timestamp: at * 1e6, Value: []byte(value)}}}
	}
	files := []File{
		sentRows(
			t,
			s,
			1,
			map[int64]sstable.Row{1: written("ahead", now+ahead), 3: written("ahead", now+ahead)},
		),
		sentRows(
			t,
			s,
			2,
			map[int64]sstable.Row{2: written("right", now), 3: plain("right", now+1)},
		),
	}
	// the seconds that are left of each row that is there
	for at, want := range map[int64]map[int64]int32{
		now:                   {1: ahead + ttl, 2: ttl, 3: ahead + ttl},
		now + ttl - 1:         {1: ahead + 1, 2: 1, 3: ahead + 1},
		now + ttl:             {1: ahead, 3: ahead},
		now + ahead + ttl - 1: {1: 1, 3: 1},
		now + ahead + ttl:     {},
	} {
		o := options(files...)
		o.Now = at
		o.Selection = append(
			o.Selection,
			reconcile.Selector{Kind: reconcile.Regular, Name: "v", What: reconcile.TTL},
		)
		o.Cells = len(o.Selection)
		left := make(map[int64]int32)
		for _, row := range readAll(t, New(o), whole) {
			k := int64(binary.BigEndian.Uint64(row[0]))
			left[k] = int32(binary.BigEndian.Uint32(row[2]))
			require.Equal(t, map[bool]string{true: "ahead", false: "right"}[k != 2], string(row[1]))
		}
		require.Equal(t, want, left, "at %d", at)
	}
}
