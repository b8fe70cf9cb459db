package spec

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Planning shapes the plan of a sweep.
type Planning struct {
	Cores      int    // of each node; 0: what it reports
	Smudge     int    // requests under way for each core
	Seed       uint64 // of the order of the token ranges; 0: another one each time
	Parallel   int    // at most, in requests under way, in all; 0: nodes x cores x smudge
	Splits     int    // token ranges to cut the ring into; 0: chosen by the size of the table
	BeginToken string // read only what comes after it
	EndToken   string // read only up to it, itself included
	Shard      string // K/N: the K-th of N parts of the plan
}

// newPlanning has the defaults.
func newPlanning() Planning { return Planning{Smudge: plan.DefaultSmudge} }

func (o *Planning) settings() setting.List {
	return setting.List{
		{Name: "smudge", Field: &o.Smudge},
		{Name: "cores", Field: &o.Cores},
		{Name: "parallel", Field: &o.Parallel},
		{Name: "splits", Field: &o.Splits},
		{Name: "seed", Field: &o.Seed},
		{Name: "begintoken", Field: &o.BeginToken},
		{Name: "endtoken", Field: &o.EndToken},
		{Name: "shard", Field: &o.Shard},
	}
}

// Options makes the plan's options for a table.
func (o *Planning) Options(t TableName) (plan.Options, error) {
	shard, err := plan.ParseShard(o.Shard)
	switch {
	case err != nil:
		return plan.Options{}, fmt.Errorf("--shard: %w", err)
	case o.Smudge < 1:
		return plan.Options{}, fmt.Errorf("--smudge %d: must be at least 1", o.Smudge)
	case o.Cores < 0:
		return plan.Options{}, fmt.Errorf("--cores %d: must not be negative", o.Cores)
	case o.Parallel < 0:
		return plan.Options{}, fmt.Errorf("--parallel %d: must not be negative", o.Parallel)
	case o.Splits < 0:
		return plan.Options{}, fmt.Errorf("--splits %d: must not be negative", o.Splits)
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
		if shard.Of > 1 {
			o.Seed = agreedSeed(t)
		}
	}
	return plan.Options{
		Cores: o.Cores, Smudge: o.Smudge, Seed: o.Seed, Parallel: o.Parallel, Splits: o.Splits,
		Begin: o.BeginToken, End: o.EndToken, Shard: shard,
	}, nil
}

// agreedSeed is the seed that hosts come to by themselves when they share a scan:
// a hash of the table's name.
func agreedSeed(t TableName) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s", t.Keyspace, t.Table)
	return h.Sum64() | 1
}
