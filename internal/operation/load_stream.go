package operation

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/target/stream"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// The ways that rows go into a table.
const (
	viaCQL    = "cql"
	viaStream = "stream"
)

// The forms in which rows are streamed.
const (
	streamAuto  = "auto" // whole where that can be
	streamRows  = "rows"
	streamWhole = "whole"
)

// streaming is what a load by streaming is made with, besides what all loads are.
type streaming struct {
	options   stream.Options
	places    map[string]string // of the nodes on the ring
	told      map[string]string // addresses of storage ports as the nodes told them, by node
	addresses map[string]string // the same, with the port that was named
	client    *internode.Client
	others    bool // some node writes SSTables of another version than nb
}

// checkVia refuses settings that mean nothing on the way that was chosen.
func (o *LoadSpec) checkVia() error {
	if o.Via != viaCQL && o.Via != viaStream {
		return fmt.Errorf("--via %q: must be %s or %s", o.Via, viaCQL, viaStream)
	}
	if o.StoragePort < 0 || o.StoragePort > 65535 {
		return fmt.Errorf("--storage-port %d: must be from 1 to 65535", o.StoragePort)
	}
	if o.Via == viaCQL {
		for name, given := range map[string]bool{
			"temp-dir": o.TempDir != "", "storage-port": o.StoragePort != 0, "ignore-hosts": len(o.IgnoreHosts) > 0, "append-collections": o.AppendCollections, "internode-ssl": o.Internode.On, "stream": o.Stream != streamAuto,
		} {
			if given {
				return fmt.Errorf("--%s: means nothing without --via %s", name, viaStream)
			}
		}
		return nil
	}
	if !slices.Contains([]string{streamAuto, streamRows, streamWhole}, o.Stream) {
		return fmt.Errorf("--stream %q: must be %s, %s or %s", o.Stream, streamAuto, streamRows, streamWhole)
	}
	if o.IfNotExists {
		return fmt.Errorf("--if-not-exists: a lightweight transaction is a matter of CQL, and --via %s goes past it", viaStream)
	}
	if o.DC != "" {
		return fmt.Errorf("--dc %s: --via %s sends rows to the replicas in all data centers", o.DC, viaStream)
	}
	// What was typed for this load is meant for it; what a file says for all is not.
	for _, name := range []string{"ingestrate", "inflight", "minbatchsize", "maxbatchsize", "maxattempts", "cores", "repeat-in-doubt"} {
		if o.Given[name] {
			return fmt.Errorf("--%s: means nothing with --via %s, which sends no rows one by one", name, viaStream)
		}
	}
	return nil
}

// prepareStream finds out whether the table can be loaded by streaming, and how.
func (l *Load) prepareStream(ctx context.Context) error {
	options, err := l.t.session.TableOptions(ctx, l.t.table.Keyspace, l.t.table.Name)
	if err != nil {
		return err
	}
	if err := l.refuseStream(options); err != nil {
		return fmt.Errorf("--via %s: %w", viaStream, err)
	}
	placement, err := l.t.cluster.PlaceAll(l.t.replication)
	if err != nil {
		return fmt.Errorf("--via %s: %w", viaStream, err)
	}
	s := &streaming{options: stream.Options{
		Table: l.t.table, Placement: placement, Ignored: make(map[string]bool),
		TTL: int32(cmp.Or(l.spec.TTL, options.DefaultTTL)), Append: l.spec.AppendCollections,
		Memory: int64(l.spec.Memory) / sortShare, Dir: l.spec.TempDir,
		Check: l.unmoved, Patience: l.spec.Patience, NodeName: l.t.nodeName, OnRetry: func() { l.job.Counters.Retries.Add(1) },
	}}
	s.client = &internode.Client{Limiter: pace.NewLimiter(float64(l.spec.MaxBytesPerSec))}
	if s.client.TLS, err = l.spec.Internode.config(l.env); err != nil {
		return err
	}
	for _, n := range l.t.cluster.Nodes {
		s.options.Nodes = append(s.options.Nodes, n.ID)
	}
	for i := range placement.Len() {
		if len(placement.Replicas(i)) == 0 {
			return fmt.Errorf("--via %s: some rows have no replica: the keyspace's replication is %v", viaStream, l.t.replication)
		}
	}
	if err := l.ignoreHosts(s); err != nil {
		return err
	}
	if err := l.findStorage(ctx, s); err != nil {
		return err
	}
	if s.places, err = l.t.session.Places(ctx); err != nil {
		return err
	}
	if len(s.places) != len(l.t.cluster.Nodes) {
		return fmt.Errorf("--via %s: the cluster tells of %d nodes, and %d are known here: some of them are no members, or were left out", viaStream, len(s.places), len(l.t.cluster.Nodes))
	}
	if err := l.chooseForm(s, options); err != nil {
		return err
	}
	l.streaming = s
	notes := passedBy(options)
	if len(s.options.Ignored) > 0 {
		notes = append(notes, fmt.Sprintf("%s %s left out, and will need a repair", strings.Join(l.spec.IgnoreHosts, ", "), map[bool]string{true: "is", false: "are"}[len(s.options.Ignored) == 1]))
	}
	for _, note := range notes {
		l.env.Warn("%s", note)
	}
	return nil
}

