package table

import (
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// WarnOfLearned logs what is known of the cluster, and what is not.
func (t *Table) WarnOfLearned(env spec.Environment) {
	c := t.Cluster
	if c == nil {
		return
	}
	env.Logf(
		"cluster %q: %s, %s, data centers %s; requests go to %s",
		c.Name,
		human.Of(len(c.Nodes), "node"),
		c.Partitioner[strings.LastIndexByte(c.Partitioner, '.')+1:],
		strings.Join(c.DCs(), ", "),
		c.LocalDC,
	)
	taken := plan.Cores(c, plan.Options{})
	for i, n := range c.Nodes {
		state, cores := "up", human.Of(n.Cores, "core")
		if !n.Up {
			state = "down"
		}
		if n.Cores == 0 {
			cores = fmt.Sprintf("cores not reported, taken for %d", taken[i])
		}
		env.Logf(
			"node %s: data center %s, rack %s, version %s, %s, %s, %s",
			n.Address,
			n.DC,
			n.Rack,
			n.Version,
			state,
			human.Of(len(n.Tokens), "token"),
			cores,
		)
	}
	if t.Connected() {
		if nodes := t.Session.Compressed(); nodes > 0 {
			env.Logf(
				"CQL frames are compressed with LZ4, those of %s (--protocol-compression)",
				human.Of(nodes, "node"),
			)
		} else {
			env.Logf("CQL frames are not compressed (--protocol-compression)")
		}
	}
	if t.Estimates == nil {
		return
	}
	env.Logf(
		"plan: at most %s under way, %s cut from %d, seed %d",
		human.Of(t.Plan.Parallel, "request"),
		human.Of(len(t.Plan.Splits), "token range"),
		t.Plan.Ranges(),
		t.Plan.Seed,
	)
	if sum := t.Estimate(); sum.Partitions > 0 {
		env.Logf(
			"the nodes estimate the table at %s, %s",
			human.Of(sum.Partitions, "partition"),
			human.Of(sum.Bytes, "byte"),
		)
	} else {
		env.Logf("no node estimates how large the table is")
	}
}

// LogLimits logs the servers' limits for one request.
func LogLimits(env spec.Environment, l driver.Limits) {
	frame := "the size limit of requests is not known"
	if l.MaxFrameBytes > 0 {
		frame = fmt.Sprintf("requests of at most %s", human.Of(l.MaxFrameBytes, "byte"))
	}
	env.Logf(
		"the servers warn of batches above %s, or of more than %s, and accept mutations of at most %s; %s",
		human.Of(
			l.BatchWarnBytes,
			"byte",
		),
		human.Of(l.BatchWarnPartitions, "partition"),
		human.Of(l.MaxMutationBytes, "byte"),
		frame,
	)
}
