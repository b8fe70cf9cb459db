package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/resume"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// How many bytes, as the nodes estimate them, a node is asked for in one session (--slice).
const (
	mostAsked  = 1 << 30
	leastAsked = 64 << 20 // each session costs the node a flush, however little is asked for
	// piecesOfATable is how many pieces there are of a table that is not larger than so many: what is fetched and what is
	// read take about as long, and only what is fetched first, and read last, is without the other beside it.
	piecesOfATable = 8
)

// openStream connects to a table whose rows are streamed out of the nodes, and sees to it that they can be.
func openStream(ctx context.Context, env Environment, o *Reading, conn *Connection, name TableName, planning plan.Options, where string, patience time.Duration) (*tableSession, error) {
	cfg, err := conn.config(env)
	if err != nil {
		return nil, err
	}
	if planning.Parallel == 0 {
		planning.Parallel = processors()
	}
	t, err := openTable(ctx, cfg, name, planning, true)
	if err != nil {
		return nil, err
	}
	t.files = &tableFiles{}
	if err = t.describeFiles(ctx, name); err != nil {
		err = fmt.Errorf("--%s: %w", o.streamFlag(), err)
	} else {
		err = t.readWhere(where)
	}
	if err == nil {
		err = t.openStream(ctx, env, o, patience)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// describeFiles finds out what the table's SSTables are made one for.
func (t *tableSession) describeFiles(ctx context.Context, name TableName) error {
	err := insist(ctx, func() (err error) {
		t.tableOptions, err = t.session.TableOptions(ctx, name.Keyspace, name.Table)
		return err
	}, func() (err error) {
		t.dropped, err = droppedColumns(ctx, t.session, name)
		return err
	})
	if err == nil {
		err = t.refuseStreamOut()
	}
	if err == nil {
		t.files.table, err = t.mergedTable()
	}
	return err
}

// openStream prepares the fetching.
func (t *tableSession) openStream(ctx context.Context, env Environment, o *Reading, patience time.Duration) (err error) {
	s := &streamReader{t: t, env: env, o: o, patience: patience, failing: make(map[string]bool)}
	if s.choose, err = replicaChoice(t.consistency); err != nil {
		return err
	}
	if err := tryTempDir(o.TempDir); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	pieces := s.cut(int64(o.Slice))
	t.reorder(pieces)
	env.Warn("rows are read past CQL, from the nodes' SSTables: rights and audit do not see it")
	var fetched *sstables.Pieces
	begin := func(from int) {
		fetched = sstables.FetchPieces(ctx, pieces[from:], func(ctx context.Context, i int) (sstables.Fetched, error) { return s.fetch(ctx, pieces[from+i]) })
		t.files.all = fetched
	}
	begin(0)
	t.files.pieces, t.files.refetch = pieces, func(from int) {
		_ = fetched.Close() // what it has is fetched again
		begin(from)
	}
	t.files.unchanged = func(ctx context.Context) error { _, err := s.hasMoved(ctx); return err }
	t.closers = append(t.closers, s.listener.Close, func() error { return fetched.Close() })
	t.files.listener = s.listener
	return nil
}

// refuseStreamOut says why a table cannot be streamed out of its nodes, if it cannot.
func (t *tableSession) refuseStreamOut() error {
	switch {
	case t.tableOptions.Compact:
		return fmt.Errorf("%s is a table of COMPACT STORAGE, whose rows are not told from SSTables", t.table)
	case t.table.ID == "":
		return fmt.Errorf("%s is a virtual table", t.table)
	case t.plan.Placement() == nil:
		return fmt.Errorf("the replicas of %s cannot be told: %s", t.table, t.plan.Serial)
	case t.plan.Partitioner() != token.Murmur3:
		return fmt.Errorf("the cluster's partitioner is %s; only Murmur3Partitioner is served", t.plan.Partitioner().Name())
	case t.isScylla():
		return fmt.Errorf("ScyllaDB streams to nobody else; --via %s reads its snapshots", viaFiles)
	}
	return t.refuseVersions()
}

// refuseVersions refuses nodes whose streaming is not known.
func (t *tableSession) refuseVersions() error {
	for _, n := range t.cluster.Nodes {
		if r := releaseOf(n.Version); r.before(release{4}) || !r.before(release{6}) {
			return fmt.Errorf("node %s is of version %s; only those of Cassandra 4.0 to 5.0 are streamed with", n.Address, n.Version)
		}
	}
	return nil
}

// streamReader fetches a table's SSTables from the nodes. What stands from ring on belongs to the goroutine that prepares it, and then
// to the one that fetches.
type streamReader struct {
	t        *tableSession
	env      Environment
	o        *Reading
	patience time.Duration
	choose   choice
	client   *internode.Client
	listener *internode.Listener

	truncated resume.Truncations // of the table, before anything is read
	ring      ring
	failing   map[string]bool // nodes that failed when they were asked last
}

// connect finds the nodes, and sees to it that they reach this machine.
func (s *streamReader) connect(ctx context.Context) (err error) {
	s.truncated = s.t.truncations(ctx)
	if s.ring, err = s.look(ctx, s.t.cluster); err != nil {
		return err
	}
	if err := s.t.refuseUnknown(s.o.streamFlag(), s.ring.standing.places); err != nil {
		return err
	}
	listen := cmp.Or(s.o.Listen, DefaultListen)
	for id := range s.asked() {
		if err := internode.CheckListen(listen, s.ring.addresses[id]); err != nil {
			return fmt.Errorf("--listen %s: %w", listen, err)
		}
	}
	s.client = &internode.Client{Timeouts: s.timeouts()}
	if s.client.TLS, err = s.o.Internode.config(s.env); err != nil {
		return err
	}
	if err := s.tryNodes(s.asked(), func(_ topology.Node, address string) error {
		_, err := s.client.Probe(ctx, address)
		return err
	}); err != nil {
		return err
	}
	if s.listener, err = internode.Listen(listen, s.client.TLS); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	err = s.tryNodes(s.asked(), func(n topology.Node, address string) error {
		watched, _, stop := s.watch(ctx, n)
		defer stop()
		return s.client.CheckReach(watched, address, s.listener)
	})
	if err != nil {
		_ = s.listener.Close()
	}
	return err
}

// tryNodes tries something with nodes. One that is away is told, and is asked after all others; an error is of this side, or of all
// nodes.
func (s *streamReader) tryNodes(wanted map[string]bool, try func(n topology.Node, address string) error) error {
	var mu sync.Mutex
	away := make(map[string]error)
	err := tryPorts(s.ring.cluster.Nodes, s.ring.addresses, wanted, s.o.portFlag(), func(n topology.Node, address string) error {
		err := try(n, address)
		if !isAway(err) {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		away[n.ID] = err
		return nil
	})
	if err != nil {
		return fmt.Errorf("--%s: %w", s.o.streamFlag(), err)
	}
	for id, err := range away {
		if len(away) == len(wanted) {
			return fault.New(fault.Fatal, fmt.Errorf("--%s: %w", s.o.streamFlag(), err))
		}
		s.env.Warn("%s: it is asked where there is no other replica", err)
		s.failing[id] = true
	}
	return nil
}

// isAway says whether an error of a session is a node's that does not answer, or went away, where others may do better.
func isAway(err error) bool {
	if errors.Is(err, errSilent) {
		return true
	}
	switch internode.KindOf(err) {
	case internode.Unreachable, internode.Deadline, internode.Lost, internode.Failed:
		return true
	}
	return false
}

// DefaultListen is where nodes bring their files: each at the address by which it is reached.
var DefaultListen = fmt.Sprintf(":%d", internode.ListenPort)

// asked are the nodes that are asked first, by id.
func (s *streamReader) asked() map[string]bool {
	asked := make(map[string]bool)
	for _, split := range s.t.plan.Splits {
		for _, n := range s.nodesOf(split.Range, nil, nil) {
			if node := s.ring.cluster.Nodes[n]; s.up(node) { // else its ranges are not read in the end, and the others are
				asked[node.ID] = true
			}
		}
	}
	return asked
}

// cut makes pieces of the splits, of each of which a node gives no more than so many bytes, by the estimates; by how large the
// table is when that is 0.
func (s *streamReader) cut(most int64) []sstables.Piece {
	t := s.t
	share := make([]float64, len(s.ring.cluster.Nodes)) // of the table, that a node is asked for
	all := make([][]token.Range, len(share))            // ranges, by the node that is asked first
	for _, split := range t.plan.Splits {
		if !t.files.wants(split.Range) {
			continue
		}
		nodes := s.nodesOf(split.Range, nil, nil)
		for _, n := range nodes {
			share[n] += token.Fraction(split.Range, t.plan.Partitioner())
		}
		all[nodes[0]] = append(all[nodes[0]], split.Range)
	}
	bytes := max(int64(slices.Max(share)*float64(t.estimate().Bytes)), 1)
	if most == 0 {
		most = min(max(bytes/piecesOfATable, leastAsked), mostAsked)
	}
	count := int((bytes + most - 1) / most)
	pieces := make([]sstables.Piece, count)
	for _, ranges := range all {
		slices.SortFunc(ranges, func(a, b token.Range) int { return a.Start.Compare(b.Start) })
		for i, r := range ranges {
			p := &pieces[i*count/len(ranges)]
			p.Ranges = append(p.Ranges, r)
		}
	}
	return slices.DeleteFunc(pieces, func(p sstables.Piece) bool { return len(p.Ranges) == 0 })
}

// reorder has the splits come in the order of the pieces.
func (t *tableSession) reorder(pieces []sstables.Piece) {
	sets := make(map[token.Range]int)
	for _, split := range t.plan.Splits {
		sets[split.Range] = split.Set
	}
	t.plan.Splits = t.plan.Splits[:0]
	for _, p := range pieces {
		for _, r := range p.Ranges {
			t.plan.Splits = append(t.plan.Splits, token.Split{Range: r, Set: sets[r]})
		}
	}
}
