package operation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// disks are the data directories of the nodes that are on this host, by node.
type disks map[string][]string

// leastFree is what a node is to have left on its disk. One that would have less than 50 MiB, by
// default (min_free_space_per_drive), takes its disk to be full.
const leastFree = 64 << 20

// free is how many bytes there are on the emptiest of a node's disks: an SSTable is on one of them.
// It is false where that is not known.
func (d disks) free(node string) (most int64, known bool) {
	for _, directory := range d[node] {
		var stat unix.Statfs_t
		if unix.Statfs(directory, &stat) == nil {
			// their types hang on the system
			most, known = max(most, int64(stat.Bavail)*int64(stat.Bsize)), true //nolint:unconvert
		}
	}
	return most, known
}

// roomFor refuses what a node has no room for, where that is known.
func (d disks) roomFor(node string, size int64) error {
	if free, known := d.free(node); known && free < size+leastFree {
		return fmt.Errorf(
			"the node has no room: %s are free on its disk, of which it keeps %s, and it is to be sent %s",
			human.Size(free),
			human.Size(leastFree),
			human.Size(size),
		)
	}
	return nil
}

// lookAtDisks finds the disks that are on this host, and says what is known of them, and what nodes
// do that have no room.
func (l *landing) lookAtDisks(ctx context.Context, s *streaming) (notes []string, err error) {
	here := func(n topology.Node) bool { return isHere(n.Address) }
	careless := func(n topology.Node) bool { return table.ReleaseOf(n.Version).Before(table.Release{5}) }
	directories, err := l.settingOf(ctx, here, "data_file_directories")
	if err != nil {
		return nil, err
	}
	policies, err := l.settingOf(ctx, careless, "disk_failure_policy")
	if err != nil {
		return nil, err
	}
	s.disks = make(disks)
	stops := make(map[string]bool)
	for _, n := range l.t.Cluster.Nodes {
		if here(n) {
			s.disks[n.ID] = listOf(directories[n.ID])
		}
		policy, told := policies[n.ID]
		switch {
		case !careless(n):
		case !told:
			stops["not told"] = true
		case strings.HasPrefix(policy, "stop") || policy == "die":
			stops[policy] = true
		}
		if free, known := s.disks.free(n.ID); known {
			notes = append(
				notes,
				fmt.Sprintf("node %s has %s of free disk", n.Address, human.Size(free)),
			)
		}
	}
	if len(stops) > 0 {
		notes = append(
			notes,
			fmt.Sprintf(
				"nodes before Cassandra 5.0 do not look for room before they take what is streamed, and "+
					"one that runs out of it stops serving (disk_failure_policy: %s): see that each has enough",
				strings.Join(slices.Sorted(maps.Keys(stops)), ", "),
			),
		)
	}
	return notes, nil
}

// settingOf asks for a setting where there are nodes of which it matters.
func (l *landing) settingOf(
	ctx context.Context,
	matters func(topology.Node) bool,
	name string,
) (map[string]string, error) {
	if !slices.ContainsFunc(l.t.Cluster.Nodes, matters) {
		return nil, nil
	}
	return l.t.Session.Setting(ctx, name)
}

// listOf reads a list as Java writes it.
func listOf(text string) []string {
	text, ok := strings.CutPrefix(text, "[")
	if !ok || !strings.HasSuffix(text, "]") {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "]"), ", ")
}
