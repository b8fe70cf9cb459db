package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Shortage is that too few replicas are up for a consistency level.
type Shortage struct {
	level, where string
	of           int

	Need   int             // replicas that are waited for
	Most   int             // replicas that one of the ranges has, up or down
	Ranges []token.Range   // with too few replicas that are up
	All    int             // token ranges, those with enough among them
	Down   []topology.Node // replicas of those ranges
}

// Forever reports whether too few nodes hold those ranges even when all are up.
func (s *Shortage) Forever() bool { return s.Most < s.Need }

// Waits says how many replicas are waited for.
func (s *Shortage) Waits() string {
	return fmt.Sprintf(
		"%s waits for %d of %s%s",
		s.level,
		s.Need,
		human.Of(s.of, "replica"),
		s.where,
	)
}

// Short returns the token ranges whose rows have too few replicas that are up; nil: there are none,
// or it is not known.
func (r Replication) Short() *Shortage {
	if r.Level != "EACH_QUORUM" ||
		!strings.HasSuffix(r.Options["class"], "NetworkTopologyStrategy") {
		return r.short()
	}
	for _, dc := range slices.Sorted(maps.Keys(r.Options)) {
		one := r
		one.Level, one.LocalDC, one.named = "LOCAL_QUORUM", dc, r.Level
		if dc == "class" || one.factor(dc) == 0 || dc != r.LocalDC && !r.AllDCs {
			continue
		}
		if short := one.short(); short != nil {
			return short
		}
	}
	return nil
}

func (r Replication) short() *Shortage {
	if r.Placement == nil || !r.local() && !r.AllDCs {
		return nil
	}
	s := &Shortage{level: cmp.Or(r.named, r.Level), All: r.Placement.Len()}
	s.Need, s.of, s.where = r.need()
	down := make(map[int]bool)
	for i := range r.Placement.Len() {
		up := 0
		var missing []int
		for _, n := range r.Placement.Replicas(i) {
			switch node := r.Nodes[n]; {
			case r.local() && node.DC != r.LocalDC:
			case node.Up:
				up++
			default:
				missing = append(missing, n)
			}
		}
		if up >= s.Need {
			continue
		}
		s.Most = max(s.Most, up+len(missing))
		s.Ranges = append(s.Ranges, r.Placement.Range(i))
		for _, n := range missing {
			down[n] = true
		}
	}
	if len(s.Ranges) == 0 {
		return nil
	}
	for _, n := range slices.Sorted(maps.Keys(down)) {
		s.Down = append(s.Down, r.Nodes[n])
	}
	return s
}
