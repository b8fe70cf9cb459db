package streamed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// What nodes announced before they compacted is corrected by what a part of the ring has.
func TestAnnouncementIsCorrected(t *testing.T) {
	for _, c := range []struct {
		name                        string
		announced, before, received int64
		part                        float64
		want                        int64
	}{
		{name: "about right", announced: 1000, received: 260, part: 0.25, want: 1000},
		{name: "compacted meanwhile", announced: 2000, received: 250, part: 0.25, want: 1000},
		{name: "no node had reported", received: 250, part: 0.25, want: 1000},
		{name: "fetched again", announced: 1000, before: 500, received: 750, part: 0.25, want: 1500},
		{name: "all of an empty table", part: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := new(progress.Receipt)
			r.Announced.Store(c.announced)
			r.Received.Store(c.received)
			correct(r, c.before, c.part)
			require.Equal(t, c.want, r.Announced.Load())
		})
	}
}
