package reconcile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// TestStrictLiveness reads rows of a view as BTreeRow.purge leaves them. With strict liveness, a
// row whose liveness has ended is gone, whatever cells it has. A row without liveness is there only
// as long as nothing of it is deleted.
func TestStrictLiveness(t *testing.T) {
	over := sstable.Liveness{Set: true, Timestamp: stamp + 3, TTL: expiredTTL, Expiry: second - 9}
	expired := sstable.Liveness{Set: true, Timestamp: stamp + 3, TTL: 10, Expiry: second}
	expires := sstable.Liveness{Set: true, Timestamp: stamp + 3, TTL: 10, Expiry: second + 1}
	value, none := cellAt(0, 5, num(7)), sstable.Liveness{}
	expiring := sstable.Cell{
		Kind:      sstable.Expiring,
		Timestamp: stamp + 5,
		TTL:       10,
		Time:      second + 1,
		Value:     num(7),
	}
	gone := sstable.Cell{
		Kind:      sstable.Expiring,
		Column:    2,
		Timestamp: stamp + 5,
		TTL:       10,
		Time:      second,
		Path:      []byte{0, 0},
		Value:     num(7),
	}
	removed := cellAt(2, 5, nil)
	removed.Path = []byte{0, 0}
	deleted := row(1, none, value)
	deleted.Deletion = deletedAt(4)
	emptied := row(1, none, value)
	emptied.Deletions = []sstable.ColumnDeletion{{Column: 1, Deletion: deletedAt(4)}}
	for name, tc := range map[string]struct {
		rows []*sstable.Row // of as many files
		// whether it is a row of a table, and of a view with strict liveness
		table, views bool
	}{
		"written":                      {[]*sstable.Row{row(1, writtenAt(3), value)}, true, true},
		"liveness alone":               {[]*sstable.Row{row(1, writtenAt(3))}, true, true},
		"liveness expires":             {[]*sstable.Row{row(1, expires, value)}, true, true},
		"liveness expired":             {[]*sstable.Row{row(1, expired, value)}, true, false},
		"liveness over":                {[]*sstable.Row{row(1, over, value)}, true, false},
		"over, of two files":           {[]*sstable.Row{row(1, writtenAt(3), value), row(1, over)}, true, false},
		"written again later":          {[]*sstable.Row{row(1, over, value), row(1, writtenAt(4))}, true, true},
		"written at the same time":     {[]*sstable.Row{row(1, writtenAt(3), value), row(1, over)}, true, false},
		"no liveness":                  {[]*sstable.Row{row(1, none, value)}, true, true},
		"no liveness, cell expires":    {[]*sstable.Row{row(1, none, expiring)}, true, true},
		"no liveness, a cell expired":  {[]*sstable.Row{row(1, none, value, gone)}, true, false},
		"no liveness, a cell deleted":  {[]*sstable.Row{row(1, none, value), row(1, none, removed)}, true, false},
		"no liveness, row was deleted": {[]*sstable.Row{deleted}, true, false},
		"no liveness, map was emptied": {[]*sstable.Row{emptied}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				table := small(t)
				table.StrictLiveness = strict
				var files []file
				for _, r := range tc.rows {
					files = append(files, of(t, table, sstable.Deletion{}, r))
				}
				want := tc.table
				if strict {
					want = tc.views
				}
				require.Equal(
					t,
					want,
					len(shown(t, table, second, files...)) == 1,
					"strict: %v",
					strict,
				)
			}
		})
	}
}
