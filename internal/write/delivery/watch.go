package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/listen"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// A node's status in gossip (VersionedValue.java).
const (
	statusBoot     = "BOOT"
	statusReplace  = "BOOT_REPLACE"
	statusNormal   = "NORMAL"
	statusMoving   = "MOVING"
	statusLeaving  = "LEAVING"
	statusLeft     = "LEFT"
	statusRemoving = "removing"
	statusRemoved  = "removed"
)

// ringWatch reads the ring while nodes join, leave, move or are replaced. It is safe for concurrent
// use.
type ringWatch struct {
	t        *table.Table
	known    *topology.Cluster // what the driver knows of the nodes
	settings ringSettings
	client   *internode.Client // for gossip; nil: only queries are sent
	warn     func(format string, args ...any)

	mu        sync.Mutex
	addresses map[string]string // of storage ports, by node ID
	names     map[string]string // of joining nodes, by ID
	told      string            // the last changes that were printed
}

// ringSettings are those of the watch.
type ringSettings struct {
	port         int                 // of all storage ports; 0: the port that nodes report
	listen       string              // address for the answers of gossip
	listener     *internode.Listener // an open one; nil: one is opened
	assumeStable bool
	// files means that SSTables are kept in a folder. None are made while the ring changes, so the
	// tokens of joining nodes do not matter.
	files   bool
	ignored map[string]bool
}

// ringState is the ring at one moment.
type ringState struct {
	stream.Ring
	standing    table.Placement
	replication map[string]string
	changes     []topology.Change
	cluster     *topology.Cluster // with the nodes that join, without tokens
}

// look reads the ring. It returns an error if the table was altered, or the ring cannot be known.
func (w *ringWatch) look(ctx context.Context) (ringState, error) {
	// Gossip comes first: a node that joins after it is on the ring, which is read later.
	endpoints, err := w.gossip(ctx)
	if err != nil {
		return ringState{}, err
	}
	var r ringState
	if r.standing, r.replication, err = w.t.Ring(ctx); err != nil {
		return r, err
	}
	r.cluster, r.changes, err = w.changes(ctx, endpoints, r.standing)
	if err != nil {
		return r, err
	}
	if r.Placement, err = r.cluster.PlacePending(r.replication, r.changes); err != nil {
		return r, err
	}
	if r.Placement, err = w.withoutDying(r); err != nil {
		return r, err
	}
	for _, n := range r.cluster.Nodes {
		r.Nodes = append(r.Nodes, n.ID)
	}
	r.Truncated = w.t.Session.Truncations(ctx, r.cluster.Nodes, w.t.Schema.ID)
	return r, w.keep(r)
}

// gossip asks the nodes for their gossip by CQL. It is empty if they have no table of it.
func (w *ringWatch) gossip(ctx context.Context) (endpoints []topology.Endpoint, err error) {
	err = table.AskAll(ctx, func() (err error) {
		endpoints, err = w.t.Session.Gossip(ctx)
		return err
	})
	if errors.Is(err, driver.ErrNotFound) {
		return nil, nil
	}
	return endpoints, err
}

// errUnsettled is the error of a change that not all nodes know yet.
func errUnsettled(format string, args ...any) error {
	return fault.New(fault.Transient, fmt.Errorf(format, args...))
}

// changes returns the ring's pending changes, and the cluster with the joining nodes.
func (w *ringWatch) changes(
	ctx context.Context,
	endpoints []topology.Endpoint,
	s table.Placement,
) (*topology.Cluster, []topology.Change, error) {
	cluster, err := s.Cluster(w.known)
	if err != nil {
		return nil, nil, err
	}
	if w.t.IsScylla() { // it sends rows on to their replicas when it imports them
		return cluster, nil, nil
	}
	if endpoints == nil || needTokens(endpoints) && !w.settings.files {
		more, err := w.shadowRound(ctx, s)
		switch {
		case err == nil:
			endpoints = topology.MergeEndpoints(more, endpoints)
		case w.settings.assumeStable:
			w.warnOnce(
				fmt.Sprintf(
					"it is not known whether nodes join, leave or move (%v), and is assumed that none does",
					err,
				),
			)
			return cluster, nil, nil
		default:
			return nil, nil, fmt.Errorf(
				"it cannot be known whether nodes join, leave or move, and which rows they take over: %w; "+
					"--listen names an address of this machine that nodes can reach, and --assume-stable streams as if none did, which loses rows if one does",
				err,
			)
		}
	}
	c := changeFinder{cluster: cluster, standing: s, at: make(map[string]string)}
	for id, address := range s.Told {
		c.at[address] = id
	}
	for _, e := range endpoints {
		if e.ID != "" {
			c.at[e.Address] = e.ID
		}
	}
	for _, e := range endpoints {
		if err := c.add(e); err != nil {
			return nil, nil, err
		}
	}
	return cluster, c.changes, nil
}

