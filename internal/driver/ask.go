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
	// askedTogether is how many nodes are asked at the same time, not counting those that are slow
	// to answer.
	askedTogether = 64
	// slowShare is the part of [Config.AskTimeout] after which a node is slow.
	slowShare = 16
	// asksOfAny is how many nodes are asked what any of them knows, one after the other.
	asksOfAny = 3
	// silentTimes is how long a node that was silent is not asked again what others know or what
	// can be done without, in times of what it was waited for.
	silentTimes = 10
)

// silence is the error of a node that did not answer a question in time.
func silence(h *gocql.HostInfo, wait time.Duration) error {
	return fault.New(
		fault.Unknown,
		fmt.Errorf("no answer from node %s at %s within %s", h.HostID(), h.ConnectAddress(), wait),
	)
}

// askAll puts a question to each of the nodes, all at the same time, and waits for them no
// longer than [Config.AskTimeout] in all. It gives the error for each node, and names those that
// were silent. question is called from several goroutines, with the node's place in hosts.
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

// warnSilent warns, once for all nodes, of what was not learned and what is done without it.
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

// forgetSilent has nodes that were all silent asked again, where others would be asked instead.
func (s *Session) forgetSilent(hosts []*gocql.HostInfo) {
	if slices.ContainsFunc(hosts, func(h *gocql.HostInfo) bool { return !s.isSilent(h.HostID()) }) {
		return
	}
	for _, h := range hosts {
		s.silent.Delete(h.HostID())
	}
}

// contactNodes lists the nodes to be asked what any node knows, [asksOfAny] at most.
func (s *Session) contactNodes() []*gocql.HostInfo { return s.ranked(asksOfAny) }

// ranked lists at most n nodes, in this order: the one that answered last, then others with
// connections, then the rest; those that were silent come last.
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

// upOf gives those of the nodes that are up, and their places among all.
func (s *Session) upOf(nodes []topology.Node) (at []int, hosts []*gocql.HostInfo) {
	for i, n := range nodes {
		if h := s.policy.host(n.ID); h != nil && n.Up {
			at, hosts = append(at, i), append(hosts, h)
		}
	}
	return at, hosts
}

// allConnections is the number of connections by node.
func (s *Session) allConnections() map[string]int {
	count := make(map[string]int)
	s.s.IterateHostPools(func(pool gocql.HostPoolInfo) bool {
		count[pool.Host().HostID()] += pool.GetConnectionCount()
		return true
	})
	return count
}