// chooseForm decides whether nodes are sent whole SSTables.
func (l *Load) chooseForm(s *streaming, options driver.TableOptions) error {
	if l.spec.Stream == streamRows {
		return nil
	}
	whole, why := wholeOptions(options)
	if s.others {
		whole, why = nil, "some nodes write SSTables of another version than nb"
	}
	if why != "" && l.spec.Stream == streamWhole {
		return fmt.Errorf("--stream %s: %s", streamWhole, why)
	}
	if why != "" {
		l.env.Warn("rows are streamed one by one: %s", why)
	}
	s.options.Whole = whole
	return nil
}

// wholeOptions says how SSTables of a table are made, or why they must not be sent whole.
func wholeOptions(o driver.TableOptions) (whole *stream.WholeOptions, why string) {
	for _, index := range o.Indexes {
		if index.Class != "" {
			return nil, fmt.Sprintf("index %s is of %s, which fails when it is sent whole SSTables", index.Name, index.Class)
		}
	}
	whole = &stream.WholeOptions{FilterChance: o.BloomFPChance, IndexInterval: o.MinIndexInterval}
	if len(o.Compression) == 0 {
		return whole, ""
	}
	c := &whole.Compression
	c.Compressor = o.Compression["class"][strings.LastIndexByte(o.Compression["class"], '.')+1:]
	if !slices.Contains([]string{sstable.LZ4Compressor, sstable.ZstdCompressor, sstable.NoopCompressor}, c.Compressor) {
		return nil, fmt.Sprintf("the table is compressed by %s, which is not written here", c.Compressor)
	}
	length, err := strconv.Atoi(o.Compression["chunk_length_in_kb"])
	if err != nil || length < 1 {
		return nil, fmt.Sprintf("the table's chunks are of %q KiB", o.Compression["chunk_length_in_kb"])
	}
	c.ChunkLength = length << 10
	if ratio, err := strconv.ParseFloat(o.Compression["min_compress_ratio"], 64); err == nil && ratio >= 1 {
		c.MaxCompressedLength = int(math.Ceil(float64(c.ChunkLength) / ratio))
	}
	for name, value := range o.Compression {
		if name != "class" && name != "chunk_length_in_kb" && name != "min_compress_ratio" && name != "enabled" {
			c.Options = append(c.Options, [2]string{name, value})
		}
	}
	slices.SortFunc(c.Options, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
	return whole, ""
}

// sortShare is the part of the memory that rows take which are being sorted.
const sortShare = 4

// refuseStream says why a table cannot be loaded by streaming, if it cannot.
func (l *Load) refuseStream(options driver.TableOptions) error {
	t := l.t.table
	switch {
	case t.IsCounter():
		return fmt.Errorf("%s has counters, which only the servers can count", t)
	case options.Compact:
		return fmt.Errorf("%s is a table of COMPACT STORAGE", t)
	case t.ID == "":
		return fmt.Errorf("%s is a virtual table", t)
	case l.t.plan.Placement() == nil:
		return fmt.Errorf("the replicas of %s cannot be told: %s", t, l.t.plan.Serial)
	case l.t.plan.Partitioner().Name() != "Murmur3Partitioner":
		return fmt.Errorf("the cluster's partitioner is %s; only Murmur3Partitioner is served", l.t.plan.Partitioner().Name())
	case options.IsView:
		return fmt.Errorf("%s is a materialized view: its base table is what can be loaded", t)
	case l.t.session.IsScylla():
		return errors.New("ScyllaDB does not take streams from others")
	}
	for _, n := range l.t.cluster.Nodes {
		if major, _ := strconv.Atoi(strings.SplitN(n.Version, ".", 2)[0]); major < 4 || major > 5 {
			return fmt.Errorf("node %s is of version %s; only those of Cassandra 4.0 to 5.0 are served", n.Address, n.Version)
		}
	}
	return nil
}

// passedBy says what the servers do with rows that come by CQL, and not with these.
func passedBy(o driver.TableOptions) []string {
	notes := []string{"rows go past CQL: rights, guardrails, audit and hints do not see them"}
	if len(o.Triggers) > 0 {
		notes = append(notes, fmt.Sprintf("the table has triggers (%s), which are not run", strings.Join(o.Triggers, ", ")))
	}
	if len(o.Views) > 0 || o.CDC {
		notes = append(notes, "the servers write each row once more, for the table's views or its change capture, which takes them as long as by CQL")
	}
	return notes
}

// ignoreHosts finds the nodes that are to be left out.
func (l *Load) ignoreHosts(s *streaming) error {
	for _, name := range l.spec.IgnoreHosts {
		found := false
		for _, n := range l.t.cluster.Nodes {
			host, _, err := net.SplitHostPort(n.Address)
			if name == n.ID || name == n.Address || err == nil && name == host {
				s.options.Ignored[n.ID], found = true, true
			}
		}
		if !found {
			return fmt.Errorf("--ignore-hosts %q: the cluster has no such node", name)
		}
	}
	for i := range s.options.Placement.Len() {
		if !slices.ContainsFunc(s.options.Placement.Replicas(i), func(n int) bool { return !s.options.Ignored[s.options.Nodes[n]] }) {
			return errors.New("--ignore-hosts: some rows would have no replica left")
		}
	}
	return nil
}

// findStorage finds the nodes' storage ports, and whether they can be reached from here.
func (l *Load) findStorage(ctx context.Context, s *streaming) (err error) {
	if s.told, err = l.t.session.StorageAddresses(ctx); err != nil {
		return err
	}
	s.addresses = maps.Clone(s.told)
	holds := make(map[string]bool)
	for i := range s.options.Placement.Len() {
		for _, n := range s.options.Placement.Replicas(i) {
			holds[s.options.Nodes[n]] = !s.options.Ignored[s.options.Nodes[n]]
		}
	}
	var mu sync.Mutex
	var group errgroup.Group
	for _, n := range l.t.cluster.Nodes {
		address, known := s.addresses[n.ID]
		if l.spec.StoragePort != 0 {
			host, _, err := net.SplitHostPort(cmp.Or(address, n.Address))
			if err != nil {
				return fmt.Errorf("node %s: %w", n.Address, err)
			}
			address, known = net.JoinHostPort(host, strconv.Itoa(l.spec.StoragePort)), true
			s.addresses[n.ID] = address
		}
		if !holds[n.ID] {
			continue
		}
		if !known {
			return fmt.Errorf("--via %s: node %s does not tell its storage port: name it with --storage-port", viaStream, n.Address)
		}
		group.Go(func() error {
			probed, err := s.client.Probe(ctx, address)
			mu.Lock()
			defer mu.Unlock()
			s.others = s.others || err == nil && !probed.WritesNB()
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fault.New(fault.Fatal, fmt.Errorf("--via %s: %w", viaStream, err))
	}
	return nil
}

// unmoved gives an error when rows may belong to other nodes than when the load began.
func (l *Load) unmoved(ctx context.Context) error {
	var replication, addresses, places map[string]string
	var table *schema.Table
	err := insist(ctx, func() (err error) {
		places, err = l.t.session.Places(ctx)
		return err
	}, func() (err error) {
		replication, err = l.t.session.Replication(ctx, l.t.table.Keyspace)
		return err
	}, func() (err error) {
		table, err = l.t.session.Table(ctx, l.t.table.Keyspace, l.t.table.Name)
		return err
	}, func() (err error) {
		addresses, err = l.t.session.StorageAddresses(ctx)
		return err
	})
	switch {
	case err != nil:
		return err
	case table.ID != l.t.table.ID || table.Fingerprint() != l.t.table.Fingerprint():
		return fault.New(fault.Fatal, errors.New("the table was changed, or made anew, meanwhile"))
	case !maps.Equal(addresses, l.streaming.told) || !maps.Equal(places, l.streaming.places) || !maps.Equal(replication, l.t.replication):
		return fault.New(fault.Fatal, errors.New("nodes came, went or moved meanwhile, or the keyspace's replication was changed: some rows may belong to nodes that do not have them; resume sends all of them to where they belong now"))
	}
	return nil
}

// startStream makes the target of a load by streaming.
func (l *Load) startStream() error {
	o := l.streaming.options
	o.Now = time.Now()
	if l.journal != nil {
		o.Now = l.journal.Manifest().Started
	}
	o.Run = strconv.FormatInt(time.Now().UnixNano(), 36)
	if l.journal != nil {
		o.Run = l.journal.Manifest().Run
	}
	o.Timestamp = o.Now.UnixMicro()
	if l.job.Timestamp != nil {
		o.Timestamp = *l.job.Timestamp
	}
	if o.Dir == "" && l.journal != nil {
		o.Dir = l.run.path
	}
	if o.Dir == "" {
		o.Dir = "."
	}
	id, err := hex.DecodeString(strings.ReplaceAll(l.t.table.ID, "-", ""))
	if err != nil || len(id) != 16 {
		return fmt.Errorf("table %s has the id %q, which is none", l.t.table, l.t.table.ID)
	}
	sender := &streamSender{client: l.streaming.client, table: internode.UUID(id), addresses: l.streaming.addresses}
	o.Sender = sender
	if l.spec.DryRun {
		o.Sender = noSender{}
	}
	target, err := stream.New(o)
	if err != nil {
		return err
	}
	sender.header = target.Header()
	l.job.Stream = target
	return nil
}

// streamSender sends files to storage ports.
type streamSender struct {
	client    *internode.Client
	table     internode.UUID
	header    []byte
	addresses map[string]string
}

// Send is a method of stream.Sender: it holds one session.
func (s *streamSender) Send(ctx context.Context, node string, f stream.File) error {
	file := internode.File{Table: s.table, Keys: f.Keys, Header: s.header, Whole: wholeOf(f.Whole)}
	if f.Whole == nil {
		file.Length = f.Bytes
		file.Open = func() (io.ReadCloser, error) { return io.NopCloser(f.Open()), nil }
	}
	_, err := s.client.Stream(ctx, s.addresses[node], []internode.File{file}, internode.Watch{})
	return fault.New(classOf(internode.KindOf(err)), err)
}

// wholeOf is a whole SSTable as it is sent; nil of none.
func wholeOf(w *stream.Whole) *internode.Whole {
	if w == nil {
		return nil
	}
	out := &internode.Whole{Version: w.Version.String(), FirstKey: w.First}
	for _, c := range slices.Sorted(maps.Keys(w.Sizes)) {
		if c == sstable.TOCTxt { // nodes refuse it
			continue
		}
		out.Components = append(out.Components, internode.Component{
			Name: string(c), Size: w.Sizes[c], Open: func() (io.ReadCloser, error) { return os.Open(w.Path(c)) },
		})
	}
	return out
}

// classOf says what may be done about an error of a session.
func classOf(kind internode.Kind) fault.Class {
	switch kind {
	case internode.Unreachable, internode.Failed, internode.Lost, internode.Deadline, internode.Version, internode.TLS:
		// Once more does no harm, whatever became of it. All nodes spoke the protocol when the load
		// began: what one says that starts anew is not for good.
		return fault.Transient
	case internode.Canceled:
		return fault.Canceled
	default:
		return fault.Permanent
	}
}

// noSender is for a dry run.
type noSender struct{}

func (noSender) Send(context.Context, string, stream.File) error { return nil }
