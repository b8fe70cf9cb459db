package doctor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStampMistake(t *testing.T) {
	for n, want := range map[int64]string{
		2024: "say --timestamp 2024-01-01T00:00:00Z", 20240301: "say --timestamp 2024-03-01T00:00:00Z", 20240314130501: "say --timestamp 2024-03-14T13:05:01Z",
		now: "say --timestamp 1710000000000000", now * 1000: "say --timestamp 1710000000000000", now * 1_000_000_000: "say --timestamp 1710000000000000",
	} {
		mistake, sure := StampMistake("timestamp", n)
		require.True(t, sure, n)
		require.Contains(t, mistake, want, n)
		require.Contains(t, mistake, "read as microseconds since 1970, which is ", n)
	}
	for _, n := range []int64{0, 1, -1, 5000, math.MinInt64, math.MaxInt64} {
		mistake, sure := StampMistake("timestamp", n)
		require.False(t, sure, n)
		require.NotEmpty(t, mistake, n)
	}
	mistake, sure := StampMistake("timestamp", now*1_000_000)
	require.False(t, sure)
	require.Empty(t, mistake)
}

func TestWriteTimesOfAnotherUnit(t *testing.T) {
	of := func(stamps ...int64) []Sample {
		s := Stamps{File: "f"}
		for i, n := range stamps {
			s.Note(n, int64(i+2))
		}
		return []Sample{Merge([]Sample{{Name: "f", Stamps: s}})}
	}
	require.Empty(t, AsStamps(of(now*1_000_000, 1, 0)))
	found := AsStamps(of(now*1_000_000, now, now))
	require.Len(t, found, 1)
	require.Equal(
		t,
		"f: 2 of 3 write times, such as 1710000000 in f:3, look like seconds: read as microseconds it is 1970-01-01T00:28:30Z",
		found[0].Found,
	)
}
