//go:build integration

package integration

import (
	"fmt"
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
	d.seen(t, false)
}

// join has the node take part again that left.
func (d *differ) join(t *testing.T) {
	t.Helper()
	if !d.apart || d.away < 0 {
		return
	}
	administer(t, "nodetool", fmt.Sprint(d.away+1), "enablegossip")
	d.seen(t, true)
	d.away = -1
}

// seen waits until all nodes but that which is away can ask all of the table's replicas, or none of
// them can.
func (d *differ) seen(t *testing.T, all bool) {
	t.Helper()
	for i, w := range d.writers {
		if i == d.away && !all {
			continue
		}
		level := w.conn.level
		w.conn.level = consistencyAll
		id := w.prepare(t, "SELECT k FROM it3.differ_seen")
		require.Eventually(t, func() bool {
			_, err := w.conn.query(t, id)
			return (err == nil) == all
		}, time.Minute, 200*time.Millisecond)
		w.conn.level = level
	}
}

// writer is one of the nodes that are not away.
func (d *differ) writer() *differWriter {
	for {
		if i := d.r.IntN(len(d.writers)); !d.apart || i != d.away {
			return d.writers[i]
		}
	}
}
