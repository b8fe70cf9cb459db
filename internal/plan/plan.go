// Package plan decides how a table is swept: how many requests run at once, and into which token
// ranges the ring is cut.
//
// N, the largest number of requests in flight, is the sum over the local nodes of cores x smudge.
// So every core has work, and more is queued for when others finish early. M, the number of splits,
// is N x 100, so that one slow range does not delay the end. This follows ScyllaDB's efficient full
// table scan, except that the splits follow the ring, so that one replica set serves each.
//
// Only a large table is worth M requests, and estimates of its size may be wrong or missing. So a
// plan may begin with coarse splits ([Options.Coarse]), each over many adjacent vnode ranges. The
// sweep cuts those that turn out to be large, down to the size of M splits. If the table turns out
// to be small, it joins adjacent splits.
//
// Start with [Make]. A plan never changes and is safe for concurrent use.
package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const (
	// DefaultSmudge is the number of requests per core.
	DefaultSmudge = 3
	// DefaultCores is the number of cores per node if no node of a data center reports its own.
	DefaultCores = 8
	// SplitsPerRequest is M / N.
	SplitsPerRequest = 100
)

// splitBytes is the least size of a split. If the nodes estimate that there is less, fewer splits
// are made.
const splitBytes = 1 << 20

const (
	// coarseSplits is the largest number of splits in a coarse plan of a table that may be small.
	coarseSplits = 256
	// trustedShare is the divisor of an estimate that gives the size that a table certainly has.
	// Estimates may be wrong by that factor.
	trustedShare = 1000
	// pageBytes is the size of table that is worth a request.
	pageBytes = 256 << 10
)

// Options are the user's settings. Zero values leave the choice to the plan.
type Options struct {
	Smudge   int    // requests per core, default DefaultSmudge
	Cores    int    // cores per node, for all nodes, instead of what they report
	Seed     uint64 // of the shuffle
	Parallel int    // N itself
	Splits   int    // M itself
	Bytes    int64  // estimate of the table's size; 0: unknown
	Coarse   bool   // splits may be cut and joined; they are few and wide if the table may be small
	Begin    string // token after which the sweep begins; empty: the ring's first
	End      string // token with which it ends; empty: the ring's last
	Shard    Shard  // part of the splits
	// Unread are the ranges that an earlier sweep left, instead of Begin, End and Shard; nil: there
	// was none.
	Unread []token.Range
	// Placement is where the replicas are of a table that does not follow the ring (ScyllaDB's
	// tablets). Its indexes are those of the cluster's nodes.
	Placement *token.Placement
}

// Plan is how a table is swept.
type Plan struct {
	Parallel int           // N
	Splits   []token.Split // about M, or fewer if they are coarse; shuffled
	// MaxPieces is the number of splits that a sweep cuts a large table into; 0: the sweep reads
	// each split as it is.
	MaxPieces int
	Seed      uint64
	Serial    string // why the table is read as one range; empty: it is not
	Chosen    bool   // the plan has chosen N

	hash        string
	cluster     *topology.Cluster
	placement   *token.Placement // nil: a serial plan
	partitioner token.Partitioner
	only        []string // the one node to read, for a keyspace that is local to each
	all         []string // for a coarse plan: the nodes that have replicas
}

// Make plans a sweep of a keyspace's ring with the given replication options
// (system_schema.keyspaces.replication). It returns an error if:
//
//   - the local data center has no node, or, for a keyspace that is local to each node, none that
//     is up
//   - the nodes' tokens do not make a ring
//   - the replication options cannot be read
//   - the tokens are invalid, or leave nothing to read
//   - a part is wanted of a table that is read as one range
func Make(c *topology.Cluster, replication map[string]string, o Options) (*Plan, error) {
	if err := c.CheckDC(); err != nil {
		return nil, err
	}
	p := &Plan{Seed: o.Seed, cluster: c}
	if err := p.shape(replication, o); err != nil {
		return nil, err
	}
	if p.Serial != "" && !o.whole() {
		return nil, fmt.Errorf(
			"the table is read as one range and has neither begin and end tokens nor shards: %s",
			p.Serial,
		)
	}
	return p, nil
}

// shape fills in the plan.
func (p *Plan) shape(replication map[string]string, o Options) error {
	c := p.cluster
	if strings.HasSuffix(replication["class"], "LocalStrategy") {
		return p.local()
	}
	partitioner, err := token.ByClass(c.Partitioner)
	if err != nil {
		p.serial(
			fmt.Sprintf(
				"the cluster's partitioner is %s, whose ring cannot be cut into parts",
				c.Partitioner,
			),
		)
		return nil
	}
	placement := o.Placement
	if placement == nil {
		placement, err = c.Place(replication)
	}
	if errors.Is(err, token.ErrUnsupported) {
		p.serial(
			fmt.Sprintf(
				"the keyspace's replication is %s, whose replicas are unknown",
				replication["class"],
			),
		)
		return nil
	}
	if err != nil {
		return err
	}
	p.placement, p.partitioner = placement, partitioner
	for i, cores := range Cores(c, o) {
		if c.Nodes[i].DC == c.LocalDC {
			p.Parallel += cores * smudge(o)
		}
	}
	p.Chosen = o.Parallel == 0
	if o.Parallel > 0 {
		p.Parallel = o.Parallel
	}
	check := checkWhole
	if p.split(o) {
		check = checkCoarse
	}
	if err := check(partitioner, placement, p.Splits); err != nil {
		return fmt.Errorf("internal check failed: the plan is not the ring: %w", err)
	}
	p.hash = hash(partitioner, p.Splits)
	return p.selectPart(o)
}

