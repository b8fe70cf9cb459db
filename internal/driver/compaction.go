package driver

import (
	"context"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// Compaction is what a node's compaction has to do at a moment, as far as CQL shows it.
type Compaction struct {
	Active, Pending int   // tasks of all tables: running, and waiting for a thread
	Left            int64 // bytes of the table that running tasks have yet to read
}

// Compactions asks each of the nodes that is up for its compaction. Cassandra has virtual tables of
// it since 4.0. The result is by host id, without nodes that do not report it. Pending tasks are
// those in the executor's queue: a node finds out what else is worth compacting only when a task
// has ended.
func (s *Session) Compactions(
	ctx context.Context,
	nodes []topology.Node,
	keyspace, table string,
) map[string]Compaction {
	_, hosts := s.upOf(nodes)
	all := make([]Compaction, len(hosts))
	errs, _ := s.askAll(ctx, hosts, func(ctx context.Context, i int) error {
		var err error
		all[i], err = s.compaction(ctx, hosts[i].HostID(), keyspace, table)
		return err
	})
	told := make(map[string]Compaction)
	for i, h := range hosts {
		if errs[i] == nil {
			told[h.HostID()] = all[i]
		} else {
			s.cfg.Logf("cannot read what compaction has to do: %v", errs[i])
		}
	}
	return told
}

// compaction asks one node.
func (s *Session) compaction(
	ctx context.Context,
	host, keyspace, table string,
) (Compaction, error) {
	var c Compaction
	told := false
	err := s.each(
		ctx,
		host,
		func() error { told = true; return nil },
		[]any{&c.Active, &c.Pending},
		"SELECT active_tasks, pending_tasks FROM system_views.thread_pools WHERE name = 'CompactionExecutor'",
	)
	if err == nil && !told {
		err = fmt.Errorf("node %s has no pool of threads for it", host)
	}
	if err != nil {
		return c, err
	}
	var unit string
	var done, total int64
	err = s.each(ctx, host, func() error {
		if unit == "bytes" {
			c.Left += max(total-done, 0)
		}
		return nil
	}, []any{&unit, &done, &total}, "SELECT unit, progress, total FROM system_views.sstable_tasks WHERE keyspace_name = ? AND table_name = ?", keyspace, table)
	return c, err
}
