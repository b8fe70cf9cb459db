package probe

import (
	"context"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Table returns the facts about a table that is described. write is set for a load.
func Table(t *table.Table, write bool) doctor.Table {
	s := t.Schema
	return doctor.Table{
		Name:     s.String(),
		Columns:  len(s.Columns),
		Keys:     len(s.OfKind(schema.PartitionKey)) + len(s.OfKind(schema.Clustering)),
		Counters: s.IsCounter(),
		Serial:   t.Plan.Serial,
		Write:    write,
	}
}

// Replication returns how rows are replicated, and which nodes are up. dc is the data center that
// the user named; empty: none.
func Replication(t *table.Table, dc string) doctor.Replication {
	r := doctor.Replication{
		Options: t.Replication,
		Level:   t.Consistency,
		LocalDC: t.Cluster.LocalDC,
		Nodes:   t.Cluster.Nodes,
		AllDCs:  dc == "",
	}
	// If a table has tablets, only the local replicas are known.
	if placement, err := t.Cluster.PlaceAll(t.Replication); err == nil && !t.IsScylla() {
		r.Placement = placement
	}
	return r
}

// Permissions that a load or a scan needs.
const (
	mayRead  = "SELECT"
	mayWrite = "MODIFY"
)

// Rights asks for the user's permissions on the table, and tries to read it. If rows bypass CQL, it
// asks nothing: rights are not checked there.
func (c *Cluster) Rights(ctx context.Context) doctor.Rights {
	command, t := c.command, c.Table
	r := doctor.Rights{
		Level:    command.Config.Consistency,
		User:     command.Config.User,
		Table:    t.Schema.String(),
		Needs:    []string{mayWrite},
		Bypassed: command.bypassed() != "",
	}
	switch {
	case r.Bypassed:
		return r
	case command.Scan != nil:
		r.Needs = []string{mayRead}
	case command.Unknown:
		r.Needs, r.Either = []string{mayRead, mayWrite}, true
	case command.Load.IfNotExists:
		r.Needs = []string{mayRead, mayWrite}
	}
	known, err := t.Session.Rights(ctx, t.Schema.Keyspace, t.Schema.Name)
	r.Open, r.Super, r.Granted, r.Hidden = known.Open, known.Super, known.Granted, err
	r.Read = table.Ask(ctx, func() error { return c.readOne(ctx) })
	r.Denied, r.Wrong = driver.Unauthorized(r.Read), fault.ClassOf(r.Read) == fault.Permanent
	if ctx.Err() != nil {
		r.Read = fmt.Errorf("no answer within %s", command.Patience)
	}
	return r
}

// readOne reads the table in a range of one token, at the command's consistency level and by its
// condition.
func (c *Cluster) readOne(ctx context.Context) error {
	t := c.Table
	key := t.Schema.OfKind(schema.PartitionKey)[0]
	selection, err := t.Schema.Selectors([]string{key.Name})
	if err != nil {
		return err
	}
	p := t.Plan.Partitioner()
	if p == nil {
		return nil // the whole table would be read
	}
	within := token.Range{Start: p.Hash([]byte("a")), End: p.Hash([]byte("a"))}
	within.End.Lo++
	query := driver.Columns(selection)
	if scan := c.command.Scan; scan != nil {
		query.Where, query.AllowFiltering = scan.Where, scan.AllowFiltering
	}
	page, err := t.Session.Reader(t.Schema, query, p).Page(ctx, "", within, nil, 1)
	if err == nil {
		page.Close()
	}
	return err
}
