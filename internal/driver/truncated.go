package driver

import (
	"context"
	"fmt"
	"strings"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Truncations asks each of the nodes that is up when it last truncated a table, by the
// table's id: in milliseconds since the epoch by the node's own clock, 0 for never. The answers
// stand by host id; a node that does not tell has none.
func (s *Session) Truncations(ctx context.Context, nodes []topology.Node, table string) map[string]int64 {
	told := make(map[string]int64)
	id, err := gocql.ParseUUID(table)
	if err != nil {
		return told
	}
	var asked []*gocql.HostInfo
	for _, n := range nodes {
		if h := s.policy.host(n.ID); h != nil && n.Up {
			asked = append(asked, h)
		}
	}
	at := make([]int64, len(asked))
	errs, _ := s.askAll(ctx, asked, func(ctx context.Context, i int) (err error) {
		at[i], err = s.truncated(ctx, asked[i], id)
		return err
	})
	var mute []string
	for i, h := range asked {
		if errs[i] != nil {
			mute = append(mute, errs[i].Error())
			continue
		}
		told[h.HostID()] = at[i]
	}
	if len(mute) > 0 {
		s.cfg.Logf("not told when the table was truncated: %s", strings.Join(mute, ", "))
	}
	return told
}

// truncated asks one node. ScyllaDB has a table of truncations, with a row for each shard;
// Cassandra keeps them in its row of system.local.
func (s *Session) truncated(ctx context.Context, h *gocql.HostInfo, table gocql.UUID) (at int64, err error) {
	var value cell
	if h.ScyllaFeatures().IsPresent() {
		err = s.each(ctx, h.HostID(), func() error {
			if len(value.bytes) == 8 {
				at = max(at, cqlwire.Int(value.bytes))
			}
			return nil
		}, []any{&value}, "SELECT truncated_at FROM system.truncated WHERE table_uuid = ?", table)
		return at, err
	}
	err = s.each(ctx, h.HostID(), func() (err error) {
		at, err = readTruncated(value.bytes, table)
		return err
	}, []any{&value}, "SELECT truncated_at FROM system.local")
	return at, err
}

// readTruncated finds a table in a map<uuid, blob>, nil when it is null. A blob is a position
// in the commit log, 12 bytes, and the time.
func readTruncated(wire []byte, table gocql.UUID) (int64, error) {
	if len(wire) == 0 {
		return 0, nil
	}
	bad := fmt.Errorf("system.local: truncated_at: %d bytes are no map of tables and times", len(wire))
	count, ok := cqlwire.Count(wire)
	if !ok || count < 0 {
		return 0, bad
	}
	pos := 4
	for range count {
		key, _, next, ok := cqlwire.ElemAt(wire, pos)
		if !ok {
			return 0, bad
		}
		blob, _, next, ok := cqlwire.ElemAt(wire, next)
		if !ok {
			return 0, bad
		}
		if string(key) == string(table[:]) {
			if len(blob) != 20 {
				return 0, bad
			}
			return cqlwire.Int(blob[12:]), nil
		}
		pos = next
	}
	return 0, nil
}
