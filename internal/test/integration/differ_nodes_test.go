//go:build integration

package integration

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// leave has one node, or none, miss what is written until another leaves, where replicas are to
// differ. Its gossip stops: the others take it for down, and keep no hints for it.
func (d *differ) leave(t *testing.T) {
	t.Helper()
	if !d.apart {
		return
	}
	d.join(t)
	d.away = d.r.IntN(len(d.writers)+1) - 1
	if d.away < 0 {
		return
	}
	administer(t, "nodetool", fmt.Sprint(d.away+1), "disablegossip")
	// What was on its way may have another node take it for up once more, for some seconds.
	require.Eventually(t, func() bool {
		d.through = slices.IndexFunc(d.writers, func(w *differWriter) bool {
			return w != d.writers[d.away] && !w.reachesAll(t)
		})
		return d.through >= 0
	}, time.Minute, 200*time.Millisecond)
}

// join has the node take part again that left.
func (d *differ) join(t *testing.T) {
	t.Helper()
	if !d.apart || d.away < 0 {
		return
	}
	administer(t, "nodetool", fmt.Sprint(d.away+1), "enablegossip")
	require.Eventually(t, func() bool {
		return !slices.ContainsFunc(
			d.writers,
			func(w *differWriter) bool { return !w.reachesAll(t) },
		)
	}, time.Minute, 200*time.Millisecond)
	d.away = -1
}

// reachesAll reports whether the writer's node takes all three replicas of a table for up.
func (w *differWriter) reachesAll(t *testing.T) bool {
	t.Helper()
	level := w.conn.level
	w.conn.level = consistencyAll
	defer func() { w.conn.level = level }()
	_, err := w.conn.query(t, w.prepare(t, "SELECT k FROM it3.differ_seen"))
	return err == nil
}

// writer is one of the nodes; if one is away, another that takes it for down.
func (d *differ) writer() *differWriter {
	if d.away >= 0 {
		return d.writers[d.through]
	}
	return d.writers[d.r.IntN(len(d.writers))]
}
