package pace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// court is a judge whose words are kept and whose clock goes by 10 ms a probe.
type court struct {
	*Judge
	now   time.Time
	words []float64
}

func newCourt(o JudgeOptions) *court {
	c := &court{now: time.Unix(1000, 0)}
	c.Judge = NewJudge(o, func(f float64) { c.words = append(c.words, f) })
	return c
}

func (c *court) probes(n int, latency time.Duration) {
	for range n {
		c.Observe(c.now, latency)
		c.now = c.now.Add(10 * time.Millisecond)
	}
}

func TestJudge(t *testing.T) {
	const target = 100 * time.Millisecond
	tests := []struct {
		name    string
		latency time.Duration
		want    []float64
	}{
		{"above", 101 * time.Millisecond, []float64{0.7}},
		{"on the target", target, nil},
		{"just below", 80 * time.Millisecond, nil},
		{"well below", 79 * time.Millisecond, []float64{1.1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCourt(JudgeOptions{Target: target})
			c.probes(100, tt.latency)
			require.Empty(t, c.words)
			require.Zero(t, c.P99())
			c.probes(1, tt.latency)
			require.Equal(t, tt.want, c.words)
			require.Equal(t, tt.latency, c.P99())
		})
	}
}

// TestJudgeWaitsForTheEffect: after less was asked for, one window is left out.
func TestJudgeWaitsForTheEffect(t *testing.T) {
	c := newCourt(JudgeOptions{Target: time.Millisecond})
	c.probes(101, time.Second)
	require.Equal(t, []float64{0.7}, c.words)
	c.probes(99, time.Second) // the dead time
	c.probes(100, time.Microsecond)
	require.Equal(t, []float64{0.7}, c.words)
	c.probes(1, time.Microsecond)
	require.Equal(t, []float64{0.7, 1.1}, c.words)
	c.probes(99, time.Microsecond)
	require.Len(t, c.words, 2)
	c.probes(1, time.Microsecond) // more needs no dead time
	require.Len(t, c.words, 3)
}

func TestJudgeWaitsForSamples(t *testing.T) {
	c := newCourt(JudgeOptions{Target: time.Millisecond, Window: 50 * time.Millisecond, MinSamples: 20, Less: 0.5, More: 2, Below: 0.1})
	c.probes(19, time.Second)
	require.Empty(t, c.words)
	c.probes(1, time.Second)
	require.Equal(t, []float64{0.5}, c.words)
	c.now = c.now.Add(time.Second)
	c.probes(20, 101*time.Microsecond)
	require.Len(t, c.words, 1)
	c.probes(20, 99*time.Microsecond)
	require.Equal(t, []float64{0.5, 2}, c.words)
}

// TestJudgeOneSlowProbe of a hundred does not count, two do.
func TestJudgeOneSlowProbe(t *testing.T) {
	for slow, want := range map[int][]float64{1: nil, 2: {0.7}} {
		c := newCourt(JudgeOptions{Target: time.Second})
		c.probes(slow, time.Minute)
		c.probes(100-slow, 900*time.Millisecond)
		c.now = c.now.Add(time.Second)
		require.Empty(t, c.words)
		c.Observe(c.now, 900*time.Millisecond) // the 101st ends the window
		require.Equal(t, want, c.words, "%d slow ones", slow)
	}
}

// TestJudgeIsBounded: of a window with very many probes it keeps the latest.
func TestJudgeIsBounded(t *testing.T) {
	c := newCourt(JudgeOptions{Target: time.Second, MinSamples: 1 << 30})
	for range 3 * maxWindow {
		c.Observe(c.now, time.Minute)
	}
	for range maxWindow - 1 {
		c.Observe(c.now, time.Millisecond)
	}
	require.Empty(t, c.words)
	require.LessOrEqual(t, cap(c.samples), 2*maxWindow)
	c.Observe(c.now.Add(time.Second), time.Millisecond)
	require.Equal(t, time.Millisecond, c.P99())
	require.Equal(t, []float64{1.1}, c.words)
}

func TestPercentile99(t *testing.T) {
	for _, n := range []int{1, 2, 20, 99, 100, 101, 199, 200, 201, 1000} {
		samples := make([]time.Duration, n)
		for i := range samples {
			samples[i] = time.Duration(n - i)
		}
		p := percentile99(samples)
		require.GreaterOrEqual(t, int(p)*100, 99*n, "%d samples", n)
		require.Less(t, (int(p)-1)*100, 99*n, "%d samples", n)
	}
}

func BenchmarkJudge(b *testing.B) {
	j := NewJudge(JudgeOptions{Target: time.Second}, func(float64) {})
	now := time.Unix(1000, 0)
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		j.Observe(now, time.Duration(now.UnixNano()%1000))
	}
}
