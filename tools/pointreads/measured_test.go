package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTell(t *testing.T) {
	m := &measured{begin: time.Unix(1000, 0)}
	require.Equal(t, "no read", m.line(0))
	for second, latency := range []time.Duration{90, 90, 90, 2, 30, 4, 90} {
		for i := range 100 {
			m.add(
				m.begin.Add(time.Duration(second)*time.Second+time.Duration(i)*time.Millisecond),
				latency*time.Millisecond,
				nil,
			)
		}
	}
	require.Equal(t, "700 reads, 0 failed: p50 90ms, p99 90ms, longest 90ms", m.line(0))
	require.Equal(
		t,
		"700 reads, 0 failed: p50 90ms, p99 90ms, longest 90ms; above 10ms in 1 of 3 seconds after the third: 2ms 30ms 4ms",
		m.line(10*time.Millisecond),
	)
}
