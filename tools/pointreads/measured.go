package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// measured are the reads so far, by the second in which they were due.
type measured struct {
	begin time.Time

	mu      sync.Mutex
	seconds [][]time.Duration
	failed  int
}

func (m *measured) add(due time.Time, latency time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	second := int(due.Sub(m.begin) / time.Second)
	for len(m.seconds) <= second {
		m.seconds = append(m.seconds, nil)
	}
	m.seconds[second] = append(m.seconds[second], latency)
	if err != nil {
		m.failed++
	}
}

// warm is the first second that is judged.
const warm = 3

// line returns how long the reads took, and in which seconds they took too long.
func (m *measured) line(target time.Duration) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := slices.Concat(m.seconds...)
	if len(all) == 0 {
		return "no read"
	}
	line := fmt.Sprintf(
		"%d reads, %d failed: p50 %v, p99 %v, longest %v",
		len(all),
		m.failed,
		at(all, 50),
		at(all, 99),
		at(all, 100),
	)
	if target == 0 || len(m.seconds) <= warm {
		return line
	}
	above := 0
	var each []string
	// The last second is not a whole one.
	judged := m.seconds[warm : len(m.seconds)-1]
	for _, second := range judged {
		p99 := at(second, 99)
		if p99 > target {
			above++
		}
		each = append(each, p99.Round(time.Millisecond/10).String())
	}
	return fmt.Sprintf(
		"%s; above %v in %d of %d seconds after the third: %s",
		line,
		target,
		above,
		len(judged),
		strings.Join(each, " "),
	)
}

// at sorts latencies and gives a nearest-rank percentile.
func at(latencies []time.Duration, percent int) time.Duration {
	slices.Sort(latencies)
	return latencies[(len(latencies)*percent+99)/100-1].Round(10 * time.Microsecond)
}
