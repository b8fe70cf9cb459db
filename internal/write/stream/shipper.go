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

// shipper sends partitions to their nodes. It is the common part of Target, which makes them of
// rows, and of Copier, which copies them.
type shipper struct {
	o         Options
	schema    *sstable.Schema
	codec     *sstable.Codec
	folder    string      // of SSTables that are made here
	begun     atomic.Bool // a file was sent, or was tried
	aimed     Ring        // the ring that the present files were made for
	throttles *pace.Throttles
	// reject rejects the rows of the input that made a row which a node does not take. It reports
	// whether it found all of them. nil: there is no input.
	reject func(ctx context.Context, r *refusedRow, reason error) (bool, error)

	mu         sync.Mutex // of what follows
	stats      Stats
	partitions int64            // of the last delivery, until it has arrived
	nodes      map[string]*node // by id
}

// prepare sets up a shipper. It fails for a table whose rows cannot be written to SSTables.
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

// Stats counts what was sent.
type Stats struct {
	Slices     int64 // that nodes have
	Partitions int64 // in these slices; a partition counts once in each slice that has rows of it
	Whole      bool  // SSTables were made on this host and sent as they are
	Files      int64 // files that nodes have, each an SSTable or more
	// bytes of these files on the network; before compression if they did not cross it
	Bytes   int64
	Spilled int64       // bytes that were sorted on the disk
	Nodes   []NodeStats // nodes that have files, in the order of their names
}

// NodeStats counts what one node was sent.
type NodeStats struct {
	Node string // its name
	// sizes of the node's files, in bytes: of an SSTable all components, else the rows
	Sizes []int64
	Time  time.Duration // time with sessions in flight
}

func (s *Stats) add(other Stats) {
	s.Slices += other.Slices
	s.Partitions += other.Partitions
	s.Files += other.Files
	s.Bytes += other.Bytes
	s.Spilled += other.Spilled
}

// Begun reports whether anything was sent. Nodes may have kept a part of it.
func (c *shipper) Begun() bool { return c.begun.Load() }

// Stats returns what was sent so far.
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

// removeLeftovers removes the SSTables that an earlier run left when it was killed; they are
// written again. It returns a function that removes those of this run.
func (c *shipper) removeLeftovers() (removeOwn func() error, err error) {
	if err := os.RemoveAll(c.folder); err != nil {
		return nil, fmt.Errorf("SSTables of an earlier run: %w", err)
	}
	return func() error { return os.RemoveAll(c.folder) }, nil
}

// delivered adds what a finished delivery sent to the totals. err is the error that it ended with.
// Its partitions count once they have arrived, because they may be sent again.
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
