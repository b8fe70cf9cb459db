package driver

import (
	"context"
	"fmt"
	"strings"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Truncations asks each of the nodes that is up when it last truncated a table, by the table's id.
// Times are in milliseconds since the epoch by the node's own clock; 0: never. The result is by
// host id, without nodes that do not report it.
func (s *Session) Truncations(
	ctx context.Context,
	nodes []topology.Node,
	table string,
) map[string]int64 {
	told := make(map[string]int64)
	id, err := gocql.ParseUUID(table)
	if err != nil {
		return told
	}
	_, asked := s.upOf(nodes)
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
		s.cfg.Logf("no answer about when the table was truncated: %s", strings.Join(mute, ", "))
	}
	return told
}

// truncated asks one node. ScyllaDB has a table of truncations, with a row for each shard.
// Cassandra has them in its row of system.local.
func (s *Session) truncated(
	ctx context.Context,
	h *gocql.HostInfo,
	table gocql.UUID,
) (at int64, err error) {
	if h.ScyllaFeatures().IsPresent() {
		var value cell
		err = s.each(ctx, h.HostID(), func() error {
			if len(value.bytes) == 8 {
				at = max(at, cqlwire.Int(value.bytes))
			}
			return nil
		}, []any{&value}, "SELECT truncated_at FROM system.truncated WHERE table_uuid = ?", table)
		return at, err
	}
	var times map[gocql.UUID][]byte
	err = s.each(ctx, h.HostID(), func() (err error) {
		at, err = readTruncated(times[table])
		return err
	}, []any{&times}, "SELECT truncated_at FROM system.local")
	return at, err
}

// readTruncated reads an entry of system.local's truncated_at: a position in the commit log, 12
// bytes, and the time; 0: there is no entry.
func readTruncated(entry []byte) (int64, error) {
	switch len(entry) {
	case 0:
		return 0, nil
	case 20:
		return cqlwire.Int(entry[12:]), nil
	default:
		return 0, fmt.Errorf(
			"system.local: truncated_at has an entry of %d bytes, which is no position and time",
			len(entry),
		)
	}
}
