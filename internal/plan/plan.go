// Package plan decides how a table is swept: how many requests run at once, and
// into which token ranges the ring is cut.
//
// N, the requests under way at the most, is the sum over the local nodes of
// cores x smudge: every core has work, and more waits when others are done early.
// M, the number of splits, is N x 100, so that one slow range does not hold up
// the end. The shape is that of ScyllaDB's efficient full table scan; the splits
// here follow the ring, so that one replica set serves each.
package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const (
	// DefaultSmudge is the number of requests per core.
	DefaultSmudge = 3
	// DefaultCores is taken for nodes that do not tell theirs.
	DefaultCores = 8
	// SplitsPerRequest is M / N.
	SplitsPerRequest = 100
)

// Options are the user's wishes; zero values leave the choice to the plan.
type Options struct {
	Smudge int    // requests per core, default DefaultSmudge
	Cores  int    // cores per node, for all nodes, instead of what they tell
	Seed   uint64 // of the shuffle
}

// Plan is how a table is swept.
type Plan struct {
	Parallel int           // N
	Splits   []token.Split // about M, shuffled
	Seed     uint64
	Serial   string // why the table is read as one range, empty when it is not

	cluster     *topology.Cluster
	placement   *token.Placement // nil for a serial plan
	partitioner token.Partitioner
	only        []string // the one node to read, of a keyspace that is local to each
}

// Make plans a sweep of a keyspace's ring.
func Make(c *topology.Cluster, replication map[string]string, o Options) (*Plan, error) {
	p := &Plan{Seed: o.Seed, cluster: c}
	if strings.HasSuffix(replication["class"], "LocalStrategy") {
		return p, p.local()
	}
	placement, err := c.Place(replication)
	if errors.Is(err, token.ErrUnsupported) {
		p.Parallel, p.Splits = 1, []token.Split{{}}
		p.Serial = fmt.Sprintf("the cluster's partitioner is %s, whose ring cannot be cut into parts", c.Partitioner)
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	if p.partitioner, err = token.ByClass(c.Partitioner); err != nil {
		return nil, err
	}
	p.placement = placement
	for _, n := range c.Local() {
		p.Parallel += Cores(n, o) * smudge(o)
	}
	p.Splits = placement.Plan(p.Parallel*SplitsPerRequest, o.Seed)
	return p, p.Check(ranges(p.Splits))
}

// local plans for a keyspace of which each node has its own: one node is read.
func (p *Plan) local() error {
	for _, n := range p.cluster.Local() {
		if n.Up {
			p.Parallel, p.Splits, p.only = 1, []token.Split{{}}, []string{n.ID}
			p.Serial = "each node has a table of its own of that name; this is that of " + n.Address
			return nil
		}
	}
	return errors.New("no node of the local data center is up")
}

// Cores is the number of cores the plan takes a node to have.
func Cores(n topology.Node, o Options) int {
	switch {
	case o.Cores > 0:
		return o.Cores
	case n.Cores > 0:
		return n.Cores
	default:
		return DefaultCores
	}
}

func smudge(o Options) int {
	if o.Smudge > 0 {
		return o.Smudge
	}
	return DefaultSmudge
}

// Partitioner is the ring's partitioner, nil for a serial plan.
func (p *Plan) Partitioner() token.Partitioner { return p.partitioner }

// Hosts lists the ids of the nodes that hold a vnode range of the placement, the
// primary replica first, but those that are down last.
func (p *Plan) Hosts(vnode int) []string {
	if p.placement == nil {
		return p.only
	}
	var up, down []string
	for _, i := range p.placement.Replicas(vnode) {
		if n := p.cluster.Nodes[i]; n.Up {
			up = append(up, n.ID)
		} else {
			down = append(down, n.ID)
		}
	}
	return append(up, down...)
}

// Check says whether the ranges make up the whole ring, each part once.
func (p *Plan) Check(done []token.Range) error {
	if p.partitioner == nil {
		return nil
	}
	return token.Cover(p.partitioner, token.Whole(p.partitioner), done)
}

// Share is a node's part in a sweep, 0 to 1.
type Share struct {
	Holds float64 // of the ring: what the node has a replica of
	Reads float64 // of the requests: the replicas of a range take turns
}

// Shares gives the share of each node of the cluster.
func (p *Plan) Shares() []Share {
	shares := make([]Share, len(p.cluster.Nodes))
	if p.placement == nil {
		return shares
	}
	for i := range p.placement.Len() {
		f := token.Fraction(p.placement.Range(i), p.partitioner)
		replicas := p.placement.Replicas(i)
		for _, node := range replicas {
			shares[node].Holds += f
			shares[node].Reads += f / float64(len(replicas))
		}
	}
	return shares
}

// Placement is where the replicas stand, nil for a serial plan.
func (p *Plan) Placement() *token.Placement { return p.placement }

// Ranges is the number of vnode ranges of the ring.
func (p *Plan) Ranges() int {
	if p.placement == nil {
		return 1
	}
	return p.placement.Len()
}

func ranges(splits []token.Split) []token.Range {
	out := make([]token.Range, len(splits))
	for i, s := range splits {
		out[i] = s.Range
	}
	return out
}
