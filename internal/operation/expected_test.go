package operation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRateOf(t *testing.T) {
	for text, want := range map[string]int64{
		"24MiB/s": 24 << 20, "23.841858MiB/s": 25_000_000, "512KiB/s": 512 << 10, "250000B/s": 250_000,
		"200": 25_000_000, "0MiB/s": 0, "0": 0, "": 0, "null": 0, "-1": 0,
	} {
		require.InDelta(t, want, rateOf(text), 1, text)
	}
}

func TestExpected(t *testing.T) {
	e := expected(1_000_000, 960<<20, 2, 960<<20, 24<<20)
	require.Equal(t, 40*time.Second, e.Streamed)
	require.Equal(t, "CQL", e.Faster())
	require.Equal(t, "the nodes send at most 24.0 MiB/s each (nodetool setstreamthroughput)", e.Limit())

	e = expected(1_000_000, 960<<20, 2, 960<<20, 0)
	require.Equal(t, "streaming", e.Faster())
	require.Empty(t, e.Limit())

	require.Empty(t, expected(0, 0, 2, 0, 24<<20).Faster(), "nothing is known of the table")
}
