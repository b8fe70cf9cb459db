package streamed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ring is the token ring as it was last read, with the addresses of its nodes.
type ring struct {
	standing    table.Placement
	cluster     *topology.Cluster
	replication map[string]string
	placement   *token.Placement
	addresses   map[string]string // of storage ports, by node ID
}

// look reads the ring. What is known of the nodes otherwise comes from the driver's topology.
func (s *reader) look(ctx context.Context, known *topology.Cluster) (r ring, err error) {
	t := s.t
	// hasMoved finds a change between these answers.
	if r.standing, err = t.FindPlacement(ctx); err != nil {
		return r, err
	}
	err = table.AskAll(ctx, func() (err error) {
		r.replication, err = t.Session.Replication(ctx, t.Schema.Keyspace)
		return err
	})
	if err != nil {
		return r, err
	}
	if r.cluster, err = r.standing.Cluster(known); err != nil {
		return r, err
	}
	if r.placement, err = r.cluster.PlaceAll(r.replication); err != nil {
		return r, err
	}
	if err := s.enough(r); err != nil {
		return r, err
	}
	r.addresses, err = r.standing.StoragePorts(r.cluster.Nodes, s.o.StoragePort)
	return r, err
}

// enough refuses a table whose rows have fewer replicas than the consistency level wants.
func (s *reader) enough(r ring) error {
	if name, factor := transient(r.replication); name != "" {
		return fmt.Errorf(
			"--%s: some replicas in %s are transient (replication %s), and lack rows",
			s.o.StreamFlag(),
			name,
			factor,
		)
	}
	for i := range r.placement.Len() {
		number, candidates := s.choose.Of(
			r.cluster.LocalDC, r.cluster.Nodes, r.placement.Replicas(i),
		)
		switch {
		case len(candidates) == 0:
			return fmt.Errorf(
				"--%s: some rows have no replica: the keyspace's replication is %s",
				s.o.StreamFlag(),
				doctor.Factors(r.replication),
			)
		case len(candidates) < number:
			return table.ErrTooManyReplicas(
				s.t.Consistency,
				number,
				len(candidates),
				r.replication,
				len(r.cluster.Nodes),
			)
		}
	}
	return nil
}

// transient returns a replication factor with transient replicas, which lack repaired rows.
func transient(replication map[string]string) (name, factor string) {
	for name, factor := range replication {
		if _, some, found := strings.Cut(factor, "/"); found && some != "0" {
			return name, factor
		}
	}
	return "", ""
}

// reread reads the ring again after it changed.
func (s *reader) reread(ctx context.Context) error {
	var known *topology.Cluster
	err := table.AskAll(ctx, func() (err error) {
		known, err = s.t.Session.Topology(ctx)
		return err
	})
	if err != nil {
		return err
	}
	s.ring, err = s.look(ctx, known)
	return err
}

// hasMoved reports whether nodes joined, left or moved since the ring was read, so that what they
// sent may lack rows. It returns an error if the table was dropped, altered or truncated.
func (s *reader) hasMoved(ctx context.Context) (bool, error) {
	change, err := s.t.Changed(ctx, s.ring.standing, s.ring.replication)
	switch {
	case errors.Is(err, driver.ErrNotFound):
		return false, endsReading("the table was dropped meanwhile (%w)", err)
	case err != nil:
		return false, err
	case change == table.Altered:
		return false, endsReading(
			"the table was altered, or created again, meanwhile: run the command again",
		)
	}
	if found := s.t.TruncatedSince(ctx, s.truncated, s.env); found != nil {
		return false, endsReading(
			"the table was truncated at %s (node %s), while it was read: run the command again",
			found.At,
			found.Node,
		)
	}
	return change == table.Moved, nil
}

// endsReading returns the error of a table that cannot be read to its end.
func endsReading(format string, args ...any) error {
	return fault.New(fault.Fatal, run.Refused(fmt.Errorf(format, args...)))
}

// errTooFew says that too few replicas are left.
var errTooFew = errors.New("too few of its replicas could be asked")

// nodesOf returns the replicas to ask for a range next, given those that failed and those that sent
// it already. They are fewer than wanted if no more are left. Local replicas come first; those that
// are down, or failed before, come last. Equal replicas take turns from one range of the ring to
// the next, but a range always asks the same one.
func (s *reader) nodesOf(r token.Range, failed map[int]error, gave map[int]bool) []int {
	nodes, local := s.ring.cluster.Nodes, s.ring.cluster.LocalDC
	vnode := s.ring.placement.Find(r.End)
	number, candidates := s.choose.Of(local, nodes, s.ring.placement.Replicas(vnode))
	candidates = slices.DeleteFunc(
		candidates,
		func(n int) bool { return failed[n] != nil || gave[n] },
	)
	rank := func(n int) (rank int) {
		if !s.up(nodes[n]) {
			rank += 2
		}
		if nodes[n].DC != local {
			rank++
		}
		return rank
	}
	slices.SortStableFunc(candidates, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	good := 0
	for good < len(candidates) && rank(candidates[good]) == 0 {
		good++
	}
	if good > 1 {
		turn := vnode % good
		slices.Reverse(candidates[:turn])
		slices.Reverse(candidates[turn:good])
		slices.Reverse(candidates[:good])
	}
	return candidates[:max(min(number-len(gave), len(candidates)), 0)]
}

// up reports whether a node is up, and did not fail before.
func (s *reader) up(n topology.Node) bool { return n.Up && !s.failing[n.ID] }

// parts cuts a range where its replicas change. No range crosses such a border until nodes move.
func (s *reader) parts(r token.Range) []token.Range {
	var all []token.Range
	for i := s.ring.placement.Find(r.Start); i < s.ring.placement.Len(); i++ {
		all = append(all, token.Intersections(s.ring.placement.Range(i), []token.Range{r})...)
		if !s.ring.placement.Range(i).End.Less(r.End) {
			break
		}
	}
	return all
}
