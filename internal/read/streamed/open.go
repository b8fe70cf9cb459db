package streamed

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
	"github.com/cqlbulk/cqlbulk/internal/listen"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// How many bytes a node is asked for in one session (--slice), as the node announces them.
const (
	MostAsked = 1 << 30
	// compressed bytes; every session costs the node a flush, however little it sends
	leastAsked = 16 << 20
	// piecesOfATable is the number of pieces of a table between that many leastAsked and mostAsked.
	// Fetching a piece and reading it take about as long, and overlap, but for the first fetched
	// and the last read.
	piecesOfATable = 8
)

// Open connects to a table whose SSTables the nodes stream to this host, and checks that they can.
// The caller closes the source.
func Open(ctx context.Context, r files.Request) (*files.Source, error) {
	cfg, err := r.Connection.Config(r.Env)
	if err != nil {
		return nil, err
	}
	if r.Planning.Parallel == 0 {
		r.Planning.Parallel = files.Processors()
	}
	cfg.Patience = r.Patience
	opened, err := table.Open(ctx, cfg, r.Table, r.Planning, true)
	if err != nil {
		return nil, err
	}
	t := &files.Source{Table: opened, Files: &files.Files{Receipt: new(progress.Receipt)}}
	if err = t.AwaitKnown(ctx, r.Reading.StreamFlag(), r.Patience); err != nil {
		t.Close()
		return nil, err
	}
	if err = describeFiles(ctx, t, r.Table); err != nil {
		err = fmt.Errorf("--%s: %w", r.Reading.StreamFlag(), err)
	} else {
		err = t.ReadWhere(r.Where)
	}
	if err == nil {
		err = startStream(ctx, t, r)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// describeFiles reads the table's options and dropped columns, which decide how its SSTables merge.
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

// startStream connects to the nodes, cuts the table into pieces and begins to fetch them.
func startStream(ctx context.Context, t *files.Source, r files.Request) (err error) {
	s := &reader{
		t:        t,
		env:      r.Env,
		o:        r.Reading,
		patience: r.Patience,
		receipt:  t.Files.Receipt,
		failing:  make(map[string]bool),
	}
	if s.choose, err = files.ReplicaChoice(t.Consistency); err != nil {
		return err
	}
	if err := TryTempDir(r.Reading.TempDir); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	announced := s.announced(ctx)
	pieces, most := s.cut(int64(r.Reading.Slice), announced.most)
	reorder(t, pieces)
	r.Env.Warn("rows are read by streaming SSTables: CQL permissions and audit logs do not apply")
	s.expect(ctx, announced)
	begin := func(left []sstables.Piece) {
		t.Files.Pieces = sstables.FetchPieces(ctx, left, most, s.counted(left))
		t.Files.All = t.Files.Pieces
	}
	begin(pieces)
	t.Files.Refetch = func(done []token.Range) {
		_ = t.Files.Pieces.Close() // its pieces are fetched again
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

// reader fetches a table's SSTables from the nodes. The fields from ring on belong to the goroutine
// that prepares the reader, and then to the one that fetches.
type reader struct {
	t        *files.Source
	env      spec.Environment
	o        *spec.Reading
	patience time.Duration
	choose   files.Choice
	client   *internode.Client
	listener *internode.Listener
	receipt  *progress.Receipt

	truncated records.Truncations // of the table, before the first fetch
	ring      ring
	failing   map[string]bool // by node ID: whether its last session failed
}

// connect finds the nodes, opens the listener, and checks that the nodes reach it.
func (s *reader) connect(ctx context.Context) (err error) {
	s.truncated = s.t.Truncations(ctx)
	if err := table.AwaitAgreement(ctx, s.patience, func() (err error) {
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
	if s.listener, err = listen.Open(ctx, s.o.Listen, listen.Lasting, s.client.TLS); err != nil {
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

// tryNodes calls try for each wanted node. It warns of a node that is down or unreachable, which is
// asked after all others from then on. It returns an error of this host, or one of all nodes.
func (s *reader) tryNodes(
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

// isAway reports whether an error of a session is of a node that does not answer or went away.
// Another node may do better.
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

// asked returns the nodes that are asked first, by ID.
func (s *reader) asked() map[string]bool {
	asked := make(map[string]bool)
	for _, split := range s.t.Plan.Splits {
		for _, n := range s.nodesOf(split.Range, nil, nil) {
			// a range without such a node fails at the end, and the others are read
			if node := s.ring.cluster.Nodes[n]; s.up(node) {
				asked[node.ID] = true
			}
		}
	}
	return asked
}

// announcement is the number of bytes that nodes will stream, by their own account. The bytes are 0
// if no node answered.
type announcement struct {
	most  int64 // of a node, if each part of the table were as full as the fullest
	all   int64 // of all nodes; for those that did not answer, an estimate
	node  int64 // of the node that streams most
	nodes int   // the number of nodes that stream
}

// announced asks the nodes how many bytes they would stream. It does not use system.size_estimates,
// which knows nothing of a table that was just loaded.
func (s *reader) announced(ctx context.Context) (a announcement) {
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
				s.env.Logf("%s does not report how much it would send: %s", address, err)
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
	_ = group.Wait() // no goroutine returns an error
	a.most = int64(densest * slices.Max(share))
	if toldShare > 0 {
		a.all = int64(told * allShare / toldShare)
	}
	return a
}

// shares returns the fraction of the ring that each node is asked for first, and its ranges.
func (s *reader) shares() (share []float64, ranges [][]token.Range) {
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

// cut groups the splits into pieces for which no node streams more than most bytes, and returns
// that number with them. If most is 0, the size of the table decides. If announced is 0, the
// cluster's estimates stand for it. Neighbors in a piece belong to different nodes where possible,
// so that half of a piece, too, comes from several nodes.
func (s *reader) cut(most, announced int64) ([]sstables.Piece, int64) {
	t := s.t
	share, _ := s.shares()
	all := make([][]token.Range, len(share)) // by the node that is asked first
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
		most = min(max(bytes/piecesOfATable, leastAsked), MostAsked)
	}
	count := int((bytes + most - 1) / most)
	type placed struct {
		at float64 // the range's place among the node's ranges, from 0 to 1
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

// reorder puts the plan's splits into the order of the pieces.
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
