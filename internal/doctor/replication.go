package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Replication is how rows of a keyspace are kept, and how many replicas are waited for.
type Replication struct {
	Options   map[string]string // system_schema.keyspaces.replication
	Level     string            // consistency level, as CQL spells it
	LocalDC   string
	Nodes     []topology.Node  // Up of those that answer
	Placement *token.Placement // of all replicas, by the places of Nodes; nil: not known
	AllDCs    bool             // Nodes has the nodes of all data centers

	named string // the level that the user named, if another is checked in its place
}

// Replicas says whether the consistency level can be reached, and whether it still can when a node
// goes down.
func Replicas(r Replication) Finding {
	class := r.Options["class"]
	if strings.HasSuffix(class, "LocalStrategy") {
		return Fine("each node answers for itself")
	}
	if r.Level == "EACH_QUORUM" && strings.HasSuffix(class, "NetworkTopologyStrategy") {
		return r.each()
	}
	level := cmp.Or(r.named, r.Level)
	need, of, where := r.need()
	if of == 0 {
		return Fail(
			"give the keyspace replicas there, or say --dc or another --consistency",
			"%s: no replica%s",
			Factors(r.Options),
			where,
		)
	}
	if need > of {
		return Fail(
			"say another --consistency",
			"%s waits for %s, and rows have %d%s",
			level,
			human.Of(need, "replica"),
			of,
			where,
		)
	}
	if short := r.short(); short != nil {
		return Fail(
			"bring back the nodes that are down, or say another --consistency",
			"%s: too few are up for %d of %s",
			short.Waits(),
			len(short.Ranges),
			human.Of(short.All, "token range"),
		)
	}
	text := fmt.Sprintf("%s waits for %d of %s%s", level, need, human.Of(of, "replica"), where)
	switch spare := of - need; {
	case of == 1:
		return Fine("%s: rows of a node that is down are out of reach", text)
	case spare == 0:
		return Warn(
			"see that all nodes stay up, or say another --consistency",
			"%s: no node may go down",
			text,
		)
	default:
		return Fine("%s: %s may be down", text, human.Of(spare, "replica"))
	}
}

// each is Replicas for EACH_QUORUM, which is LOCAL_QUORUM in every data center. It returns the
// finding of the data center that can lose the fewest replicas.
func (r Replication) each() (worst Finding) {
	least := math.MaxInt
	for _, dc := range slices.Sorted(maps.Keys(r.Options)) {
		one := r
		one.Level, one.LocalDC, one.named = "LOCAL_QUORUM", dc, r.Level
		if dc == "class" || one.factor(dc) == 0 {
			continue
		}
		if dc != r.LocalDC && !r.AllDCs {
			one.Placement = nil
		}
		need, of, _ := one.need()
		f, spare := Replicas(one), of-need
		if f.State == Failure {
			spare = -1
		}
		if spare < least {
			worst, least = f, spare
		}
	}
	if least == math.MaxInt {
		return Fail("give the keyspace replicas", "%s: no replica", Factors(r.Options))
	}
	return worst
}

// Factors are the replication of a keyspace (system_schema.keyspaces.replication), as one reads it.
func Factors(options map[string]string) string {
	class := options["class"]
	text := class[strings.LastIndexByte(class, '.')+1:]
	var names []string
	for name := range options {
		if name != "class" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		text += ", " + name + " " + options[name]
	}
	return text
}

// local says whether the level is about the local data center alone.
func (r Replication) local() bool {
	return strings.HasPrefix(r.Level, "LOCAL_") &&
		!strings.HasSuffix(r.Options["class"], "SimpleStrategy")
}

// factor is how many replicas rows have in a data center, or in all of them together when it is
// empty.
func (r Replication) factor(dc string) int {
	all := 0
	for name, text := range r.Options {
		if name == "class" || dc != "" && name != dc && name != "replication_factor" {
			continue
		}
		text, _, _ = strings.Cut(text, "/") // of those the transient ones
		n, _ := strconv.Atoi(text)
		all += n
	}
	return all
}

// need is how many replicas are waited for, of how many, and where those are.
func (r Replication) need() (need, of int, where string) {
	of = r.factor("")
	if strings.HasSuffix(r.Options["class"], "EverywhereStrategy") {
		of = len(r.Nodes)
	} else if r.local() {
		of, where = r.factor(r.LocalDC), " in "+r.LocalDC
	}
	switch r.Level {
	case "ANY":
		return 0, of, where
	case "TWO":
		return 2, of, where
	case "THREE":
		return 3, of, where
	case "QUORUM", "LOCAL_QUORUM", "EACH_QUORUM": // the last where replicas are not of data centers
		return of/2 + 1, of, where
	case "ALL":
		return of, of, where
	default: // ONE, LOCAL_ONE
		return 1, of, where
	}
}
