//go:build integration

package integration

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ballastRows is the number of rows, of a KB each, of a table that nodes send for minutes.
const ballastRows = 150_000

// rings is a cluster whose ring changes.
type rings struct {
	t         *testing.T
	keyspaces map[string]string // and their replication
	before    []string          // the rows of each keyspace's table "before", in order
	inputs    map[string]string // files with the rows of loads
	live      []string          // numbers of the nodes that run
	marks     map[string]int64  // lengths of the nodes' logs when the change began
	tooling   chan error        // what ends the nodetool that runs
	within    *regexp.Regexp    // the changes in which something runs
	gossips   bool              // a query shows what nodes have heard of each other
}

// newRings makes the keyspaces, with tables for some changes, and what is read meanwhile.
func newRings(t *testing.T, keyspaces map[string]string, changes ...string) *rings {
	t.Helper()
	r := &rings{
		t:         t,
		keyspaces: keyspaces,
		live:      []string{"1", "2", "3"},
		inputs:    make(map[string]string),
	}
	within, err := regexp.Compile(os.Getenv("CQLBULK_TEST_RINGS"))
	require.NoError(t, err)
	r.within = within
	_, err = session.Gossip(t.Context())
	r.gossips = err == nil
	r.before = slices.Sorted(slices.Values(ringLines(acrossFrom, ringPartitions, 16)))
	r.inputs["before"] = file(t, "before.csv", ringHeader+strings.Join(r.before, ""))
	for form, from := range map[string]int{"whole": wholeFrom, "rows": rowsFrom} {
		r.inputs[form] = file(
			t,
			form+".csv",
			ringHeader+strings.Join(ringLines(from, ringPartitions, 16), ""),
		)
	}
	const body = "(k int, c int, s text static, v text, PRIMARY KEY (k, c)) " +
		"WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}"
	for _, keyspace := range r.names() {
		exec(t, "CREATE KEYSPACE "+keyspace+" WITH replication = "+placedBy(keyspaces[keyspace]))
		for _, name := range append([]string{"before"}, changes...) {
			exec(t, "CREATE TABLE "+keyspace+"."+name+" "+body)
			if name != "before" {
				exec(t, "CREATE TABLE "+keyspace+"."+name+"_clone "+body)
			}
		}
		ok(t, byStream("load", keyspace+".before", r.inputs["before"])...)
	}
	replication := "'dc1': 3"
	if strings.Contains(strings.Join(slices.Collect(maps.Values(keyspaces)), ""), "dc2") {
		replication = "'dc1': 1, 'dc2': 1"
	}
	exec(t, "CREATE KEYSPACE ballast WITH replication = "+placedBy(replication),
		"CREATE TABLE ballast.t (k int PRIMARY KEY, v text)")
	ok(t, byStream("load", "ballast.t", written(t, "ballast.csv", func(f *os.File) error {
		_, err := f.WriteString("k,v\n")
		for k := range ballastRows {
			if err == nil {
				_, err = fmt.Fprintf(f, "%d,%s\n", k, noise(k, 1000))
			}
		}
		return err
	}))...)
	r.each(r.live, func(node string) error { return tool(node, "compact", "ballast") })
	return r
}

// placedBy is the replication of a keyspace with replicas in data centers.
func placedBy(replicas string) string {
	return "{'class': 'NetworkTopologyStrategy', " + replicas + "}"
}

// names are those of the keyspaces.
func (r *rings) names() []string { return slices.Sorted(maps.Keys(r.keyspaces)) }

// replicas is the number of a keyspace's replicas.
func (r *rings) replicas(keyspace string) (sum int) {
	r.t.Helper()
	for _, factor := range regexp.MustCompile(`: (\d)`).FindAllStringSubmatch(r.keyspaces[keyspace], -1) {
		n, err := strconv.Atoi(factor[1])
		require.NoError(r.t, err)
		sum += n
	}
	return sum
}

// log logs a cell of the table of all changes and runs.
func (r *rings) log(c *ringChange, keyspace, what, outcome string) {
	r.t.Logf("matrix: %s | %s | %s | %s", c.name, what, keyspace, outcome)
}

