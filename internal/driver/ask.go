package driver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gocql/gocql"
	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

const (
	// askedTogether is the number of nodes asked at the same time, without those that are slow to
	// answer.
	askedTogether = 64
	// slowShare is the part of [Config.AskTimeout] after which a node is slow.
	slowShare = 16
	// asksOfAny is the number of nodes asked, one after another, for what any node knows.
	asksOfAny = 3
	// silentTimes is how long a silent node is not asked again, in multiples of the time that it
	// was waited for. It concerns only questions that other nodes can answer, or that need no
	// answer.
	silentTimes = 10
)

// silence is the error of a node that did not answer a question in time.
func silence(h *gocql.HostInfo, wait time.Duration) error {
	return fault.New(
		fault.Unknown,
		fmt.Errorf("no answer from node %s at %s within %s", h.HostID(), h.ConnectAddress(), wait),
	)
}

// askAll asks all of the nodes at the same time, and waits at most [Config.AskTimeout] in total. It
// returns the error of each node, and the addresses of the silent ones. It calls question from
// several goroutines, with the node's index in hosts.
func (s *Session) askAll(
	ctx context.Context,
	hosts []*gocql.HostInfo,
	question func(ctx context.Context, i int) error,
) (errs []error, silent []string) {
	limited, cancel := context.WithTimeout(ctx, s.cfg.AskTimeout)
	defer cancel()
	errs = make([]error, len(hosts))
	var group errgroup.Group
	slots := make(chan struct{}, askedTogether)
	for i, h := range hosts {
		select {
		case slots <- struct{}{}:
		case <-limited.Done():
			errs[i] = silence(h, s.cfg.AskTimeout)
			continue
		}
		group.Go(func() error {
			free := sync.OnceFunc(func() { <-slots })
			defer free()
			defer time.AfterFunc(s.cfg.AskTimeout/slowShare, free).Stop()
			if s.isSilent(h.HostID()) || limited.Err() != nil {
				errs[i] = silence(h, s.cfg.AskTimeout)
				return nil
			}
			errs[i] = question(limited, i)
			if errs[i] != nil && limited.Err() != nil && ctx.Err() == nil {
				s.wasSilent(h.HostID())
				errs[i] = silence(h, s.cfg.AskTimeout)
			}
			return nil
		})
	}
	_ = group.Wait() // the errors are in errs
	for i, h := range hosts {
		if s.isSilent(h.HostID()) && errs[i] != nil {
			silent = append(silent, h.ConnectAddressAndPort())
		}
	}
	slices.Sort(silent)
	return errs, silent
}

// warnSilent warns once for all silent nodes. instead says what is assumed without their answers.
func (s *Session) warnSilent(silent []string, instead string) {
	if len(silent) > 0 {
		s.cfg.Warnf(
			"no answer within %s from %s: %s",
			s.cfg.AskTimeout,
			strings.Join(silent, ", "),
			instead,
		)
	}
}

func (s *Session) wasSilent(id string) { s.silent.Store(id, time.Now()) }

func (s *Session) isSilent(id string) bool {
	since, ok := s.silent.Load(id)
	return ok && time.Since(since.(time.Time)) < silentTimes*s.cfg.AskTimeout
}

// forgetSilent makes nodes count as not silent, if all of them were: no other node could answer
// instead.
func (s *Session) forgetSilent(hosts []*gocql.HostInfo) {
	if slices.ContainsFunc(hosts, func(h *gocql.HostInfo) bool { return !s.isSilent(h.HostID()) }) {
		return
	}
	for _, h := range hosts {
		s.silent.Delete(h.HostID())
	}
}

// contactNodes lists the nodes to ask what any node knows, [asksOfAny] at most.
func (s *Session) contactNodes() []*gocql.HostInfo { return s.ranked(asksOfAny) }

// ranked lists at most n nodes: first the one that answered last, then others with connections,
// then the rest. Silent nodes come last.
func (s *Session) ranked(n int) []*gocql.HostInfo {
	last, _ := s.answering.Load().(string)
	connections := s.allConnections()
	rank := func(h *gocql.HostInfo) int {
		switch id := h.HostID(); {
		case s.isSilent(id):
			return 3
		case connections[id] == 0:
			return 2
		case id != last:
			return 1
		default:
			return 0
		}
	}
	hosts := s.hosts()
	slices.SortStableFunc(
		hosts,
		func(a, b *gocql.HostInfo) int { return cmp.Compare(rank(a), rank(b)) },
	)
	return hosts[:min(len(hosts), n)]
}

// upOf returns the nodes that are up, and their indexes in nodes.
func (s *Session) upOf(nodes []topology.Node) (at []int, hosts []*gocql.HostInfo) {
	for i, n := range nodes {
		if h := s.policy.host(n.ID); h != nil && n.Up {
			at, hosts = append(at, i), append(hosts, h)
		}
	}
	return at, hosts
}

// allConnections returns the number of connections to each node.
func (s *Session) allConnections() map[string]int {
	count := make(map[string]int)
	s.s.IterateHostPools(func(pool gocql.HostPoolInfo) bool {
		count[pool.Host().HostID()] += pool.GetConnectionCount()
		return true
	})
	return count
}
