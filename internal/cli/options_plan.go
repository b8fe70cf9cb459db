package cli

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/plan"
)

// coresHelp is the help of the flag of the nodes' cores.
var coresHelp = fmt.Sprintf(
	"cores of each node (default: the number that it reports, else the least that another node reports, else %d)",
	plan.DefaultCores,
)

// addPlanFlags adds the flags of the plan of a sweep.
func addPlanFlags(b flagset.Binder) {
	b = b.In(flagset.GroupPace)
	b.Add("smudge", "requests under way for each core of the cluster, at most")
	b.Add("cores", coresHelp)
	b.Add("parallel", parallelHelp)
	b.Add(
		"splits",
		"token ranges to cut the ring into (default: 100 for each request under way, fewer for a small table)",
	)
	b = b.In(flagset.GroupRows)
	b.Add("seed", "seed of the order of the token ranges (default: another one each time)")
	b.Add("begintoken", "read only what comes after this token")
	b.Add("endtoken", "read only up to this token, itself included")
	b.Add("shard", "K/N: take the K-th of N parts of the plan, so that N hosts share it")
}