// tool runs nodetool on a node.
func tool(node string, words ...string) error {
	if out, err := administered(append([]string{"nodetool", node}, words...)...); err != nil {
		return fmt.Errorf("nodetool %s %s: %w: %s", node, strings.Join(words, " "), err, out)
	}
	return nil
}

// each does something with some nodes at once.
func (r *rings) each(nodes []string, do func(node string) error) {
	r.t.Helper()
	errs := make([]error, len(nodes))
	var all sync.WaitGroup
	for i, node := range nodes {
		all.Go(func() { errs[i] = do(node) })
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(r.t, err)
	}
}

// throttle limits what nodes send, in megabits a second.
func (r *rings) throttle(megabits string, nodes []string) {
	r.t.Helper()
	r.each(nodes, func(node string) error { return tool(node, "setstreamthroughput", megabits) })
}

// logOf is the path of a node's log.
func logOf(node string) string {
	return filepath.Join(clusterFolder(), "node"+node, "logs/system.log")
}

// mark has the nodes' logs read from here on.
func (r *rings) mark() {
	r.marks = make(map[string]int64)
	for _, node := range r.live {
		info, err := os.Stat(logOf(node))
		require.NoError(r.t, err)
		r.marks[node] = info.Size()
	}
}

// logged is what a node has logged since the mark.
func (r *rings) logged(node string) string {
	text, err := os.ReadFile(logOf(node))
	if err != nil { // it is starting
		return ""
	}
	return string(text[min(r.marks[node], int64(len(text))):])
}

// eventually waits for an event.
func (r *rings) eventually(what string, happened func() bool) {
	r.t.Helper()
	require.Eventually(r.t, happened, 10*time.Minute, 200*time.Millisecond, what)
	r.t.Logf("%s %s", clock(), what)
}

// kill kills a node, and waits until the others know.
func (r *rings) kill(node string) {
	r.t.Helper()
	server{filepath.Join(clusterFolder(), "node"+node)}.signal(r.t, syscall.SIGKILL)
	r.live = slices.DeleteFunc(r.live, func(n string) bool { return n == node })
	down := r.storage(node) + " is now DOWN"
	r.eventually("node "+node+" is known to be down", func() bool {
		return !slices.ContainsFunc(r.live, func(n string) bool {
			return !strings.Contains(r.logged(n), down)
		})
	})
}

// storage is the address of a node's storage port.
func (r *rings) storage(node string) string {
	r.t.Helper()
	first := net.ParseIP(strings.Split(testHosts(), ",")[0]).To4()
	n, err := strconv.Atoi(node)
	require.NoError(r.t, err)
	return fmt.Sprintf("%d.%d.%d.%d:7000", first[0], first[1], first[2], int(first[3])+n-1)
}

// id is a node's host id.
func (r *rings) id(node string) string {
	r.t.Helper()
	return r.heard(node).Get(internode.StateHostID)
}

// heard is what the first node has heard of another one.
func (r *rings) heard(node string) *internode.Endpoint {
	r.t.Helper()
	e := heardByGossip(r.t, r.storage("1"))[r.storage(node)]
	return &e
}

// ringStatus is the status that a node has in gossip.
func ringStatus(e *internode.Endpoint) string {
	word, _, _ := strings.Cut(e.Get(internode.StateStatusWithPort), ",")
	return word
}

// join starts one more node, and waits until it copies its rows, or as a survey has copied them. It
// returns its number.
func (r *rings) join(options ...string) string {
	r.t.Helper()
	said := strings.Fields(
		administer(r.t, slices.Concat([]string{"join", "--ring-delay", "10"}, options)...),
	)
	node := said[len(said)-1]
	r.live = append(r.live, node)
	if slices.Contains(options, "--survey") {
		r.eventually("node "+node+" has copied its rows", func() bool {
			return strings.Contains(r.logged(node), "write survey mode is active")
		})
	} else {
		r.flows("Bootstrap", node)
	}
	return node
}

