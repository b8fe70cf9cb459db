//go:build integration

package integration

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tests of this file change the ring of a cluster that deploy/test-rings makes for them. It has
// three nodes of one token each. They load, clone, scan and count while the ring changes. Each
// change is held open until these have ended: the node that joins is a survey, or a large table
// (ballast) is sent slowly.

// ringsOnly leaves a test to `make test-rings`, which sets CQLBULK_TEST_RINGS to a regular
// expression. Something runs within the changes whose names match it. The others just happen.
func ringsOnly(t *testing.T) {
	t.Helper()
	if os.Getenv("CQLBULK_TEST_RINGS") == "" {
		t.Skip("changes the ring for good: make test-rings runs it")
	}
}

// TestRealRings has a node join, move and die, another one replace it and leave, and a third one
// join, die and be removed. Within each of these changes keyspaces of one, two and three replicas
// are loaded, cloned, scanned and counted by streaming.
func TestRealRings(t *testing.T) {
	ringsOnly(t)
	keyspaces := make(map[string]string)
	for replicas := 1; replicas <= 3; replicas++ {
		keyspaces[fmt.Sprintf("rings%d", replicas)] = fmt.Sprintf("'dc1': %d", replicas)
	}
	r := newRings(t, keyspaces, "joined", "moved", "replaced", "left", "rejoined", "removed")

	r.play(ringChange{
		name: "joined", kind: "BOOT", survey: true, senders: []string{"1"},
		begin: func(c *ringChange) { c.node = r.join("--survey") },
	})

	r.play(ringChange{
		name: "moved", kind: "MOVING", node: "4", senders: []string{"4"},
		begin: func(*ringChange) {
			r.nodetool("4", "Relocation", []string{"4"}, "move", "--", "2000000000000000000")
		},
	})

	r.play(ringChange{
		name: "replaced", kind: "BOOT_REPLACE", dead: "4", senders: []string{"1", "2", "3"},
		begin: func(c *ringChange) { c.node = r.join("--replace", "4") },
	})

	r.play(ringChange{
		name: "left", kind: "LEAVING", node: "5", leaves: true, senders: []string{"5"},
		begin: func(*ringChange) { r.nodetool("5", "Unbootstrap", []string{"5"}, "decommission") },
	})

	r.play(ringChange{
		name: "rejoined", kind: "BOOT", senders: []string{"1", "2", "3"},
		begin: func(c *ringChange) { c.node = r.join() },
	})

	r.play(ringChange{
		name: "removed", kind: "removing", node: "6", dead: "6", senders: []string{"1", "2", "3"},
		begin: func(*ringChange) {
			r.nodetool(
				"1",
				"Restore replica count",
				[]string{"1", "2", "3"},
				"removenode",
				r.id("6"),
			)
		},
	})

	r.requireClean("joined", "moved", "replaced", "left", "rejoined", "removed")
}

// TestRealRingsOfDataCenters has a node join the second of two data centers, and gives keyspaces
// more replicas there.
func TestRealRingsOfDataCenters(t *testing.T) {
	ringsOnly(t)
	r := newRings(t, map[string]string{
		"rings10": "'dc1': 1", "rings11": "'dc1': 1, 'dc2': 1", "rings21": "'dc1': 2, 'dc2': 1",
	}, "joined", "grown")

	r.play(ringChange{
		name: "joined", kind: "BOOT", survey: true, senders: []string{"1"},
		begin: func(c *ringChange) { c.node = r.join("--survey") },
	})

	r.play(ringChange{
		name: "grown", altered: true, senders: []string{"1"},
		begin: func(*ringChange) {
			for _, keyspace := range slices.Sorted(maps.Keys(r.keyspaces)) {
				grown := strings.ReplaceAll(r.keyspaces[keyspace], ", 'dc2': 1", "") + ", 'dc2': 2"
				exec(t, "ALTER KEYSPACE "+keyspace+" WITH replication = "+placedBy(grown))
				r.keyspaces[keyspace] = grown
			}
		},
	})
}

// ringChange is a change of the ring, and what is known of it.
type ringChange struct {
	name string // also that of its tables
	kind string // status of the node in gossip
	node string // number of the node that joins, moves or leaves
	dead string // number of the node that is killed before; empty: none is
	// died is the number of partitions that were loaded before that, from acrossFrom on. If a
	// keyspace has one replica, those that the node had are gone with it, as by CQL.
	died int
	// survey says that the node which joins stays outside of the ring until a command makes it a
	// member.
	survey bool
	// altered says that the keyspaces get more replicas. Rows that were there before are not on
	// those.
	altered bool
	leaves  bool // the node is no member afterwards
	// numbers of the nodes that the change, or a count at its end, waits for
	senders []string
	begin   func(c *ringChange) // returns when the change is under way
}

// lost reports whether no node that runs has some of the rows of a keyspace while the ring changes.
func (c *ringChange) lost(replicas int) bool { return c.dead != "" && replicas == 1 }

// level is the consistency level at which a keyspace is read while the ring changes.
func (c *ringChange) level(replicas int) string {
	switch {
	case c.altered:
		return "ALL" // those that have the rows are among them
	case c.dead != "" && replicas <= 2:
		return "ONE"
	default:
		return "QUORUM"
	}
}

// play has everything run on all keyspaces while the ring changes, and requires that each replica
// has all rows afterwards.
func (r *rings) play(c ringChange) {
	r.t.Helper()
	r.t.Logf("%s == %s", clock(), c.name)
	r.mark()
	if !r.within.MatchString(c.name) {
		r.happen(&c)
		return
	}
	loads := r.acrossLoads(&c)
	if c.dead != "" {
		r.kill(c.dead)
	}
	if c.survey { // it copies its rows first
		c.begin(&c)
		r.throttle("1", c.senders)
	} else {
		r.throttle("1", c.senders)
		c.begin(&c)
	}
	require.True(r.t, r.underWay(&c))
	for _, l := range loads {
		l.feed(r.t)
	}
	mend := r.runs(&c)
	counting := spawn(r.t, nil,
		byStream("count", "ballast.t", "--hosts", testHosts(), "--consistency", "ONE")...)
	counting.until(r.t, "nodes sent something", func() bool { return counting.received() > 0 })
	r.finish(&c)
	counted := counting.end(r.t)
	require.Zero(r.t, counted.code, counted.report)
	require.Equal(r.t, fmt.Sprintln(ballastRows), counted.out)
	for _, l := range loads {
		if l.in == nil {
			l.end(r.t)
			c.died = max(c.died, int(recordedRows(l.dir)+ringRowsEach-1)/ringRowsEach)
		}
		r.log(&c, l.keyspace, "load across it", l.finish(r.t))
	}
	mend()
	r.requireAll(&c)
}

// happen has the ring change, and runs nothing meanwhile.
func (r *rings) happen(c *ringChange) {
	r.t.Helper()
	if c.dead != "" {
		r.kill(c.dead)
	}
	c.begin(c)
	r.finish(c)
	for _, keyspace := range r.names() {
		if c.lost(r.replicas(keyspace)) {
			r.refill(keyspace)
		}
	}
}

// finish lets a change end, and waits until the ring is at rest.
func (r *rings) finish(c *ringChange) {
	r.t.Helper()
	if c.survey {
		require.NoError(r.t, tool(c.node, "join"))
	}
	r.throttle("200", c.senders)
	if r.tooling != nil {
		require.NoError(r.t, <-r.tooling)
		r.tooling = nil
	}
	if c.leaves { // it takes part in nothing, and still runs
		r.kill(c.node)
	}
	r.awaitMembers()
}
