package cli

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/plan"
)

// planOptions shape the plan of a sweep.
type planOptions struct {
	Cores      int
	Smudge     int
	Seed       uint64
	Parallel   int
	Splits     int
	BeginToken string
	EndToken   string
	Shard      string
}

func (o *planOptions) AddFlags(f *pflag.FlagSet) {
	f.IntVar(&o.Smudge, "smudge", plan.DefaultSmudge, "requests under way for each core of the cluster, at the most")
	f.IntVar(&o.Cores, "cores", 0, fmt.Sprintf("cores of each node (default: what it tells, else the least that another tells, else %d)", plan.DefaultCores))
	f.IntVar(&o.Parallel, "parallel", 0, "requests under way at the most, in all (default: nodes x cores x smudge)")
	f.IntVar(&o.Splits, "splits", 0, "token ranges to cut the ring into (default: 100 for each request under way, fewer for a small table)")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the order of the token ranges (default: another one each time)")
	f.StringVar(&o.BeginToken, "begintoken", "", "read only what comes after this token")
	f.StringVar(&o.EndToken, "endtoken", "", "read only up to this token, itself included")
	f.StringVar(&o.Shard, "shard", "", "K/N: take the K-th of N parts of the plan, so that N hosts share it")
}

// options makes the plan's options for a table.
func (o *planOptions) options(t tableOptions) (plan.Options, error) {
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
func agreedSeed(t tableOptions) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s", t.Keyspace, t.Table)
	return h.Sum64() | 1
}
