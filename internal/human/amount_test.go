package human

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345", 123456: "123,456", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		require.Equal(t, want, Count(n))
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 20: "1.0 MiB", 378 << 20: "378.0 MiB",
		5 << 30: "5.0 GiB", 1 << 40: "1.0 TiB", 3000 << 40: "3000.0 TiB",
	} {
		require.Equal(t, want, Size(n))
	}
}

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0s", 40 * time.Millisecond: "0.0s", 50 * time.Millisecond: "0.1s", 1234 * time.Millisecond: "1.2s",
		59940 * time.Millisecond: "59.9s", 59960 * time.Millisecond: "1m0s", time.Minute: "1m0s",
		61700 * time.Millisecond: "1m2s", 2*time.Hour + 3*time.Second: "2h0m3s",
	} {
		require.Equal(t, want, Elapsed(d))
	}
}

func TestBriefly(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1.00k", 1234: "1.23k", 9994: "9.99k", 9996: "10.0k", 99949: "99.9k", 99951: "100k", 999_499: "999k",
		999_500: "1.00M", 45_600_000: "45.6M", math.MaxInt64: "9.22E",
	} {
		require.Equal(t, want, Briefly(n), n)
	}
}

func TestLatencyInThreeDigits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.00ms", time.Microsecond: "1µs", 850 * time.Microsecond: "0.85ms", 9994 * time.Microsecond: "9.99ms", 12345 * time.Microsecond: "12.3ms",
		123 * time.Millisecond: "123ms", 999600 * time.Microsecond: "1.00s", 12345 * time.Millisecond: "12.3s", 10 * time.Minute: "600s",
	} {
		require.Equal(t, want, Latency(d))
	}
}

func TestOf(t *testing.T) {
	require.Equal(
		t,
		[]string{"0 nodes", "1 node", "1,200 nodes"},
		[]string{Of(0, "node"), Of(int64(1), "node"), Of(1200, "node")},
	)
	for thing, many := range map[string]string{
		"row": "rows", "token range": "token ranges", "retry": "retries", "query": "queries", "day": "days", "key": "keys", "SSTable": "SSTables",
	} {
		require.Equal(t, thing, Noun(1, thing))
		require.Equal(t, many, Noun(2, thing))
		require.Equal(t, many, Noun(0, thing))
	}
	require.Equal(t, "was", Verb(1, "was", "were"))
	require.Equal(t, "were", Verb(0, "was", "were"))
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "under a second", 999 * time.Millisecond: "under a second", time.Second: "1 second", 1499 * time.Millisecond: "1 second",
		82 * time.Second: "82 seconds", 2 * time.Minute: "2 minutes", 3*time.Minute + 40*time.Second: "4 minutes", time.Hour: "60 minutes",
		2 * time.Hour: "2 hours", 7*time.Hour + 40*time.Minute: "8 hours", 49 * time.Hour: "2 days", 9000 * 24 * time.Hour: "9,000 days",
	} {
		require.Equal(t, want, Roughly(d), d)
	}
}