// needTokens reports whether nodes join whose tokens are not known.
func needTokens(endpoints []topology.Endpoint) bool {
	return slices.ContainsFunc(
		endpoints,
		func(e topology.Endpoint) bool { return e.Word() == statusBoot && e.Tokens == nil },
	)
}

// changeFinder finds the ring's pending changes in gossip.
type changeFinder struct {
	cluster  *topology.Cluster
	standing table.Placement
	at       map[string]string // IDs of nodes, by the address of the storage port
	changes  []topology.Change
}

// add takes the state of a node in gossip (StorageService.onChange).
func (c *changeFinder) add(e topology.Endpoint) error {
	place, member := c.standing.Places[e.ID]
	change := topology.Change{Node: e.ID}
	switch e.Word() {
	case statusNormal:
		switch tokens := strings.Fields(place.Tokens); {
		case !member:
			return errUnsettled(
				"node %s has joined, and not all nodes know its tokens yet",
				e.Address,
			)
		case e.Argument() != "" && !slices.Contains(tokens, e.Argument()):
			return errUnsettled(
				"node %s has moved to token %s, and not all nodes know that yet",
				e.Address,
				e.Argument(),
			)
		}
		return nil
	case statusBoot:
		change.Kind, change.Tokens = topology.Joining, e.Tokens
	case statusReplace:
		change.Kind, change.Old = topology.Replacing, c.replaced(e)
		if _, found := c.standing.Places[change.Old]; !found {
			return errUnsettled(
				"node %s replaces node %s, which not all nodes know",
				e.Address,
				e.Argument(),
			)
		}
	case statusMoving:
		p, err := token.ByClass(c.cluster.Partitioner)
		if err != nil {
			return err
		}
		to, err := p.Parse(e.Argument())
		if err != nil {
			return fmt.Errorf("node %s moves to token %q: %w", e.Address, e.Argument(), err)
		}
		change.Kind, change.Tokens = topology.Moving, []token.Token{to}
	case statusLeaving, statusLeft, statusRemoving, statusRemoved:
		if !member {
			return nil // it has left
		}
		change.Kind, change.Gone = topology.Leaving, e.Word() != statusLeaving
	default: // it is down, or no member
		return nil
	}
	if e.ID == "" {
		return errUnsettled("node %s has the status %s in gossip, and no id", e.Address, e.Word())
	}
	if !member {
		c.cluster.Nodes = append(
			c.cluster.Nodes,
			topology.Node{ID: e.ID, Address: e.Address, DC: e.DC, Rack: e.Rack, Up: true},
		)
		c.standing.Told[e.ID] = e.Address
	}
	c.changes = append(c.changes, change)
	return nil
}

// replaced returns the ID of the node that another one replaces.
func (c *changeFinder) replaced(e topology.Endpoint) string {
	old := e.Argument()
	if id := c.at[old]; id != "" {
		return id
	}
	for address, id := range c.at { // the status of old has no port
		if host, _, err := net.SplitHostPort(
			address,
		); err == nil &&
			host == strings.TrimPrefix(old, "/") {
			return id
		}
	}
	return ""
}

// withoutDying leaves out nodes that are being replaced or removed, if their rows have other
// replicas.
func (w *ringWatch) withoutDying(r ringState) (*token.Placement, error) {
	dying := make(map[int]bool)
	for _, change := range r.changes {
		id := change.Old
		if change.Gone {
			id = change.Node
		}
		if id == "" {
			continue
		}
		is := func(n topology.Node) bool { return n.ID == id }
		dying[slices.IndexFunc(r.cluster.Nodes, is)] = true
	}
	if len(dying) == 0 {
		return r.Placement, nil
	}
	now, err := r.cluster.PlaceAll(r.replication)
	if err != nil {
		return nil, err
	}
	ends, lists := make([]token.Token, r.Placement.Len()), make([][]int, r.Placement.Len())
	for i := range lists {
		ends[i] = r.Placement.Range(i).End
		stays := func(n int) bool { return !dying[n] && !w.settings.ignored[r.cluster.Nodes[n].ID] }
		for _, n := range r.Placement.Replicas(i) {
			// If no other node has the rows yet, only the new owner would get them, and it may
			// never finish joining.
			if !dying[n] || !slices.ContainsFunc(now.Replicas(now.Find(ends[i])), stays) {
				lists[i] = append(lists[i], n)
			}
		}
	}
	return token.NewPlacement(token.Murmur3, ends, lists)
}

