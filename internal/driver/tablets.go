package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Replica is where one copy of a tablet is.
type Replica struct {
	HostID string
	Shard  int
}

// tabletMap is what Tablets has read for a table.
type tabletMap struct {
	ends     []token.Token
	replicas [][]Replica
}

// Tablets reads where the tablets of a table or a materialized view are, from system.tablets, which
// each ScyllaDB node has a copy of. Tablet i begins behind the end of the one before it, or at the
// lowest token, and ends at ends[i]. The last one ends at the highest token. ok is false if the
// table has no tablets: then the ring places its rows. The slices must not be changed.
//
// The session remembers the answer. From then on, requests for this table to a replica reach the
// shard that has the tablet. Tablets may move. The server passes on a request that comes to a
// former place, so an old answer only costs time.
//
// The layout is that of ScyllaDB's docs/dev/system_keyspace.md.
func (s *Session) Tablets(
	ctx context.Context,
	keyspace, table string,
) (ends []token.Token, replicas [][]Replica, ok bool, err error) {
	if !s.IsScylla() {
		return nil, nil, false, nil
	}
	id, err := s.tableID(ctx, keyspace, table)
	if err != nil || id == (gocql.UUID{}) {
		return nil, nil, false, err
	}
	m, err := s.readTablets(ctx, id)
	if err == nil && len(m.ends) == 0 {
		// If a table has its tablets where those of another table are, its entry names that table.
		if id, err = s.tabletBase(ctx, id); err == nil && id != (gocql.UUID{}) {
			m, err = s.readTablets(ctx, id)
		}
	}
	switch {
	case refused(err): // a version without tablets, or without base tables
		return nil, nil, false, nil
	case err != nil:
		return nil, nil, false, err
	case len(m.ends) == 0:
		return nil, nil, false, nil
	}
	s.tablets.Store(tableName(keyspace, table), m)
	return m.ends, m.replicas, true, nil
}

// IsScylla reports whether the cluster is ScyllaDB.
func (s *Session) IsScylla() bool {
	return slices.ContainsFunc(
		s.hosts(),
		func(h *gocql.HostInfo) bool { return h.ScyllaFeatures().IsPresent() },
	)
}

func tableName(keyspace, table string) string {
	return cqltype.QuoteIdent(keyspace) + "." + cqltype.QuoteIdent(table)
}

// refused reports whether the server refused a statement as invalid, as for names that it does not
// have.
func refused(err error) bool {
	var answer interface{ GetCode() int } // as in the library's errors
	return errors.As(err, &answer) && answer.GetCode() == gocql.ErrCodeInvalid
}

// tableID returns the id of a table or a view, zero if there is none of that name.
func (s *Session) tableID(ctx context.Context, keyspace, table string) (gocql.UUID, error) {
	var id gocql.UUID
	for _, stmt := range []string{
		"SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
		"SELECT id FROM system_schema.views WHERE keyspace_name = ? AND view_name = ?",
	} {
		err := s.each(ctx, "", func() error { return nil }, []any{&id}, stmt, keyspace, table)
		if err != nil || id != (gocql.UUID{}) {
			return id, err
		}
	}
	return id, nil
}

// tabletBase returns the table whose tablets determine those of the given one.
func (s *Session) tabletBase(ctx context.Context, id gocql.UUID) (gocql.UUID, error) {
	var base gocql.UUID
	err := s.each(ctx, "", func() error { return nil }, []any{&base},
		"SELECT base_table FROM system.tablets WHERE table_id = ?", id)
	return base, err
}

func (s *Session) readTablets(ctx context.Context, id gocql.UUID) (*tabletMap, error) {
	m := &tabletMap{}
	var last, list cell
	err := s.each(ctx, "", func() error {
		if last.bytes == nil {
			return nil // the row has only the static columns
		}
		end, err := token.Murmur3.ReadWire(last.bytes)
		if err != nil {
			return fmt.Errorf("system.tablets: %w", err)
		}
		replicas, err := readReplicas(list.bytes)
		if err != nil {
			return fmt.Errorf(
				"system.tablets: replicas of the tablet that ends at token %s: %w",
				token.Murmur3.Append(nil, end),
				err,
			)
		}
		m.ends, m.replicas = append(m.ends, end), append(m.replicas, replicas)
		return nil
	}, []any{&last, &list}, "SELECT last_token, replicas FROM system.tablets WHERE table_id = ?", id)
	return m, err
}

// readReplicas decodes a list<tuple<uuid, int>> without nulls.
func readReplicas(wire []byte) ([]Replica, error) {
	bad := fmt.Errorf("%d bytes are no list of nodes and shards", len(wire))
	count, ok := cqlwire.Count(wire)
	if !ok || count < 0 {
		return nil, bad
	}
	var replicas []Replica
	pos := 4
	for range count {
		tuple, _, next, _ := cqlwire.ElemAt(wire, pos)
		host, _, at, _ := cqlwire.ElemAt(tuple, 0)
		shard, _, at, _ := cqlwire.ElemAt(tuple, at)
		if len(host) != 16 || len(shard) != 4 || at != len(tuple) {
			return nil, bad
		}
		replicas = append(
			replicas,
			Replica{HostID: gocql.UUID(host).String(), Shard: int(cqlwire.Int(shard))},
		)
		pos = next
	}
	if pos != len(wire) {
		return nil, bad
	}
	return replicas, nil
}

// tablet returns the tablet of a table with token at, and the shard of a node that has it; ok is
// false if that is not known.
func (s *Session) tablet(
	table, host string,
	at token.Token,
) (shard int, within token.Range, ok bool) {
	known, ok := s.tablets.Load(table)
	if !ok {
		return 0, token.Range{}, false
	}
	m := known.(*tabletMap)
	i, _ := slices.BinarySearchFunc(m.ends, at, token.Token.Compare)
	if i == len(m.ends) {
		return 0, token.Range{}, false
	}
	within.End = m.ends[i]
	if i > 0 {
		within.Start = m.ends[i-1]
	}
	for _, r := range m.replicas[i] {
		if r.HostID == host {
			return r.Shard, within, true
		}
	}
	return 0, token.Range{}, false
}
