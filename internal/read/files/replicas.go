package files

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// Choice is how many replicas of each range are read, and which.
type Choice struct {
	local  bool // of the local data center alone
	All    bool
	most   bool // a majority of them
	Number int
}

// Choices has the choice for each consistency level. A merge of the files of that number of
// replicas has all rows that were acknowledged before.
var Choices = map[string]Choice{
	"ONE": {
		Number: 1,
	},
	"LOCAL_ONE":    {local: true, Number: 1},
	"TWO":          {Number: 2},
	"THREE":        {Number: 3},
	"QUORUM":       {most: true},
	"LOCAL_QUORUM": {local: true, most: true},
	"ALL":          {All: true},
}

// ReplicaChoice reads a consistency level.
func ReplicaChoice(level string) (Choice, error) {
	c, ok := Choices[strings.ToUpper(level)]
	if !ok {
		return c, fmt.Errorf(
			"--%s %s: means nothing here; ONE, LOCAL_ONE, TWO, THREE, LOCAL_QUORUM, QUORUM and ALL say how many replicas of each range are read",
			spec.ConsistencyFlag,
			level,
		)
	}
	return c, nil
}

// Of returns how many of a range's replicas are read, and which they may be. They are those of the
// local data center if the choice is for these, and the range has any there.
func (c Choice) Of(
	localDC string,
	nodes []topology.Node,
	replicas []int,
) (number int, candidates []int) {
	for _, n := range replicas {
		if !c.local || nodes[n].DC == localDC {
			candidates = append(candidates, n)
		}
	}
	if len(candidates) == 0 { // no replica is local
		candidates = slices.Clone(replicas)
	}
	switch {
	case c.All:
		return len(candidates), candidates
	case c.most:
		return len(candidates)/2 + 1, candidates
	default:
		return c.Number, candidates
	}
}
