package sink

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a journal has of each mark does not grow with the files that are finished.
func TestMarkSince(t *testing.T) {
	o, err := Open(Options{Path: t.TempDir(), Dir: true, Base: "b", MaxRows: 1})
	require.NoError(t, err)
	w, idle := o.Writer(), o.Writer()
	require.NoError(t, idle.Write(1, text(0, 1)))
	var last *Mark
	sizes := map[int]int{}
	for i := range 200 {
		require.NoError(t, w.Write(1, text(1000+i, 1)))
		m, err := o.Mark()
		require.NoError(t, err)
		news, err := json.Marshal(m.Since(last))
		require.NoError(t, err)
		sizes[i] = len(news)
		last = m
	}
	require.InDelta(t, sizes[2], sizes[199], 30, "%s", fmt.Sprint(sizes))
	require.Empty(t, last.Since(last).Series)
	require.NoError(t, o.Abort())
}

func TestExtendRefuses(t *testing.T) {
	m := Mark{Series: []SeriesMark{{Worker: 1, Done: []FileMark{{Number: 1}}}}}
	for _, number := range []int{0, 1, 3} {
		err := m.Extend(
			&Mark{Series: []SeriesMark{{Worker: 1, Done: []FileMark{{Number: number}}}}},
		)
		require.EqualError(
			t,
			err,
			fmt.Sprintf("the journal has file %d of worker 1 where 2 would come", number),
		)
	}
}
