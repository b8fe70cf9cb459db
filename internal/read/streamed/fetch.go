package streamed

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const (
	// sessionsAtOnce is the number of nodes that stream at the same time, each in one session.
	sessionsAtOnce = 8
	// mostMoves is how often a piece is fetched again because the ring changed meanwhile.
	mostMoves = 3
)

// fetch fetches a piece, and once more whenever the ring changed meanwhile.
func (s *reader) fetch(
	ctx context.Context,
	p sstables.Piece,
	most int64,
) (sstables.Fetched, error) {
	for moves := 0; ; moves++ {
		fetched, err := s.fetchOnce(ctx, p, most)
		if err != nil {
			return fetched, err
		}
		moved, err := s.hasMoved(ctx)
		if err == nil && !moved {
			return fetched, nil
		}
		fetched.Release()
		if err == nil && moves == mostMoves {
			err = fault.New(
				fault.Fatal,
				fmt.Errorf(
					"nodes came, went or moved, or the keyspace's replication was changed, %d times while the same rows were fetched",
					moves+1,
				),
			)
		}
		if err == nil {
			s.env.Warn(
				"nodes came, went or moved, or the keyspace's replication was changed: what was fetched meanwhile is fetched again, from where it is now",
			)
			err = s.reread(ctx)
		}
		if err != nil {
			return sstables.Fetched{}, err
		}
	}
}

// fetchOnce fetches a piece by the ring as it was last read. It asks as many replicas of each range
// as the consistency level wants, and another replica for each one that fails. If a node announces
// more than most bytes, the error is a *sstables.TooLargeError.
func (s *reader) fetchOnce(
	ctx context.Context,
	p sstables.Piece,
	most int64,
) (sstables.Fetched, error) {
	var came spools
	failed := make(map[int]error)
	// the nodes that sent what they have, by part of a range
	gave := make(map[token.Range]map[int]bool)
	parts := make(map[token.Range][]token.Range)
	for _, r := range p.Ranges {
		parts[r] = s.parts(r)
		for _, part := range parts[r] {
			gave[part] = make(map[int]bool)
		}
	}
	for {
		wanted := make(map[int][]token.Range)
		for part := range gave {
			for _, n := range s.nodesOf(part, failed, gave[part]) {
				wanted[n] = append(wanted[n], part)
			}
		}
		if len(wanted) == 0 {
			break
		}
		if err := s.ask(ctx, &came, wanted, failed, most); err != nil {
			came.release()
			return sstables.Fetched{}, err
		}
		for n, asked := range wanted {
			s.failing[s.ring.cluster.Nodes[n].ID] = failed[n] != nil
			for _, part := range asked {
				if failed[n] == nil {
					gave[part][n] = true
				}
			}
		}
	}
	out := sstables.Fetched{
		Files:   came.files(),
		Bytes:   came.largest(),
		Release: came.release,
		Failed:  make(map[token.Range]error),
	}
	for _, r := range p.Ranges {
		for _, part := range parts[r] {
			if err := s.missing(part, failed, gave[part]); err != nil {
				out.Failed[r] = err
			}
		}
	}
	return out, nil
}

// missing returns why fewer replicas sent a range than are wanted; nil if enough did.
func (s *reader) missing(part token.Range, failed map[int]error, gave map[int]bool) error {
	replicas := s.ring.placement.Replicas(s.ring.placement.Find(part.End))
	if number, _ := s.choose.Of(
		s.ring.cluster.LocalDC,
		s.ring.cluster.Nodes,
		replicas,
	); len(
		gave,
	) >= number {
		return nil
	}
	why := errTooFew
	for _, n := range replicas {
		if failed[n] != nil {
			why = fmt.Errorf("%w: %w", errTooFew, failed[n])
		}
	}
	return why
}

// ask asks each node for its ranges, in one session per node. It puts the errors of nodes into
// failed, and returns an error of this host.
func (s *reader) ask(
	ctx context.Context,
	came *spools,
	wanted map[int][]token.Range,
	failed map[int]error,
	most int64,
) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(sessionsAtOnce)
	var mu sync.Mutex
	for n, ranges := range wanted {
		group.Go(func() error {
			one, err := s.hold(ctx, s.ring.cluster.Nodes[n], ranges, most)
			if ours(err) {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				s.env.Warn("%s: asking another replica, where there is one", err)
				failed[n] = err
				return nil
			}
			*came = append(*came, one)
			return nil
		})
	}
	return group.Wait()
}

// ours reports whether an error of a session is this host's, so that no other node would do better.
func ours(err error) bool {
	if errors.Is(err, errSilent) {
		return false
	}
	switch internode.KindOf(err) {
	case internode.Canceled, internode.Source:
		return true
	case internode.Sink:
		return errors.As(err, new(*spoolError))
	}
	return fault.ClassOf(err) == fault.Fatal
}
