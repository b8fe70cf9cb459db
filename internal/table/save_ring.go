package table

import (
	"context"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// SaveRing writes what the cluster is into a file, for --ring. Its errors name --save-ring.
func (t *Table) SaveRing(ctx context.Context, path string) error {
	saved := topology.Saved{
		Cluster:  *t.Cluster,
		At:       time.Now().UTC().Truncate(time.Second),
		ScyllaDB: t.IsScylla(),
	}
	var places map[string]driver.Place
	err := AskAll(ctx, func() (err error) {
		places, err = t.Session.Places(ctx)
		return err
	}, func() (err error) {
		saved.Keyspaces, err = t.Session.Replications(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if err := t.RefuseUnknown("save-ring", places); err != nil {
		return err
	}
	text, err := saved.Append(nil)
	if err == nil {
		err = fsync.Replace(path, text)
	}
	if err != nil {
		return fmt.Errorf("--save-ring: %w", err)
	}
	return nil
}
