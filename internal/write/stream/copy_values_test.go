package stream

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// A range with a value that no server takes is not copied, and the value is named.
func TestACopyRefusesWhatNoServerTakes(t *testing.T) {
	c, to := newCopier(t, readings, nil)
	keys := ordered(50)
	ranges := parts(4)
	var failed []error
	err := c.Copy(
		t.Context(),
		ranges,
		2,
		opened(func(_ context.Context, r token.Range) (sstable.Source, func(), error) {
			return &within{Source: &generated{keys: keys, rows: 3, row: func(n int) *sstable.Row {
				row := plain(n)
				if n == 2 && r == ranges[1] {
					row.Clustering[0] = []byte{1}
				}
				return row
			}}, r: r}, func() {}, nil
		}),
		func(r CopiedRange) {
			if r.Err != nil {
				failed = append(failed, r.Err)
				require.Equal(t, ranges[1], r.Range)
			}
		},
	)
	require.NoError(t, err)
	require.Len(t, failed, 1)
	require.ErrorContains(t, failed[0], readings.String()+": partition 0x000000")
	require.ErrorContains(t, failed[0], "malformed int value: 1 bytes, where 0 or 4 bytes are due")
	require.ErrorContains(t, failed[0], "overwrite or delete it where it is cloned from")
	require.NotEmpty(t, to.nodes)
}
