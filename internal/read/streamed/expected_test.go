package streamed

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
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
	million := driver.Estimate{Partitions: 1_000_000, Bytes: 960 << 20}
	e := expected(million, 2, announcement{all: 960 << 20, node: 960 << 20}, 24<<20)
	require.Equal(t, 40*time.Second, e.Streamed)
	require.Equal(t, "CQL", e.Faster())
	require.Equal(
		t,
		"the nodes send at most 24.0 MiB/s each (nodetool setstreamthroughput)",
		e.Limit(),
	)

	e = expected(million, 2, announcement{all: 960 << 20, node: 960 << 20}, 0)
	require.Equal(t, "streaming", e.Faster())
	require.Empty(t, e.Limit())

	e = expected(million, 2, announcement{all: 100 << 20, node: 100 << 20}, 24<<20)
	require.Equal(t, "streaming", e.Faster(), "it is compressed well")

	require.Empty(
		t,
		expected(million, 2, announcement{all: 300 << 20, node: 300 << 20}, 24<<20).Faster(),
		"about the same",
	)
	require.Empty(
		t,
		expected(
			driver.Estimate{Partitions: 1, Bytes: 1},
			2,
			announcement{all: 60 << 20, node: 60 << 20},
			24<<20,
		).Faster(),
		"either takes seconds",
	)
	require.Empty(
		t,
		expected(
			driver.Estimate{},
			2,
			announcement{all: 60 << 20, node: 60 << 20},
			24<<20,
		).Faster(),
		"the nodes do not estimate yet what they were sent just now",
	)
	require.Empty(
		t,
		expected(million, 2, announcement{}, 24<<20).Faster(),
		"the nodes do not report what they have",
	)
}
