package table

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Replicated reports whether a row has several replicas, counted over all data centers.
func (t *Table) Replicated() bool {
	if strings.HasSuffix(t.Replication["class"], "LocalStrategy") {
		return false
	}
	return ReplicasOf(t.Replication) != 1 // a strategy without factors has one on every node
}

// ErrTooManyReplicas is the error for a consistency level that needs more replicas than some rows
// have. No request for such a row could succeed.
func ErrTooManyReplicas(
	level string,
	need, have int,
	replication map[string]string,
	nodes int,
) error {
	return fmt.Errorf(
		"--%s %s: some rows have no more than %s, and %d are needed: the keyspace's replication is %s, on %s",
		spec.ConsistencyFlag,
		level,
		human.Of(have, "replica"),
		need,
		doctor.Factors(replication),
		human.Of(nodes, "node"),
	)
}

// RefuseTooManyReplicas returns an error if a consistency level needs more replicas than the
// replication factors give a row.
func RefuseTooManyReplicas(level string, replication map[string]string, nodes int) error {
	need, have := map[string]int{"TWO": 2, "THREE": 3}[level], ReplicasOf(replication)
	if have == 0 || need <= have {
		return nil
	}
	return ErrTooManyReplicas(level, need, have, replication, nodes)
}

// ReplicasOf returns the number of replicas of a row, counted over all data centers. 0: the
// strategy has no factors.
func ReplicasOf(replication map[string]string) (replicas int) {
	for name, factor := range replication {
		if name != "class" {
			factor, _, _ = strings.Cut(factor, "/") // of those the transient ones
			n, _ := strconv.Atoi(factor)            // a plan was made of it
			replicas += n
		}
	}
	return replicas
}