// split makes the splits, and reports whether they are coarse. Splits of shards are not coarse, nor
// if the user gave their number.
func (p *Plan) split(o Options) (isCoarse bool) {
	finest := max(p.Parallel*SplitsPerRequest, p.placement.Len())
	sure := o.Bytes / trustedShare / pageBytes
	coarse := max(min(p.Parallel, coarseSplits), int(min(sure, int64(finest))))
	if o.Coarse && o.Splits == 0 && o.Shard.Of <= 1 {
		p.MaxPieces, p.all = finest, p.holders()
		isCoarse = coarse < finest
	}
	if isCoarse {
		p.Splits = p.placement.PlanCoarse(coarse, o.Seed)
	} else {
		p.Splits = p.placement.Plan(p.want(o), o.Seed)
	}
	return isCoarse
}

// holders lists the ids of the nodes that have replicas. If some of these are up, it lists only
// those; of them, if there are any, only those that may be coordinators.
func (p *Plan) holders() (ids []string) {
	holds := make([]bool, len(p.cluster.Nodes))
	for i := range p.placement.Len() {
		for _, n := range p.placement.Replicas(i) {
			holds[n] = true
		}
	}
	for _, suits := range []func(topology.Node) bool{
		func(n topology.Node) bool { return n.Up && !n.Excluded },
		func(n topology.Node) bool { return n.Up },
		func(topology.Node) bool { return true },
	} {
		for i, n := range p.cluster.Nodes {
			if holds[i] && suits(n) {
				ids = append(ids, n.ID)
			}
		}
		if len(ids) > 0 {
			return ids
		}
	}
	return nil
}

// want returns the number of splits to make. If hosts share the work, it must not depend on what
// the nodes report at the moment.
func (p *Plan) want(o Options) int {
	want := p.Parallel * SplitsPerRequest
	switch {
	case o.Splits > 0:
		return o.Splits
	case o.Shard.Of > 1:
		cores := o.Cores
		if cores == 0 {
			cores = DefaultCores
		}
		return len(p.cluster.Local()) * cores * smudge(o) * SplitsPerRequest
	case o.Bytes > 0:
		return min(want, max(int(o.Bytes/splitBytes), p.Parallel))
	default:
		return want
	}
}

// serial makes it a plan of one range, the whole table, from any node.
func (p *Plan) serial(why string) {
	p.Parallel, p.Splits, p.Serial = 1, []token.Split{{}}, why
}

// local plans for a keyspace that each node has for itself: one node is read.
func (p *Plan) local() error {
	for _, n := range p.cluster.Local() {
		if n.Up {
			p.serial("each node has a table of its own of that name; this is that of " + n.Address)
			p.only = []string{n.ID}
			return nil
		}
	}
	return errors.New("no node of the local data center is up")
}

// Cores returns the number of cores of each node, by its index, as the plan assumes it. A node that
// does not report it counts as the smallest of its data center, since machines in a data center are
// mostly alike. If none reports it, it is DefaultCores.
func Cores(c *topology.Cluster, o Options) []int {
	least := make(map[string]int)
	for _, n := range c.Nodes {
		if n.Cores > 0 && (least[n.DC] == 0 || n.Cores < least[n.DC]) {
			least[n.DC] = n.Cores
		}
	}
	cores := make([]int, len(c.Nodes))
	for i, n := range c.Nodes {
		told := n.Cores
		if told <= 0 {
			told = least[n.DC]
		}
		switch {
		case o.Cores > 0:
			cores[i] = o.Cores
		case told > 0:
			cores[i] = told
		default:
			cores[i] = DefaultCores
		}
	}
	return cores
}

func smudge(o Options) int {
	if o.Smudge > 0 {
		return o.Smudge
	}
	return DefaultSmudge
}

// Partitioner returns the ring's partitioner, nil for a serial plan.
func (p *Plan) Partitioner() token.Partitioner { return p.partitioner }

// Hosts lists the ids of the nodes that have a vnode range of the placement, the primary replica
// first. Nodes that are not to be coordinators follow, then those that are down. For
// [token.Several] it lists all nodes that have one. The slice is shared and must not be changed.
func (p *Plan) Hosts(vnode int) []string {
	switch {
	case p.placement == nil:
		return p.only
	case vnode == token.Several:
		return p.all
	}
	var up, excluded, down []string
	for _, i := range p.placement.Replicas(vnode) {
		switch n := p.cluster.Nodes[i]; {
		case !n.Up:
			down = append(down, n.ID)
		case n.Excluded:
			excluded = append(excluded, n.ID)
		default:
			up = append(up, n.ID)
		}
	}
	return slices.Concat(up, excluded, down)
}

// Owners lists the ids of the nodes that have a vnode range of the placement, the primary replica
// first, up or down.
func (p *Plan) Owners(vnode int) []string {
	if p.placement == nil {
		return p.only
	}
	var ids []string
	for _, i := range p.placement.Replicas(vnode) {
		ids = append(ids, p.cluster.Nodes[i].ID)
	}
	return ids
}

// NodeShare is a node's share of a sweep, 0 to 1.
type NodeShare struct {
	Holds float64 // share of the ring that the node has a replica of
	Reads float64 // share of the requests: the replicas of a range take turns
}

// Shares returns the share of each node of the cluster.
func (p *Plan) Shares() []NodeShare {
	shares := make([]NodeShare, len(p.cluster.Nodes))
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

// Placement returns where the replicas are, nil for a serial plan.
func (p *Plan) Placement() *token.Placement { return p.placement }

// Borders returns where splits may be cut, nil if each is read as it is.
func (p *Plan) Borders() *token.Placement {
	if p.MaxPieces == 0 {
		return nil
	}
	return p.placement
}

// Ranges returns the number of vnode ranges of the ring.
func (p *Plan) Ranges() int {
	if p.placement == nil {
		return 1
	}
	return p.placement.Len()
}