// keep records the addresses of the nodes, and warns of pending changes.
func (w *ringWatch) keep(r ringState) error {
	addresses, err := r.standing.StoragePorts(r.cluster.Nodes, w.settings.port)
	if err != nil {
		return err
	}
	names := make(map[string]string)
	var all []string
	for _, n := range r.cluster.Nodes {
		names[n.ID] = n.Address
	}
	for _, change := range r.changes {
		all = append(
			all,
			fmt.Sprintf("node %s %s", cmp.Or(names[change.Node], change.Node), change),
		)
	}
	slices.Sort(all)
	w.mu.Lock()
	w.addresses, w.names = addresses, names
	w.mu.Unlock()
	if len(all) > 0 && !w.settings.files { // for files, the refusal names the changes
		w.warnOnce(
			strings.Join(
				all,
				", ",
			) + ": rows are streamed to the nodes that they belong to now, and to those that they will belong to",
		)
	}
	return nil
}

// warnOnce warns unless it did with the same text last.
func (w *ringWatch) warnOnce(what string) {
	w.mu.Lock()
	same := w.told == what
	w.told = what
	w.mu.Unlock()
	if !same {
		w.warn("%s", what)
	}
}

// ports returns the known addresses of storage ports, by node ID.
func (w *ringWatch) ports() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.addresses
}

// address returns the address of a node's storage port.
func (w *ringWatch) address(node string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.addresses[node]
}

// name returns a node's address, as messages have it.
func (w *ringWatch) name(node string) string {
	w.mu.Lock()
	name := w.names[node]
	w.mu.Unlock()
	return cmp.Or(name, w.t.NodeName(node))
}

// witnesses is the number of nodes that are asked for their gossip. They include the node that
// takes over the ranges of a removed node: it may be the only one that knows of that
// (Gossiper.advertiseRemoving).
const witnesses = 16

// shadowRound asks nodes for their gossip, at their storage ports.
func (w *ringWatch) shadowRound(
	ctx context.Context,
	s table.Placement,
) ([]topology.Endpoint, error) {
	if w.client == nil {
		return nil, errors.New("storage ports are not connected to")
	}
	addresses, err := s.StoragePorts(w.known.Nodes, w.settings.port)
	if err != nil {
		return nil, err
	}
	l, done, err := w.listen(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	nodes := slices.Sorted(maps.Keys(addresses))
	slices.SortStableFunc(nodes, func(a, b string) int {
		down := map[bool]int{false: 1}
		return cmp.Compare(down[w.t.Session.Connected(a)], down[w.t.Session.Connected(b)])
	})
	if up := slices.IndexFunc(
		nodes,
		func(id string) bool { return !w.t.Session.Connected(id) },
	); up > 0 {
		nodes = nodes[:up] // not those that are down
	}
	failed := errors.New("the storage port of no node is known")
	for some := range slices.Chunk(nodes[:min(len(nodes), 2*witnesses)], witnesses) {
		lists, errs := make([][]topology.Endpoint, len(some)), make([]error, len(some))
		var asking sync.WaitGroup
		for i, node := range some {
			asking.Go(func() { lists[i], errs[i] = w.askByGossip(ctx, addresses[node], l) })
		}
		asking.Wait()
		switch at := slices.Index(errs, nil); {
		case ctx.Err() != nil:
			return nil, fault.New(fault.Canceled, context.Cause(ctx))
		case at >= 0:
			return topology.MergeEndpoints(lists...), nil
		}
		failed = errs[0]
	}
	return nil, fault.New(fault.Transient, failed)
}

// askByGossip asks one node.
func (w *ringWatch) askByGossip(
	ctx context.Context,
	address string,
	l *internode.Listener,
) (all []topology.Endpoint, err error) {
	heard, err := w.client.Gossip(
		ctx,
		address,
		l,
		internode.Syn{Cluster: w.known.Name, Partitioner: w.known.Partitioner},
	)
	if err != nil {
		return nil, err
	}
	for _, h := range heard {
		e := topology.Endpoint{
			ID: h.Get(
				internode.StateHostID,
			),
			Address:    h.Address.String(),
			DC:         h.Get(internode.StateDC),
			Rack:       h.Get(internode.StateRack),
			Generation: int(h.Generation),
		}
		for _, state := range h.States {
			switch state.State {
			case internode.StateStatusWithPort:
				e.Status, e.Version = state.Value, int(state.Version)
			case internode.StateStatus:
				if e.Status == "" {
					e.Status, e.Version = state.Value, int(state.Version)
				}
			}
		}
		tokens, err := h.Tokens()
		if err != nil {
			return nil, err
		}
		for _, t := range tokens {
			at, err := token.Murmur3.ReadWire(t)
			if err != nil {
				return nil, err
			}
			e.Tokens = append(e.Tokens, at)
		}
		all = append(all, e)
	}
	return all, nil
}

// listen opens the listener for answers of gossip. The caller calls done at the end.
func (w *ringWatch) listen(ctx context.Context) (l *internode.Listener, done func(), err error) {
	if w.settings.listener != nil {
		return w.settings.listener, func() {}, nil
	}
	l, err = listen.Open(ctx, w.settings.listen, listen.Briefly, w.client.TLS)
	return l, func() { _ = l.Close() }, err
}
