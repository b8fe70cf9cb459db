package cli

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/plan"
)

// coresHelp is the help of the flag of the nodes' cores.
var coresHelp = fmt.Sprintf(
	"cores of each node (default: the number that it reports, else the least that another node reports, else %d)",
	plan.DefaultCores,
)

// addPlanFlags adds the flags of the plan of a sweep.
func addPlanFlags(b binder) {
	b = b.in(groupPace)
	b.add("smudge", "requests under way for each core of the cluster, at most")
	b.add("cores", coresHelp)
	b.add(
		"parallel",
		"requests under way, at most, in all (default: nodes x cores x smudge, and more on a long line to them)",
	)
	b.add(
		"splits",
		"token ranges to cut the ring into (default: 100 for each request under way, fewer for a small table)",
	)
	b = b.in(groupRows)
	b.add("seed", "seed of the order of the token ranges (default: another one each time)")
	b.add("begintoken", "read only what comes after this token")
	b.add("endtoken", "read only up to this token, itself included")
	b.add("shard", "K/N: take the K-th of N parts of the plan, so that N hosts share it")
}
