package pace

import (
	"slices"
	"sync"
	"time"
)

// RestTurns is how often a host that failed is not the first choice before it is tried again. If a
// node is down or hangs, each try may cost a whole timeout.
const RestTurns = 32

// Health records which hosts failed when they were last asked. It is safe for concurrent use; the
// zero value is ready.
type Health struct {
	mu    sync.Mutex
	rest  map[string]int       // by host: how many more times it is not the first choice
	until map[string]time.Time // by host: when it may be the first choice again
}

// Failed records that a request to the host failed. Order lists it last for RestTurns turns.
func (h *Health) Failed(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rest == nil {
		h.rest = make(map[string]int)
	}
	h.rest[host] = RestTurns
}

// FailedFor records that a request to the host failed. Order lists it last for a time instead of a
// number of turns. It is for callers that cannot afford to wait for a host that hangs even once in
// RestTurns turns.
func (h *Health) FailedFor(host string, d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.until == nil {
		h.until = make(map[string]time.Time)
	}
	h.until[host] = time.Now().Add(d)
}

// Answered records that the host answered. Order no longer lists it last.
func (h *Health) Answered(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.rest, host)
	delete(h.until, host)
}

// Order returns the hosts, those that failed last. It counts as a turn of the first host. The given
// slice is not changed.
func (h *Health) Order(hosts []string) []string {
	if len(hosts) < 2 {
		return hosts
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.ContainsFunc(hosts, h.rests) {
		return hosts
	}
	fit, tired := make([]string, 0, len(hosts)), make([]string, 0, len(hosts))
	for _, host := range hosts {
		if h.rests(host) {
			tired = append(tired, host)
		} else {
			fit = append(fit, host)
		}
	}
	if first := hosts[0]; h.rest[first] > 1 {
		h.rest[first]--
	} else {
		delete(h.rest, first)
	}
	return append(fit, tired...)
}

func (h *Health) rests(host string) bool {
	return h.rest[host] > 0 || len(h.until) > 0 && time.Now().Before(h.until[host])
}