// flows waits until one of some nodes streams for a purpose: what comes later is none of what it
// streams.
func (r *rings) flows(purpose string, nodes ...string) {
	r.t.Helper()
	begun := regexp.MustCompile(`\[Stream #(\S+)\] Executing streaming plan for ` + purpose)
	r.eventually("nodes stream for "+purpose, func() bool {
		return slices.ContainsFunc(nodes, func(node string) bool {
			text := r.logged(node)
			return slices.ContainsFunc(
				begun.FindAllStringSubmatch(text, -1),
				func(plan []string) bool {
					prepared := `\[Stream #` + plan[1] + ` ID#\d+\] Prepare completed`
					return regexp.MustCompile(prepared).MatchString(text)
				},
			)
		})
	})
}

// nodetool begins what nodetool waits for, and waits until nodes stream for it.
func (r *rings) nodetool(node, purpose string, streaming []string, words ...string) {
	r.t.Helper()
	r.tooling = make(chan error, 1)
	go func() { r.tooling <- tool(node, words...) }()
	r.flows(purpose, streaming...)
}

// underWay reports whether the change is not over.
func (r *rings) underWay(c *ringChange) bool {
	r.t.Helper()
	return c.kind == "" || ringStatus(r.heard(c.node)) == c.kind
}

// awaitMembers waits until all nodes that run know each other as members, and no others.
func (r *rings) awaitMembers() {
	r.t.Helper()
	r.eventually("the ring is at rest", func() bool {
		places, err := session.Places(r.t.Context())
		if err != nil || len(places) != len(r.live) {
			return false
		}
		for _, asked := range r.live {
			heard := heardByGossip(r.t, r.storage(asked))
			for _, node := range r.live {
				e := heard[r.storage(node)]
				if _, member := places[e.Get(internode.StateHostID)]; !member ||
					ringStatus(&e) != "NORMAL" {
					return false
				}
			}
		}
		return true
	})
}

// requireAll requires that CQL reads all rows of a change's tables, and that each replica has all
// of its own.
func (r *rings) requireAll(c *ringChange) {
	r.t.Helper()
	for _, keyspace := range r.names() {
		replicas := r.replicas(keyspace)
		if c.lost(replicas) { // rows died with the node, and a part of them was cloned
			exec(r.t, "TRUNCATE "+keyspace+"."+c.name+"_clone")
			r.refill(keyspace)
		} else {
			r.requireHeld(keyspace, c.name+"_clone", ringPartitions, func(int) bool { return true })
			r.requireCounted(c, keyspace+"."+c.name+"_clone", ringPartitions*ringRowsEach)
		}
		r.requireHeld(keyspace, c.name, ringLoads, func(k int) bool {
			switch {
			case c.altered: // as by CQL, new replicas have none of the rows from before
				return k > acrossFrom+ringPartitions/3
			case c.lost(replicas):
				return k >= acrossFrom+c.died
			default:
				return true
			}
		})
		all := fmt.Sprintf("%d, each on %d replicas", ringLoads*ringRowsEach, replicas)
		if c.lost(replicas) {
			all = fmt.Sprintf(
				"all but those that node %s took and died with, each on its replica",
				c.dead,
			)
		} else {
			r.requireCounted(c, keyspace+"."+c.name, ringLoads*ringRowsEach)
		}
		r.log(c, keyspace, "rows", all)
	}
}

// refill reads the rows of a keyspace again.
func (r *rings) refill(keyspace string) {
	r.t.Helper()
	exec(r.t, "TRUNCATE "+keyspace+".before")
	ok(r.t, byStream("load", keyspace+".before", r.inputs["before"])...)
}

// requireClean makes the nodes delete what is not theirs. Then it requires that each row that was
// loaded within some changes is on one node for each replica, and no other.
func (r *rings) requireClean(changes ...string) {
	r.t.Helper()
	r.each(r.live, func(node string) error { return tool(node, "cleanup") })
	for _, keyspace := range r.names() {
		for _, name := range changes {
			if !r.within.MatchString(name) {
				continue
			}
			copies := make(map[int]int)
			for _, nodes := range r.holders(keyspace, name) {
				copies[len(nodes)]++
			}
			replicas := r.replicas(keyspace)
			if replicas > 1 {
				require.Equal(
					r.t,
					ringLoads,
					copies[replicas],
					"partitions of %s.%s",
					keyspace,
					name,
				)
			}
			require.Len(r.t, copies, 1, "partitions of %s.%s by copies: %v", keyspace, name, copies)
			require.Contains(r.t, copies, replicas, "%s.%s", keyspace, name)
			r.t.Logf(
				"matrix: cleanup | rows of %s | %s | each on %d nodes",
				name,
				keyspace,
				replicas,
			)
		}
	}
}

