package pace

import (
	"slices"
	"sync"
	"time"
)

// RestTurns is how often a host that failed is passed over as the first choice
// before it gets another chance: a node that is down or hangs may cost a whole
// time limit each time it is asked.
const RestTurns = 32

// Health knows which hosts failed when they were last asked. It is safe for
// concurrent use; the zero value is ready.
type Health struct {
	mu    sync.Mutex
	rest  map[string]int       // by host: how often it is still to be passed over
	until map[string]time.Time // by host: when it may be asked first again
}

// Failed lets the host rest.
func (h *Health) Failed(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rest == nil {
		h.rest = make(map[string]int)
	}
	h.rest[host] = RestTurns
}

// FailedFor lets the host rest for a time, in place of a number of turns: where
// what waits for a host that hangs holds up the rest, one turn in many is too many.
func (h *Health) FailedFor(host string, d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.until == nil {
		h.until = make(map[string]time.Time)
	}
	h.until[host] = time.Now().Add(d)
}

// Answered ends the host's rest.
func (h *Health) Answered(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.rest, host)
	delete(h.until, host)
}

// Order gives the hosts with those that rest behind the others. It counts as a
// turn of the first one. The given slice is not changed.
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
