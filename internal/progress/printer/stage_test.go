package printer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// A run by streaming shows what moves, and no speed of what stands still.
func TestStages(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name, want string
		r          progress.Reading
	}{
		{"reading", "load ks.t: reading 1,300,000 rows, 0 rows, 250,000 rows/s",
			progress.Reading{RowsPerSecond: 250_000, BytesPerSecond: 7, Ready: 1_300_000, Stage: &progress.Staged{Name: "reading", Done: 1_300_000}}},
		{"sorting", "load ks.t: sorting 68%, 0 rows",
			progress.Reading{BytesPerSecond: 7, Stage: &progress.Staged{Name: "sorting", Done: 689, Total: 1000}}},
		{"sending", "load ks.t: sending 156.0 MiB of 973.0 MiB, 98.0 MiB/s, 0 rows",
			progress.Reading{BytesPerSecond: 1, Stage: &progress.Staged{Name: "sending", Done: 156 * mib, Total: 973 * mib, PerSecond: 98 * mib}}},
		{"receiving", "load ks.t: received 412.0 MiB of 958.0 MiB, 24.0 MiB/s, 0 rows, 0 rows/s, limited by the nodes: 24.0 MiB/s each (nodetool setstreamthroughput)",
			progress.Reading{Receiving: &progress.Receiving{Received: 412 * mib, Announced: 958 * mib, PerSecond: 24 * mib, NodeLimit: 24 * mib}}},
		{"receiving, without an announcement", "load ks.t: received 5.0 MiB, 1.0 MiB/s, 0 rows, 0 rows/s",
			progress.Reading{Receiving: &progress.Receiving{Received: 5 * mib, PerSecond: mib}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.r.Run = "load ks.t"
			require.Equal(t, c.want, Text(c.r))
		})
	}
}
