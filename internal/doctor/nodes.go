package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// Answer is how a node answered when it was asked for a row of its own.
type Answer struct {
	topology.Node
	Took time.Duration
	Err  error // why it did not
}

// Connection says which nodes answer.
func Connection(answers []Answer, dc string) Finding {
	var slowest time.Duration
	var silent []string
	var why error
	for _, a := range answers {
		if a.Err != nil {
			silent = append(silent, a.Address)
			if why == nil {
				why = a.Err
			}
			continue
		}
		slowest = max(slowest, a.Took)
	}
	where := ""
	if dc != "" {
		where = " of " + dc
	}
	if len(silent) == len(answers) {
		return Fail(
			"see whether they are overloaded, or hang",
			"none of %s%s answers: %v",
			human.Of(len(answers), "node"),
			where,
			why,
		)
	}
	text := fmt.Sprintf(
		"%d of %s%s %s, in %s",
		len(answers)-len(silent),
		human.Of(len(answers), "node"),
		where,
		human.Verb(len(answers)-len(silent), "answers", "answer"),
		human.Latency(slowest),
	)
	if len(answers) == 1 {
		text = fmt.Sprintf("the one node%s answers, in %s", where, human.Latency(slowest))
	}
	if len(silent) == 0 {
		return Fine("%s", text)
	}
	return Warn(
		"bring back what is down; without it, see replication",
		"%s, not %s: %v",
		text,
		some(silent),
		why,
	)
}

// tested are the releases of Cassandra that this program is tested on.
var tested = []string{"4.0", "4.1", "5.0"}

// Versions says whether all nodes are of one release, and of one that is known.
func Versions(nodes []topology.Node, scylla bool) Finding {
	number := make(map[string]int)
	var versions, releases []string
	for _, n := range nodes {
		if number[n.Version]++; number[n.Version] == 1 {
			versions = append(versions, n.Version)
		}
		if r := releaseOf(n.Version); !slices.Contains(releases, r) {
			releases = append(releases, r)
		}
	}
	slices.Sort(versions)
	unknown := slices.DeleteFunc(
		slices.Clone(releases),
		func(r string) bool { return slices.Contains(tested, r) },
	)
	switch {
	case scylla:
		return Warn(
			"try it on a small table first: this program was proved on a simulated ScyllaDB alone",
			"ScyllaDB, which says it is Cassandra %s",
			some(versions),
		)
	case len(versions) > 1:
		var each []string
		for _, v := range versions {
			each = append(each, fmt.Sprintf("%s on %s", v, human.Of(number[v], "node")))
		}
		return Warn(
			"end the upgrade before rows are streamed; CQL works meanwhile",
			"not all nodes are of one version: %s",
			some(each),
		)
	case len(unknown) > 0:
		return Warn(
			"try it on a small table first: tested are "+strings.Join(tested, ", "),
			"Cassandra %s is not among the tested versions",
			versions[0],
		)
	default:
		return Fine("Cassandra %s", versions[0])
	}
}

// releaseOf is the first two numbers of a version.
func releaseOf(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// Schema judges whether the nodes agree on the schema. versions has the version of each, by its
// address. waited is how long the caller waited for them to agree. failed is why a node did not
// report its version; nil: all did.
func Schema(versions map[string]string, waited time.Duration, failed error) Finding {
	nodes := make(map[string][]string)
	for node, v := range versions {
		nodes[v] = append(nodes[v], node)
	}
	if len(versions) == 0 {
		return Warn(
			"see whether the nodes hang",
			"no node reported its version of the schema: %v",
			failed,
		)
	}
	if len(nodes) == 1 {
		return Fine("all nodes have the same")
	}
	// The few are named: it is they who lag.
	var groups [][]string
	for _, group := range nodes {
		slices.Sort(group)
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b []string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a[0], b[0])
	})
	return Fail(
		"wait a minute and look again; if it stays, see nodetool describecluster, and restart the nodes that lag",
		"for %s the nodes have had %d versions of it; another one than most: %s",
		human.Elapsed(waited),
		len(nodes),
		some(slices.Concat(groups[:len(groups)-1]...)),
	)
}

// Cores says how many cores nodes have, by which requests under way are bounded. taken is what is
// counted for each of the nodes.
func Cores(nodes []topology.Node, taken []int) Finding {
	var silent []string
	var told []int
	for i, n := range nodes {
		if n.Cores == 0 {
			silent = append(silent, n.Address)
		}
		if !slices.Contains(told, taken[i]) {
			told = append(told, taken[i])
		}
	}
	slices.Sort(told)
	each := strings.Trim(strings.ReplaceAll(fmt.Sprint(told), " ", " to "), "[]")
	if len(told) > 2 {
		each = fmt.Sprintf("%d to %d", told[0], told[len(told)-1])
	}
	if len(nodes) == 0 {
		return Warn("see whether the nodes hang", "no node reported how many it has")
	}
	if len(silent) == 0 {
		return Fine("%s %s a node", each, human.Noun(told[len(told)-1], "core"))
	}
	// Cassandra creates the pool whose size it is when the first answer of another node arrives.
	return Warn(
		"say --cores, or let the role SELECT system_views.thread_pools; a node reports them after an answer of another node, so one that is alone never does",
		"not reported by %s: %s taken for each",
		some(silent),
		each,
	)
}
