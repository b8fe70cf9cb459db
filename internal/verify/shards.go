package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// mostMissing is the number of missing shards up to which each is reported by itself.
const mostMissing = 20

// join makes one set of the shards. Only those count that are of the same scan as
// the first, each of them once. Findings are added to the report.
func (r *Report) join(shards []*account) Set {
	first := shards[0]
	set := Set{
		Name: plain("shards of " + table(first)), Shards: first.shard.Of, Summed: true,
		columns: columns(first), sound: true,
	}
	find := func(format string, args ...any) {
		r.Findings = append(r.Findings, plain(fmt.Sprintf(format, args...)))
		set.sound = false
	}
	given := make(map[int]*account)
	for _, a := range shards {
		set.sound = set.sound && len(a.findings) == 0
		if a.m.PlanHash == "" {
			find("%s: the table was read as one token range, which shards cannot share", a.path)
		}
		if d := differences(first, a); len(d) > 0 {
			find(
				"%s: not of the same scan as %s: %s; its rows were not added",
				a.path,
				first.path,
				strings.Join(d, "; "),
			)
			continue
		}
		if twin := given[a.shard.Number]; twin != nil {
			find(
				"%s: shard %s was given already, with %s; its rows were not added",
				a.path,
				a.shard,
				twin.path,
			)
			continue
		}
		given[a.shard.Number] = a
		if a.m.Rows < 0 || set.Rows > math.MaxInt64-a.m.Rows {
			find("%s: %s cannot be added", a.path, human.Of(a.m.Rows, "row"))
			continue
		}
		set.Rows += a.m.Rows
		set.Sum = set.Sum.Add(a.sum)
		set.Summed = set.Summed && a.summed
	}
	set.Given = len(given)
	told := 0
	for k := 1; k <= set.Shards && told < mostMissing; k++ {
		if given[k] == nil {
			find("shard %d/%d of %s is missing", k, set.Shards, table(first))
			told++
		}
	}
	if more := set.Shards - set.Given - told; more > 0 {
		find(
			"%s of %s %s missing",
			human.Of(more, "more shard"),
			table(first),
			human.Verb(more, "is", "are"),
		)
	}
	return set
}

// differences says why b cannot be a shard of the same scan as a.
func differences(a, b *account) []string {
	var d []string
	for _, of := range []struct{ what, first, here string }{
		{"cluster", a.m.Cluster, b.m.Cluster},
		{"partitioner", a.m.Partitioner, b.m.Partitioner},
		{"table", table(a), table(b)},
		{"checksum", definition(a), definition(b)},
		{"seed", fmt.Sprint(a.m.Seed), fmt.Sprint(b.m.Seed)},
		{"plan", a.m.PlanHash, b.m.PlanHash},
		{"number of shards", fmt.Sprint(a.shard.Of), fmt.Sprint(b.shard.Of)},
	} {
		if of.first != of.here {
			d = append(
				d,
				fmt.Sprintf("%s %s instead of %s", of.what, orNone(of.here), orNone(of.first)),
			)
		}
	}
	for _, name := range narrowing {
		if here, first := b.option(name), a.option(name); here != first {
			d = append(d, fmt.Sprintf("--%s %s instead of %s", name, orNone(here), orNone(first)))
		}
	}
	if !slices.Equal(a.m.Columns, b.m.Columns) {
		d = append(d, "other columns")
	}
	return d
}

func table(a *account) string { return a.m.Keyspace + "." + a.m.Table }

func definition(a *account) string {
	if a.m.Checksum == nil {
		return ""
	}
	return a.m.Checksum.Definition
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
