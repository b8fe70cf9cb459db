package printer

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// A streaming run shows what moves, and no speed of what does not.
func TestStages(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name, want string
		r          progress.Reading
	}{
		{"reading", "load ks.t: 0.0%, 0 rows, reading 45.0%, 1,300,000 rows, 250,000 rows/s, 12s to read", progress.Reading{
			Share: new(float64), RowsPerSecond: 250_000, Ready: 1_300_000,
			Stage: &progress.Staged{Name: "reading", Share: shareOf(0.45), Done: 1_300_000, PerSecond: 250_000, Left: 12},
		}},
		{"reading a pipe", "load ks.t: 0 rows, reading 1,300,000 rows, 250,000 rows/s", progress.Reading{
			RowsPerSecond: 250_000, Ready: 1_300_000, Stage: &progress.Staged{Name: "reading", Done: 1_300_000, PerSecond: 250_000},
		}},
		{"sorting", "load ks.t: 0.0%, 0 rows, sorting 68.9%, 12.0 MiB/s", progress.Reading{
			Share: new(float64), Stage: &progress.Staged{Name: "sorting", Share: shareOf(0.689), Done: 689, Total: 1000, PerSecond: 12 * mib},
		}},
		{"sorting what came by a pipe", "load ks.t: 0 rows, sorting 12.0 MiB of 24.0 MiB, 1.0 MiB/s", progress.Reading{
			Stage: &progress.Staged{Name: "sorting", Done: 12 * mib, Total: 24 * mib, PerSecond: mib},
		}},
		{"making", "clone ks.t: 0.0%, 0 rows, making SSTables 68.9%, -", progress.Reading{
			Share: new(float64), Run: "clone ks.t", Stage: &progress.Staged{Name: "making", Share: shareOf(0.689), Done: 689, Total: 1000},
		}},
		{"sending", "load ks.t: 16.0%, 0 rows, sending 156.0 MiB of 973.0 MiB, 98.0 MiB/s, 9s left", progress.Reading{
			Share: shareOf(0.16), Left: 9, Stage: &progress.Staged{Name: "sending", Share: shareOf(0.16), Done: 156 * mib, Total: 973 * mib, PerSecond: 98 * mib},
		}},
		{"receiving", "scan ks.t: 0 rows, received 412.0 MiB of 958.0 MiB, 24.0 MiB/s, 0 rows/s, limited by the nodes: 24.0 MiB/s each (nodetool setstreamthroughput)",
			progress.Reading{Run: "scan ks.t", Receiving: &progress.Receiving{Received: 412 * mib, Announced: 958 * mib, PerSecond: 24 * mib, NodeLimit: 24 * mib}}},
		{"receiving, without an announcement", "load ks.t: 0 rows, received 5.0 MiB, 1.0 MiB/s, 0 rows/s",
			progress.Reading{Receiving: &progress.Receiving{Received: 5 * mib, PerSecond: mib}}},
		{"all is received", "load ks.t: 0 rows, received 5.0 MiB of 5.0 MiB, -, 0 rows/s",
			progress.Reading{
				Receiving: &progress.Receiving{Received: 5 * mib, Announced: 5 * mib, All: true},
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.r.Run = cmp.Or(c.r.Run, "load ks.t")
			require.Equal(t, c.want, Text(c.r))
		})
	}
}

func shareOf(share float64) *float64 { return &share }

// The bar has what is done, and lighter what the present stage has done.
func TestBarOfAStage(t *testing.T) {
	require.Equal(t, "[==>-----  ]", barOf(0.3, 0.8, 12))
	require.Equal(t, "[--        ]", barOf(0, 0.2, 12))
	require.Equal(t, "[==========]", barOf(1, 1, 12))
}

// What stands behind a stage stays in place when another stage begins.
func TestColumnsStayWhileStagesChange(t *testing.T) {
	load := func(s progress.Staged) progress.Reading {
		s.Share = shareOf(0.5)
		return progress.Reading{
			Run:   "load ks.t",
			Share: shareOf(0.25),
			Rows:  1_234_567,
			Left:  12,
			Stage: &s,
		}
	}
	for _, columns := range []int{80, 120} {
		var places []int
		for _, s := range []progress.Staged{
			{Name: "reading", Done: 5, PerSecond: 5}, {Name: "reading", Done: 1_300_000_000, PerSecond: 2_500_000}, {Name: "sorting", Done: 5, Total: 10},
			{Name: "sending", Done: 156 << 20, Total: 973 << 20, PerSecond: 98 << 20}, {Name: "sending", Done: 5, Total: 5, Waiting: true},
		} {
			line := fit([]progress.Reading{load(s)}, columns)
			require.Contains(t, line, "12s left", line)
			places = append(places, strings.Index(line, "12s left"))
		}
		require.Len(t, slices.Compact(places), 1, "%v", places)
	}
}
