// Package plan decides how a table is swept: how many requests run at once, and
// into which token ranges the ring is cut.
//
// N, the requests under way at the most, is the sum over the local nodes of
// cores x smudge: every core has work, and more waits when others are done early.
// M, the number of splits, is N x 100, so that one slow range does not hold up
// the end. The shape is that of ScyllaDB's efficient full table scan; the splits
// here follow the ring, so that one replica set serves each.
//
// Only a large table is worth M requests, and estimates of its size may be wrong or missing. So a
// plan may begin with coarse splits ([Options.Coarse]), each over many neighbouring vnode ranges.
// The sweep cuts those that turn out to be large, down to the size of M splits. If the table turns
// out to be small, it joins neighbouring splits.
//
// Start with [Make]. A plan never changes and is safe for concurrent use.
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
	// DefaultCores is taken where no node of a data center tells its own.
	DefaultCores = 8
	// SplitsPerRequest is M / N.
	SplitsPerRequest = 100
)

// splitBytes is the least that a split is worth: where the nodes' estimates say
// that there is less, fewer splits are made.
const splitBytes = 1 << 20

const (
	// coarseSplits is the most splits that a coarse plan has of a table that may be small.
	coarseSplits = 256
	// trustedShare is the part of an estimate that a table is sure to have: it may be wrong by
	// as much.
	trustedShare = 1000
	// pageBytes is the size of table that is worth a request.
	pageBytes = 256 << 10
)

// Options are the user's wishes; zero values leave the choice to the plan.
type Options struct {
	Smudge   int    // requests per core, default DefaultSmudge
	Cores    int    // cores per node, for all nodes, instead of what they tell
	Seed     uint64 // of the shuffle
	Parallel int    // N itself
	Splits   int    // M itself
	Bytes    int64  // estimate of the table's size; 0 when unknown
	Coarse   bool   // splits may be cut and joined; they are few and wide if the table may be small
	Begin    string // token that the sweep begins after, empty: the ring's first
	End      string // token that it ends with, empty: the ring's last
	Shard    Shard  // which part of the splits
	// Unread is what an earlier sweep left to read, instead of Begin, End and Shard;
	// nil: there was none.
	Unread []token.Range
	// Placement is where the replicas stand of a table that does not follow the
	// ring (ScyllaDB's tablets); its indexes are those of the cluster's nodes.
	Placement *token.Placement
}

// Plan is how a table is swept.
type Plan struct {
	Parallel int           // N
	Splits   []token.Split // about M, or fewer if they are coarse; shuffled
	// MaxPieces is the number of splits that a sweep cuts those of a large table into. If it is 0, the
	// sweep reads each split as it is.
	MaxPieces int
	Seed      uint64
	Serial    string // why the table is read as one range, empty when it is not
	Chosen    bool   // N is of the plan's choice

	hash        string
	cluster     *topology.Cluster
	placement   *token.Placement // nil for a serial plan
	partitioner token.Partitioner
	only        []string // the one node to read, of a keyspace that is local to each
	all         []string // of a coarse plan: the nodes that have replicas
}

// Make plans a sweep of a keyspace's ring, with the given replication options
// (system_schema.keyspaces.replication). Errors: no node in the local data center,
// or for a keyspace that is local to each node none that is up; nodes whose tokens
// make no ring; replication options that cannot be read; tokens that are none or
// leave nothing to read; a part asked for of a table that is read as one range.
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
				"the keyspace's replication is %s, whose replicas cannot be told",
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

// split makes the splits, and reports whether they are coarse. Those of shards are read as they
// are, and so are those that the user asked for.
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

// holders lists the ids of the nodes that have replicas; those that are up alone, if there are any.
func (p *Plan) holders() (ids []string) {
	holds := make([]bool, len(p.cluster.Nodes))
	for i := range p.placement.Len() {
		for _, n := range p.placement.Replicas(i) {
			holds[n] = true
		}
	}
	for _, up := range []bool{true, false} {
		for i, n := range p.cluster.Nodes {
			if holds[i] && n.Up == up {
				ids = append(ids, n.ID)
			}
		}
		if len(ids) > 0 {
			return ids
		}
	}
	return ids
}

// want is the number of splits to make. Where the work is shared, it must not
// depend on what the nodes happen to tell at the moment.
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

// serial makes it the plan of one range, the whole table, from any node.
func (p *Plan) serial(why string) {
	p.Parallel, p.Splits, p.Serial = 1, []token.Split{{}}, why
}

// local plans for a keyspace of which each node has its own: one node is read.
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

// Cores is the number of cores that the plan takes each node of the cluster to
// have, by its index. A node that does not tell takes the smallest number that
// another one of its data center tells, since machines of one data center are
// mostly alike; where none does, it is DefaultCores.
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

// Partitioner is the ring's partitioner, nil for a serial plan.
func (p *Plan) Partitioner() token.Partitioner { return p.partitioner }

// Hosts lists the ids of the nodes that hold a vnode range of the placement, the primary replica
// first, but those that are down last. Of [token.Several] it lists all nodes that hold any; the
// slice is shared and must not be changed.
func (p *Plan) Hosts(vnode int) []string {
	switch {
	case p.placement == nil:
		return p.only
	case vnode == token.Several:
		return p.all
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

// Owners lists the ids of the nodes that hold a vnode range of the placement, the
// primary replica first whether it is up or not.
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

// NodeShare is a node's part in a sweep, 0 to 1.
type NodeShare struct {
	Holds float64 // of the ring: what the node has a replica of
	Reads float64 // of the requests: the replicas of a range take turns
}

// Shares gives the share of each node of the cluster.
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

// Placement is where the replicas stand, nil for a serial plan.
func (p *Plan) Placement() *token.Placement { return p.placement }

// Borders returns where splits may be cut, nil if each is read as it is.
func (p *Plan) Borders() *token.Placement {
	if p.MaxPieces == 0 {
		return nil
	}
	return p.placement
}

// Ranges is the number of vnode ranges of the ring.
func (p *Plan) Ranges() int {
	if p.placement == nil {
		return 1
	}
	return p.placement.Len()
}
