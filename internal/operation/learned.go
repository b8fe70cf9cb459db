package operation

import (
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/plan"
)

// tellLearned tells whoever looks closely what the cluster is, as it was learned, and what
// was not.
func (t *tableSession) tellLearned(env Environment) {
	c := t.cluster
	if c == nil {
		return
	}
	env.log("cluster %q: %d nodes, %s, data centers %s, of which %s is talked to", c.Name, len(c.Nodes),
		c.Partitioner[strings.LastIndexByte(c.Partitioner, '.')+1:], strings.Join(c.DCs(), ", "), c.LocalDC)
	taken := plan.Cores(c, plan.Options{})
	for i, n := range c.Nodes {
		state, cores := "up", fmt.Sprintf("%d cores", n.Cores)
		if !n.Up {
			state = "down"
		}
		if n.Cores == 0 {
			cores = fmt.Sprintf("cores not told, taken for %d", taken[i])
		}
		env.log("node %s: data center %s, rack %s, version %s, %s, %d tokens, %s", n.Address, n.DC, n.Rack, n.Version, state, len(n.Tokens), cores)
	}
	if t.estimates == nil {
		return
	}
	env.log("plan: %d requests under way at the most, %d token ranges cut from %d, seed %d", t.plan.Parallel, len(t.plan.Splits), t.plan.Ranges(), t.plan.Seed)
	if sum := t.estimate(); sum.Partitions > 0 {
		env.log("the nodes estimate the table at %d partitions, %d bytes", sum.Partitions, sum.Bytes)
	} else {
		env.log("no node estimates how large the table is")
	}
}

// tellLimits tells what the servers take in one request.
func tellLimits(env Environment, l driver.Limits) {
	frame := "how large a request may be was not told"
	if l.MaxFrameBytes > 0 {
		frame = fmt.Sprintf("requests of %d bytes at the most", l.MaxFrameBytes)
	}
	env.log("the servers warn of batches above %d bytes, or of more than %d partitions, and take mutations of %d bytes at the most; %s",
		l.BatchWarnBytes, l.BatchWarnPartitions, l.MaxMutationBytes, frame)
}
