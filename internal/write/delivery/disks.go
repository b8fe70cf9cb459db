package delivery

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

// Disks are the data directories of the nodes that are on this host, by node.
type Disks map[string][]string

// leastFree is the space that a node's disk must keep. By default (min_free_space_per_drive) a node
// with less than 50 MiB treats its disk as full.
const leastFree = 64 << 20

// Free returns the free bytes of the emptiest of a node's disks, since an SSTable is on one disk.
// The flag is false if they are not known.
func (d Disks) Free(node string) (most int64, known bool) {
	for _, directory := range d[node] {
		var stat unix.Statfs_t
		if unix.Statfs(directory, &stat) == nil {
			// their types differ between systems
			most, known = max(most, int64(stat.Bavail)*int64(stat.Bsize)), true //nolint:unconvert
		}
	}
	return most, known
}

// RoomFor returns an error if the node is known to have no room for size more bytes.
func (d Disks) RoomFor(node string, size int64) error {
	if free, known := d.Free(node); known && free < size+leastFree {
		return fmt.Errorf(
			"the node has no room: %s are free on its disk, and it keeps %s of that; the file has %s",
			human.Size(free),
			human.Size(leastFree),
			human.Size(size),
		)
	}
	return nil
}

// lookAtDisks finds the nodes' disks that are on this host. The notes have their free space, and
// warn of nodes that stop serving on a full disk.
func (d *Delivery) lookAtDisks(ctx context.Context, s *Setup) (notes []string, err error) {
	here := func(n topology.Node) bool { return IsHere(n.Address) }
	careless := func(n topology.Node) bool {
		return table.ReleaseOf(n.Version).Before(table.Release{5})
	}
	directories, err := d.settingOf(ctx, here, "data_file_directories")
	if err != nil {
		return nil, err
	}
	policies, err := d.settingOf(ctx, careless, "disk_failure_policy")
	if err != nil {
		return nil, err
	}
	s.disks = make(Disks)
	stops := make(map[string]bool)
	for _, n := range d.Table.Cluster.Nodes {
		if here(n) {
			s.disks[n.ID] = ListOf(directories[n.ID])
		}
		policy, told := policies[n.ID]
		switch {
		case !careless(n):
		case !told:
			stops["not known"] = true
		case strings.HasPrefix(policy, "stop") || policy == "die":
			stops[policy] = true
		}
		if free, known := s.disks.Free(n.ID); known {
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

// settingOf asks the nodes for a setting, unless it matters for none of them.
func (d *Delivery) settingOf(
	ctx context.Context,
	matters func(topology.Node) bool,
	name string,
) (map[string]string, error) {
	if !slices.ContainsFunc(d.Table.Cluster.Nodes, matters) {
		return nil, nil
	}
	return d.Table.Session.Setting(ctx, name)
}

// ListOf parses a list in the form of Java's toString, such as [/a, /b].
func ListOf(text string) []string {
	text, ok := strings.CutPrefix(text, "[")
	if !ok || !strings.HasSuffix(text, "]") {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "]"), ", ")
}