// requireCounted requires that CQL and streaming find a number of rows.
func (r *rings) requireCounted(c *ringChange, name string, rows int) {
	r.t.Helper()
	level := "QUORUM"
	if c.altered {
		level = c.level(0)
	}
	require.Equal(r.t, fmt.Sprintln(rows), ok(r.t, "count", name, "--consistency", level).out, name)
	if !strings.HasSuffix(name, "_clone") {
		require.Equal(
			r.t,
			fmt.Sprintln(rows),
			ok(r.t, byStream("count", name, "--consistency", level)...).out,
			name,
		)
	}
}

// holders finds what the nodes that run have of each partition on their own disks, by its key and
// the node's number.
func (r *rings) holders(keyspace, name string) map[string]map[string]string {
	r.t.Helper()
	found := make(map[string]map[string]string)
	for _, n := range tablesOnDisk(r.t, keyspace, name) {
		if slices.Contains(r.live, n.node) {
			for key, cells := range cellsOf(r.t, keyspace, name, "", n) {
				if found[key] == nil {
					found[key] = make(map[string]string)
				}
				found[key][n.node] = cells
			}
		}
	}
	return found
}

// owners returns a function that finds the nodes which a partition of a keyspace belongs to now.
func (r *rings) owners(keyspace string) func(key []byte) []string {
	r.t.Helper()
	cluster := &topology.Cluster{Partitioner: "org.apache.cassandra.dht.Murmur3Partitioner"}
	places, err := session.Places(r.t.Context())
	require.NoError(r.t, err)
	var numbers []string
	for _, number := range r.live {
		id := r.id(number)
		node := topology.Node{ID: id, DC: places[id].DC, Rack: places[id].Rack}
		for text := range strings.FieldsSeq(places[id].Tokens) {
			at, err := token.Murmur3.Parse(text)
			require.NoError(r.t, err)
			node.Tokens = append(node.Tokens, at)
		}
		require.NotEmpty(r.t, node.Tokens)
		cluster.Nodes, numbers = append(cluster.Nodes, node), append(numbers, number)
	}
	replication, err := session.Replication(r.t.Context(), keyspace)
	require.NoError(r.t, err)
	placement, err := cluster.PlaceAll(replication)
	require.NoError(r.t, err)
	return func(key []byte) (nodes []string) {
		for _, n := range placement.Replicas(placement.Find(token.Murmur3.Hash(key))) {
			nodes = append(nodes, numbers[n])
		}
		return nodes
	}
}

// requireHeld requires that all replicas have each of the partitions that count on their own disks,
// and have the same.
func (r *rings) requireHeld(keyspace, name string, partitions int, counts func(k int) bool) {
	r.t.Helper()
	found, owners := r.holders(keyspace, name), r.owners(keyspace)
	var wrong []string // their keys have the load
	for k := range partitions {
		key := binary.BigEndian.AppendUint32(nil, uint32(k))
		held := found[fmt.Sprintf("%x", key)]
		nodes := owners(key)
		require.Len(r.t, nodes, r.replicas(keyspace))
		if counts(k) && slices.ContainsFunc(nodes, func(node string) bool {
			return held[node] == "" || held[node] != held[nodes[0]]
		}) {
			on := slices.Sorted(maps.Keys(held))
			wrong = append(wrong, fmt.Sprintf("%d (on %v of %v)", k, on, nodes))
		}
	}
	require.Empty(
		r.t,
		wrong[:min(len(wrong), 50)],
		"%d partitions of %s.%s",
		len(wrong),
		keyspace,
		name,
	)
	require.LessOrEqual(r.t, len(found), partitions, "%s.%s", keyspace, name)
}
