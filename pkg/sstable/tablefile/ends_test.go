package tablefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// parts are as many equal parts of the ring.
func parts(bits uint) (all []token.Range) {
	from := token.Murmur3.Min()
	for i := uint64(1); i < 1<<bits; i++ {
		to := token.Token{Lo: i << (64 - bits)}
		all, from = append(all, token.Range{Start: from, End: to}), to
	}
	return append(all, token.Range{Start: from, End: token.Murmur3.Max()})
}

// TestDamageAtTheEnds changes a bit at an end of Data.db or of an index, or in Statistics.db. The
// ranges beside it must stay readable, and no range may be read wrong.
func TestDamageAtTheEnds(t *testing.T) {
	const bits, every = 5, 32
	for _, c := range []struct {
		file   string
		broken component.Kind
		at     int // from the end where it is below 0
		failed int // ranges at most; nb_none is one block, nb_zstd three chunks
	}{
		{"nb_lz4", component.DataDB, 5, 2},
		{"nb_lz4", component.DataDB, -10, 2},
		{"nb_lz4", component.IndexDB, 3, 2},
		{"nb_lz4", component.IndexDB, -3, 2},
		{"nb_none", component.DataDB, 5, every},
		{"nb_none", component.DataDB, -10, every},
		{"nb_zstd", component.DataDB, 5, 18},
		{"nb_zstd", component.IndexDB, -20, 2},
		{"da_lz4", component.DataDB, 5, every},
		{"da_lz4", component.DataDB, -10, every},
		{"nb_lz4", component.StatisticsDB, 300, every},
		{"da_none", component.StatisticsDB, 300, every},
		{"nb_none", component.CRCDB, 0, every},
	} {
		folder := filepath.Join("..", "testdata", "golden", "files", c.file)
		all, err := partitionsOf(opened(t, folder).Decoder())
		require.NoError(t, err)
		broken := copied(t, folder)
		d, _, err := component.ParseName(
			c.file[:2] + "-1-" + map[string]string{
				"nb": "big",
				"da": "bti",
			}[c.file[:2]] + "-" + string(
				component.DataDB,
			),
		)
		require.NoError(t, err)
		name := filepath.Join(broken, d.Name(c.broken))
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		at := c.at
		if at < 0 {
			at += len(b)
		}
		b[at] ^= 0x10
		require.NoError(t, os.WriteFile(name, b, 0o600))

		r, err := openIn(broken)
		if damage := (*DamagedError)(nil); errors.As(err, &damage) {
			r, err = OpenDamaged(Folder(broken, d), token.Murmur3, damage)
		}
		require.NoError(t, err)
		failed := 0
		for i, within := range parts(bits) {
			ranges := []token.Range{within}
			want := inRanges(all, ranges)
			if !r.Overlaps(ranges) {
				require.Empty(t, want, "%v: range %d", c, i)
				continue
			}
			decoder, err := r.Within(ranges)
			if err == nil {
				var got []readPartition
				if got, err = partitionsOf(decoder); err == nil {
					require.Equal(t, want, got, "%v: range %d", c, i)
				}
			}
			if err != nil {
				failed++
			}
		}
		require.NoError(t, r.Close())
		require.Positive(t, failed, "%v", c)
		require.LessOrEqual(t, failed, c.failed, "%v", c)
	}
}
