package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// How many bytes, as the node announces them, a node is asked for in one session (--slice).
const (
	mostAsked = 1 << 30
	// compressed; each session costs the node a flush, however little is asked for
	leastAsked = 16 << 20
	// piecesOfATable is how many pieces there are of a table that is not larger than so many: what
	// is fetched and what is read take about as long, and only what is fetched first, and read
	// last, is without the other beside it.
	piecesOfATable = 8
)

// openStream connects to a table whose rows are streamed out of the nodes, and sees to it that they
// can be.
func openStream(
	ctx context.Context,
	env spec.Environment,
	o *spec.Reading,
	conn *spec.Connection,
	name spec.TableName,
	planning plan.Options,
	where string,
	patience time.Duration,
) (*files.Source, error) {
	cfg, err := conn.Config(env)
	if err != nil {
		return nil, err
	}
	if planning.Parallel == 0 {
		planning.Parallel = files.Processors()
	}
	cfg.Patience = patience
	opened, err := table.Open(ctx, cfg, name, planning, true)
	if err != nil {
		return nil, err
	}
	t := &files.Source{Table: opened, Files: &files.Files{Receipt: new(progress.Receipt)}}
	if err = t.AwaitKnown(ctx, o.StreamFlag(), patience); err != nil {
		t.Close()
		return nil, err
	}
	if err = describeFiles(ctx, t, name); err != nil {
		err = fmt.Errorf("--%s: %w", o.StreamFlag(), err)
	} else {
		err = t.ReadWhere(where)
	}
	if err == nil {
		err = startStream(ctx, t, env, o, patience)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// describeFiles finds out what the table's SSTables are made one for.
func describeFiles(ctx context.Context, t *files.Source, name spec.TableName) error {
	err := table.AskAll(ctx, func() (err error) {
		t.KnownOptions, err = t.Session.TableOptions(ctx, name.Keyspace, name.Table)
		return err
	}, func() (err error) {
		t.Dropped, err = table.DroppedColumns(ctx, t.Session, name)
		return err
	})
	if err == nil {
		err = t.RefuseStreamOut()
	}
	if err == nil {
		t.Files.Merged, err = t.MergedTable()
	}
	return err
}

// startStream prepares the fetching.
func startStream(
	ctx context.Context,
	t *files.Source,
	env spec.Environment,
	o *spec.Reading,
	patience time.Duration,
) (err error) {
	s := &streamReader{
		t:        t,
		env:      env,
		o:        o,
		patience: patience,
		receipt:  t.Files.Receipt,
		failing:  make(map[string]bool),
	}
	if s.choose, err = files.ReplicaChoice(t.Consistency); err != nil {
		return err
	}
	if err := tryTempDir(o.TempDir); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	announced := s.announced(ctx)
	pieces, most := s.cut(int64(o.Slice), announced.most)
	reorder(t, pieces)
	env.Warn("rows are read past CQL, from the nodes' SSTables: rights and audit do not see it")
	s.expect(ctx, announced)
	begin := func(left []sstables.Piece) {
		t.Files.Pieces = sstables.FetchPieces(ctx, left, most, s.counted(left))
		t.Files.All = t.Files.Pieces
	}
	begin(pieces)
	t.Files.Refetch = func(done []token.Range) {
		_ = t.Files.Pieces.Close() // what it has is fetched again
		var left []sstables.Piece
		for _, p := range pieces {
			if ranges := token.Subtract(p.Ranges, done); len(ranges) > 0 {
				left = append(left, sstables.Piece{Ranges: ranges})
			}
		}
		begin(left)
	}
	t.Files.Unchanged = func(ctx context.Context) error { _, err := s.hasMoved(ctx); return err }
	t.Closers = append(t.Closers, s.listener.Close, func() error { return t.Files.Pieces.Close() })
	t.Files.Listener = s.listener
	return nil
}

// streamReader fetches a table's SSTables from the nodes. What stands from ring on belongs to the
// goroutine that prepares it, and then to the one that fetches.
type streamReader struct {
	t        *files.Source
	env      spec.Environment
	o        *spec.Reading
	patience time.Duration
	choose   files.Choice
	client   *internode.Client
	listener *internode.Listener
	receipt  *progress.Receipt

	truncated records.Truncations // of the table, before anything is read
	ring      ring
	failing   map[string]bool // nodes that failed when they were asked last
}

// connect finds the nodes, and sees to it that they reach this machine.
func (s *streamReader) connect(ctx context.Context) (err error) {
	s.truncated = s.t.Truncations(ctx)
	if err := table.Settled(ctx, s.patience, func() (err error) {
		if s.ring, err = s.look(ctx, s.t.Cluster); err != nil {
			return err
		}
		if err = table.RefuseUntold(
			s.ring.cluster.Nodes,
			s.ring.addresses,
			s.asked(),
			s.o.PortFlag(),
		); err != nil {
			err = fmt.Errorf("--%s: %w", s.o.StreamFlag(), err)
		}
		return err
	}); err != nil {
		return err
	}
	if err := s.t.RefuseUnknown(s.o.StreamFlag(), s.ring.standing.Places); err != nil {
		return err
	}
	at := cmp.Or(s.o.Listen, spec.DefaultListen)
	for id := range s.asked() {
		if err := internode.CheckListen(at, s.ring.addresses[id]); err != nil {
			return fmt.Errorf("--listen %s: %w", at, err)
		}
	}
	t, err := internode.ParseUUID(s.t.Schema.ID)
	if err != nil {
		return err
	}
	s.client = &internode.Client{Timeouts: s.timeouts()}
	if s.client.TLS, err = s.o.Internode.Config(s.env); err != nil {
		return err
	}
	if err := s.tryNodes(s.asked(), func(_ topology.Node, address string) error {
		_, err := s.client.Probe(ctx, address)
		switch internode.KindOf(err) {
		case internode.Unreachable, internode.Deadline:
			return fmt.Errorf("%w; %s", err, table.OpenPort(s.o.PortFlag()))
		}
		if err != nil {
			return err
		}
		return s.client.CheckTable(ctx, address, t)
	}); err != nil {
		return err
	}
	if s.listener, err = listen(ctx, s.o.Listen, lasting, s.client.TLS); err != nil {
		return err
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

// tryNodes tries something with nodes. One that is away is told, and is asked after all others; an
// error is of this side, or of all nodes.
func (s *streamReader) tryNodes(
	wanted map[string]bool,
	try func(n topology.Node, address string) error,
) error {
	var mu sync.Mutex
	away := make(map[string]error)
	err := table.TryPorts(
		s.ring.cluster.Nodes,
		s.ring.addresses,
		wanted,
		s.o.PortFlag(),
		func(n topology.Node, address string) error {
			err := try(n, address)
			if !isAway(err) {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			away[n.ID] = err
			return nil
		},
	)
	if err != nil {
		return fmt.Errorf("--%s: %w", s.o.StreamFlag(), err)
	}
	for id, err := range away {
		if len(away) == len(wanted) {
			return fault.New(fault.Fatal, fmt.Errorf("--%s: %w", s.o.StreamFlag(), err))
		}
		s.env.Warn("%s: it is asked where there is no other replica", err)
		s.failing[id] = true
	}
	return nil
}

// isAway says whether an error of a session is a node's that does not answer, or went away, where
// others may do better.
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

// asked are the nodes that are asked first, by id.
func (s *streamReader) asked() map[string]bool {
	asked := make(map[string]bool)
	for _, split := range s.t.Plan.Splits {
		for _, n := range s.nodesOf(split.Range, nil, nil) {
			// else its ranges are not read in the end, and the others are
			if node := s.ring.cluster.Nodes[n]; s.up(node) {
				asked[node.ID] = true
			}
		}
	}
	return asked
}

// announcement is what nodes say they will stream, in bytes; 0: no node answered.
type announcement struct {
	most  int64 // of the table, if each part of it were as full as the fullest
	all   int64 // of all nodes, those guessed that did not answer
	node  int64 // of the node that streams most
	nodes int   // that stream
}

// announced asks the nodes how many bytes they have of what they are asked for.
// system.size_estimates knows nothing of a table that was just loaded.
func (s *streamReader) announced(ctx context.Context) (a announcement) {
	share, ranges := s.shares()
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(sessionsAtOnce)
	var densest, told, toldShare, allShare float64
	for n, node := range s.ring.cluster.Nodes {
		address := s.ring.addresses[node.ID]
		if len(ranges[n]) == 0 {
			continue
		}
		a.nodes++
		allShare += share[n]
		if address == "" || !s.up(node) {
			continue
		}
		group.Go(func() error {
			watched, _, stop := s.watch(ctx, node)
			defer stop()
			request := internode.Request{
				Keyspace: s.t.Schema.Keyspace,
				Table:    s.t.Schema.Name,
				Ranges:   token.Merge(ranges[n]),
			}
			has, err := s.client.Estimate(watched, address, request)
			if err != nil {
				s.env.Logf("%s does not tell how much it would send: %s", address, err)
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			densest = max(densest, float64(has)/share[n])
			told, toldShare = told+float64(has), toldShare+share[n]
			a.node = max(a.node, has)
			return nil
		})
	}
	_ = group.Wait() // there is no error
	a.most = int64(densest * slices.Max(share))
	if toldShare > 0 {
		a.all = int64(told * allShare / toldShare)
	}
	return a
}

// shares is what part of the table each node is asked for first, and which ranges.
func (s *streamReader) shares() (share []float64, ranges [][]token.Range) {
	share = make([]float64, len(s.ring.cluster.Nodes))
	ranges = make([][]token.Range, len(share))
	for _, split := range s.t.Plan.Splits {
		if !s.t.Files.Wants(split.Range) {
			continue
		}
		for _, n := range s.nodesOf(split.Range, nil, nil) {
			share[n] += token.Fraction(split.Range, s.t.Plan.Partitioner())
			ranges[n] = append(ranges[n], split.Range)
		}
	}
	return share, ranges
}

// cut groups the splits into pieces so that no node streams more than most bytes for one, and
// returns that number; if it is 0, the size of the table decides. The bytes are those that the
// nodes announced; if they did not, the estimates of the cluster. Neighbors in a piece are of
// different nodes where they can be: a part of a piece is asked of several nodes then, too.
func (s *streamReader) cut(most, announced int64) ([]sstables.Piece, int64) {
	t := s.t
	share, _ := s.shares()
	all := make([][]token.Range, len(share)) // ranges, by the node that is asked first
	for _, split := range t.Plan.Splits {
		if t.Files.Wants(split.Range) {
			first := s.nodesOf(split.Range, nil, nil)[0]
			all[first] = append(all[first], split.Range)
		}
	}
	bytes := announced
	if bytes == 0 {
		bytes = int64(slices.Max(share) * float64(t.Estimate().Bytes))
	}
	bytes = max(bytes, 1)
	if most == 0 {
		most = min(max(bytes/piecesOfATable, leastAsked), mostAsked)
	}
	count := int((bytes + most - 1) / most)
	type placed struct {
		at float64 // in the order of the node's ranges, of 1
		r  token.Range
	}
	var order []placed
	for _, ranges := range all {
		slices.SortFunc(ranges, func(a, b token.Range) int { return a.Start.Compare(b.Start) })
		for i, r := range ranges {
			order = append(order, placed{float64(i) / float64(len(ranges)), r})
		}
	}
	slices.SortStableFunc(order, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	pieces := make([]sstables.Piece, count)
	for _, o := range order {
		p := &pieces[int(o.at*float64(count))]
		p.Ranges = append(p.Ranges, o.r)
	}
	return slices.DeleteFunc(
		pieces,
		func(p sstables.Piece) bool { return len(p.Ranges) == 0 },
	), most
}

// reorder has the splits come in the order of the pieces.
func reorder(t *files.Source, pieces []sstables.Piece) {
	sets := make(map[token.Range]int)
	for _, split := range t.Plan.Splits {
		sets[split.Range] = split.Set
	}
	t.Plan.Splits = t.Plan.Splits[:0]
	for _, p := range pieces {
		for _, r := range p.Ranges {
			t.Plan.Splits = append(t.Plan.Splits, token.Split{Range: r, Set: sets[r]})
		}
	}
}
