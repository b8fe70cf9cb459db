package reconcile

import (
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// TestWhatIsMergedIsWhatWasDone distributes random operations over files, and compares their rows
// with those of a model that knows no files. It does so at several moments, in any order of the
// files, and after some of the files were merged.
func TestWhatIsMergedIsWhatWasDone(t *testing.T) {
	table := &Table{
		Schema: schemaOf(t, "k int", "c1 int; c2 int desc", modelStatics, modelRegulars),
	}
	selection := selectAll(table.Schema)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		var done model
		for range 1 + r.IntN(120) {
			done = append(done, randomOp(r))
		}
		files := done.files(t, r, table.Schema)
		for now := int64(second - 1); now < second+5; now += 1 + int64(r.IntN(2)) {
			require.Equal(
				t,
				done.rows(now),
				rowsOf(t, mergerOf(t, table, files...), selection, now),
				"seed %d, second %d",
				seed,
				now-second,
			)
		}
		all := texts(t, mergerOf(t, table, files...))
		requireWellFormed(t, mergerOf(t, table, files...))

		shuffled := append([]file(nil), files...)
		r.Shuffle(
			len(shuffled),
			func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] },
		)
		require.Equal(t, all, texts(t, mergerOf(t, table, shuffled...)), "seed %d", seed)

		cut := r.IntN(len(shuffled) + 1)
		some := write(t, mergerOf(t, table, shuffled[:cut]...), component.NB)
		rest := write(t, mergerOf(t, table, shuffled[cut:]...), component.OA)
		require.Equal(t, all, texts(t, mergerOf(t, table, some, rest)), "seed %d", seed)

		one := write(t, mergerOf(t, table, files...), component.NB)
		require.Equal(t, all, texts(t, one.input().Source), "seed %d", seed)
		require.Equal(t, all, texts(t, mergerOf(t, table, one)), "seed %d", seed)
		require.Equal(t, all, texts(t, mergerOf(t, table, one, one)), "seed %d", seed)
	}
}

// requireWellFormed checks that items ascend, that ranges end as they start, that none is empty and
// that no two alike are beside each other.
func requireWellFormed(t *testing.T, m *Merger) {
	t.Helper()
	var last place
	var open sstable.Deletion
	something := false
	for {
		item, err := m.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		switch item {
		case sstable.PartitionStart:
			last.set = false
			something = m.Deletion().Set
		case sstable.PartitionEnd:
			require.False(t, open.Set)
			require.True(t, something)
		case sstable.StaticRow:
			require.True(t, m.Row().Static)
			something = something || !m.Row().Empty()
		case sstable.RegularRow:
			require.False(t, m.Row().Empty())
			requireBehind(t, m.Schema(), &last, m.Row().Clustering, sstable.RowKind)
			something = true
		case sstable.RangeMarker:
			marker := m.Marker()
			require.Equal(t, marker.Kind.Ends(), open.Set)
			require.Equal(t, open, marker.Ended)
			require.Equal(t, marker.Kind.Starts(), marker.Started.Set)
			require.NotEqual(t, marker.Ended, marker.Started)
			requireBehind(t, m.Schema(), &last, marker.Values, marker.Kind)
			open, something = marker.Started, true
		}
	}
}

func requireBehind(
	t *testing.T,
	s *sstable.Schema,
	last *place,
	values [][]byte,
	kind sstable.BoundKind,
) {
	t.Helper()
	if last.set {
		require.Negative(t, s.ComparePrefixes(last.values, last.kind, values, kind))
	}
	last.keep(values, kind)
}
