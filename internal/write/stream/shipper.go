package stream

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// shipper brings partitions to their nodes, wherever they come from: a Target makes them of rows, a
// Copier has them as they are.
type shipper struct {
	o         Options
	schema    *sstable.Schema
	codec     *sstable.Codec
	folder    string      // of SSTables that are made here
	begun     atomic.Bool // something was sent
	aimed     Ring        // as it was when what is sent was aimed at it
	throttles *pace.Throttles
	// reject has the rows of the input rejected that made a row which a node does not take, and
	// reports whether all of them were found; nil: there is no input.
	reject func(ctx context.Context, r *refusedRow, reason error) (bool, error)

	mu         sync.Mutex // of what follows
	stats      Stats
	partitions int64            // of what was delivered last, until it has arrived
	nodes      map[string]*node // by id
}

// prepare sets a carrier up. It fails for a table whose rows cannot be written as SSTables.
func (c *shipper) prepare(o Options, minima sstable.Minima) (err error) {
	c.o = o.withDefaults()
	c.stats.Whole, c.folder = o.Whole != nil, filepath.Join(o.Dir, ".sstables-"+o.Run)
	c.nodes, c.throttles = make(map[string]*node), pace.NewThrottles()
	if c.schema, err = sstable.Plan(o.Table.Stored()); err != nil {
		return err
	}
	c.codec, err = sstable.NewCodec(c.schema, c.o.Version, minima)
	return err
}

// Stats are of what was sent.
type Stats struct {
	Slices     int64 // that nodes have
	Partitions int64 // of these slices, each counted in every slice that has rows of it
	Whole      bool  // SSTables were made here and sent as they are
	Files      int64 // that nodes have, each an SSTable or more
	// of those files, as they went over the network; before compression if they did not
	Bytes   int64
	Spilled int64       // bytes that were sorted on the disk
	Nodes   []NodeStats // those that have files, in the order of their names
}

// NodeStats are of what one node was sent.
type NodeStats struct {
	Node string // its name
	// of the files that it has, in bytes: of a whole SSTable all components, else the rows
	Sizes []int64
	Time  time.Duration // in which sessions were under way
}

func (s *Stats) add(other Stats) {
	s.Slices += other.Slices
	s.Partitions += other.Partitions
	s.Files += other.Files
	s.Bytes += other.Bytes
	s.Spilled += other.Spilled
}

// Begun says whether anything was sent, of which nodes may have kept a part.
func (c *shipper) Begun() bool { return c.begun.Load() }

// Stats tells of what was sent so far.
func (c *shipper) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	stats := c.stats
	for _, n := range c.nodes {
		if s := n.stats(); len(s.Sizes) > 0 {
			stats.Nodes = append(stats.Nodes, s)
		}
	}
	slices.SortFunc(
		stats.Nodes,
		func(a, b NodeStats) int { return strings.Compare(a.Node, b.Node) },
	)
	return stats
}

// removeLeftovers removes the SSTables that an earlier run left, when it was killed: they are written again.
// What it returns removes those of this run.
func (c *shipper) removeLeftovers() (again func() error, err error) {
	if err := os.RemoveAll(c.folder); err != nil {
		return nil, fmt.Errorf("SSTables of an earlier run: %w", err)
	}
	return func() error { return os.RemoveAll(c.folder) }, nil
}

// delivered adds what a delivery that has ended brought to the nodes. The error is the one that it
// ended with. The partitions count once they have arrived: they may be sent again.
func (c *shipper) delivered(d *delivery, stats Stats, err error) error {
	stats.Files, stats.Bytes = d.files.Load(), d.bytes.Load()
	c.mu.Lock()
	c.partitions, stats.Partitions = stats.Partitions, 0
	c.stats.add(stats)
	c.mu.Unlock()
	if err != nil {
		return fmt.Errorf("delivery: %w", err)
	}
	return nil
}
