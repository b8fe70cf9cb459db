package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"": {}, "1/1": {1, 1}, "2/5": {2, 5}, "1000/1000": {1000, 1000}} {
		got, err := ParseShard(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, text, got.String())
	}
	for text, want := range map[string]string{
		"2": "the form is K/N", "/": "the form is K/N", "2/": "the form is K/N", "/5": "the form is K/N", "a/b": "the form is K/N",
		"1/2/3": "the form is K/N", "1.5/2": "the form is K/N", " 1/2": "the form is K/N", "99999999999999999999/2": "the form is K/N",
		"0/5": "from 1 to the second", "6/5": "from 1 to the second", "-1/5": "from 1 to the second", "1/-5": "from 1 to the second", "0/0": "from 1 to the second",
	} {
		_, err := ParseShard(text)
		require.ErrorContains(t, err, fmt.Sprintf("%q: ", text))
		require.ErrorContains(t, err, want)
	}
}

// The shards of a plan are disjoint and together the whole. Each is planned without the others.
func TestShards(t *testing.T) {
	for _, of := range []int{2, 3, 7, 100} {
		var all []token.Split
		largest, smallest := 0, 1<<30
		hash := ""
		for number := 1; number <= of; number++ {
			p, err := Make(
				cluster(2, 2, 2),
				three,
				Options{Seed: 5, Splits: 1000, Shard: Shard{number, of}},
			)
			require.NoError(t, err)
			require.NoError(t, p.Check(ranges(p.Splits)))
			all = append(all, p.Splits...)
			largest, smallest = max(largest, len(p.Splits)), min(smallest, len(p.Splits))
			if hash == "" {
				hash = p.Hash()
			}
			require.Equal(t, hash, p.Hash(), "the shards know that they are of one plan")
		}
		require.LessOrEqual(t, largest-smallest, 1)
		require.NoError(t, token.Cover(token.Murmur3, token.Whole(token.Murmur3), ranges(all)))
	}
}

// The shard 1/1 is the whole plan.
func TestOneShard(t *testing.T) {
	whole, err := Make(cluster(2, 2), three, Options{Seed: 5})
	require.NoError(t, err)
	p, err := Make(cluster(2, 2), three, Options{Seed: 5, Shard: Shard{1, 1}})
	require.NoError(t, err)
	require.Equal(t, whole.Splits, p.Splits)
	require.Equal(t, whole.Hash(), p.Hash())
}

// Hosts that share a sweep make the same plan. That holds even if nodes report more to one of them,
// a node is down for one of them, or they run fewer requests.
func TestShardsDoNotDependOnWhatNodesTell(t *testing.T) {
	first, err := Make(
		cluster(4, 4, 4),
		three,
		Options{Seed: 5, Bytes: 1 << 50, Shard: Shard{1, 2}},
	)
	require.NoError(t, err)
	c := cluster(0, 64, 2)
	c.Nodes[1].Up = false
	for name, o := range map[string]Options{
		"nothing else said": {},
		"no estimate":       {Bytes: 0},
		"a small estimate":  {Bytes: 1},
		"parallel":          {Parallel: 1},
	} {
		o.Seed, o.Shard = 5, Shard{1, 2}
		other, err := Make(c, three, o)
		require.NoError(t, err)
		require.Equal(t, first.Splits, other.Splits, name)
		require.Equal(t, first.Hash(), other.Hash())
	}
	require.InDelta(t, 3*DefaultCores*DefaultSmudge*SplitsPerRequest/2, len(first.Splits), 1)
	cores, err := Make(c, three, Options{Seed: 5, Cores: 1, Smudge: 1, Shard: Shard{1, 2}})
	require.NoError(t, err)
	require.Len(t, cores.Splits, 150, "what the user says counts")
}

func TestBeginAndEnd(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	at := func(text string) token.Token {
		parsed, err := token.Murmur3.Parse(text)
		require.NoError(t, err)
		return parsed
	}
	all, err := Make(cluster(2, 2, 2), three, Options{Seed: 5})
	require.NoError(t, err)
	for _, c := range []struct {
		begin, end string
		want       token.Range
	}{
		{"", "", whole},
		{"-9223372036854775808", "9223372036854775807", whole},
		{"0", "", token.Range{Start: at("0"), End: whole.End}},
		{"", "0", token.Range{Start: whole.Start, End: at("0")}},
		{"-1000", "1000", token.Range{Start: at("-1000"), End: at("1000")}},
		{"41", "42", token.Range{Start: at("41"), End: at("42")}},
		{"-4611686018427387904", "4611686018427387904", token.Range{Start: at("-4611686018427387904"), End: at("4611686018427387904")}},
	} {
		t.Run(c.begin+" to "+c.end, func(t *testing.T) {
			p, err := Make(cluster(2, 2, 2), three, Options{Seed: 5, Begin: c.begin, End: c.end})
			require.NoError(t, err)
			require.NoError(t, token.Cover(token.Murmur3, c.want, ranges(p.Splits)))
			require.NoError(t, p.Check(ranges(p.Splits)))
			require.Equal(t, all.Hash(), p.Hash(), "the plan that it is a part of")
			for _, s := range p.Splits {
				vnode := p.Placement().Range(s.Set)
				require.False(t, s.Range.Start.Less(vnode.Start) || vnode.End.Less(s.Range.End))
			}
		})
	}
}

// The shards of a part of the ring are together that part.
func TestShardsBetweenTokens(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		a, b := int64(r.Uint64()), int64(r.Uint64())
		begin, end := fmt.Sprint(min(a, b)), fmt.Sprint(max(a, b))
		var all []token.Range
		for number := 1; number <= 3; number++ {
			p, err := Make(
				cluster(1, 1),
				three,
				Options{Seed: 5, Begin: begin, End: end, Shard: Shard{number, 3}},
			)
			require.NoError(t, err)
			all = append(all, ranges(p.Splits)...)
		}
		start, err := token.Murmur3.Parse(begin)
		require.NoError(t, err)
		stop, err := token.Murmur3.Parse(end)
		require.NoError(t, err)
		require.NoError(t, token.Cover(token.Murmur3, token.Range{Start: start, End: stop}, all))
	}
}

func TestNarrowErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"begin is no number", Options{Begin: "first"}, `--begintoken: murmur3 token "first": not a whole decimal number`},
		{"end is no number", Options{End: "0x10"}, `--endtoken: murmur3 token "0x10": not a whole decimal number`},
		{"outside the ring", Options{End: "9223372036854775808"}, "outside the ring"},
		{"the wrong way round", Options{Begin: "5", End: "4"}, "begin token 5 is not before end token 4"},
		{"nothing between", Options{Begin: "5", End: "5"}, "begin token 5 is not before end token 5"},
		{"from the last token", Options{Begin: "9223372036854775807"}, "is not before end token 9223372036854775807"},
		{"to the first token", Options{End: "-9223372036854775808"}, "is not before end token -9223372036854775808"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Make(cluster(2, 2), three, c.o)
			require.ErrorContains(t, err, c.want)
			require.Nil(t, p)
		})
	}
}

// A table that is read as one range has no parts: each host that shared it would read all of it.
func TestSerialPlanHasNoParts(t *testing.T) {
	odd := map[string]string{"class": "com.example.OurStrategy"}
	for _, o := range []Options{{Shard: Shard{1, 2}}, {Begin: "5"}, {End: "5"}} {
		for _, replication := range []map[string]string{odd, {"class": "LocalStrategy"}} {
			p, err := Make(cluster(2, 2), replication, o)
			require.ErrorContains(
				t,
				err,
				"the table is read as one range and has neither begin and end tokens nor shards: ",
			)
			require.Nil(t, p)
		}
	}
	p, err := Make(
		cluster(2, 2),
		odd,
		Options{Shard: Shard{1, 1}, Splits: 100, Parallel: 7, Bytes: 1},
	)
	require.NoError(t, err)
	requireSerial(t, p, "OurStrategy")
	require.Empty(t, p.Hash())
}

func TestWant(t *testing.T) {
	for _, c := range []struct {
		name             string
		o                Options
		parallel, splits int
	}{
		{"as it comes", Options{}, 12, 1200},
		{"parallel", Options{Parallel: 5}, 5, 500},
		{"splits", Options{Splits: 77}, 12, 77},
		{"both", Options{Splits: 77, Parallel: 5}, 5, 77},
		{"fewer than ranges", Options{Splits: 1}, 12, 33},
		{"a large table", Options{Bytes: 1 << 50}, 12, 1200},
		{"one for each MiB", Options{Bytes: 400 << 20}, 12, 400},
		{"a small table", Options{Bytes: 100 << 10}, 12, 33},
		{"one for each request", Options{Bytes: 1, Parallel: 50}, 50, 50},
		{"splits whatever the size", Options{Bytes: 1, Splits: 900}, 12, 900},
		{"no table is larger", Options{Bytes: 1<<63 - 1}, 12, 1200},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Make(cluster(2, 2), three, c.o)
			require.NoError(t, err)
			require.Equal(t, c.parallel, p.Parallel)
			require.Len(t, p.Splits, c.splits)
			require.NoError(t, p.Check(ranges(p.Splits)))
		})
	}
}

// The hash depends on the splits and nothing else.
func TestHash(t *testing.T) {
	made := func(o Options, cores ...int) *Plan {
		p, err := Make(cluster(cores...), three, o)
		require.NoError(t, err)
		return p
	}
	base := made(Options{Seed: 1, Splits: 500}, 2, 2)
	require.Len(t, base.Hash(), 64)
	require.Equal(t, strings.ToLower(base.Hash()), base.Hash())
	require.Equal(t, base.Hash(), made(Options{Seed: 1, Splits: 500, Parallel: 3}, 8, 0).Hash())
	others := []string{
		base.Hash(),
		made(Options{Seed: 2, Splits: 500}, 2, 2).Hash(),
		made(Options{Seed: 1, Splits: 501}, 2, 2).Hash(),
		made(Options{Seed: 1, Splits: 500}, 2, 2, 2).Hash(),
	}
	slices.Sort(others)
	require.Len(t, slices.Compact(others), 4)
	c := cluster(2, 2)
	c.Nodes[1].Tokens[3].Lo++
	moved, err := Make(c, three, Options{Seed: 1, Splits: 500})
	require.NoError(t, err)
	require.NotEqual(t, base.Hash(), moved.Hash())
}

// Hashes in journals stay valid: the hash of a plan never changes.
func TestHashIsForGood(t *testing.T) {
	at := func(text string) token.Token {
		parsed, err := token.Murmur3.Parse(text)
		require.NoError(t, err)
		return parsed
	}
	splits := []token.Split{
		{Range: token.Range{Start: at("-5"), End: at("7")}, Set: 3},
		{Range: token.Range{Start: at("7"), End: at("8")}},
	}
	// printf -- '-5 7\n7 8\n' | sha256sum
	require.Equal(
		t,
		"2d359b45761baaf4398e57a9718e4b8717c8e61ddfa34f8236d61e3954e6d823",
		hash(token.Murmur3, splits),
	)
}

// The ranges that an earlier sweep left are read, each token once, whatever the plan is now.
func TestLeft(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		at := func() int64 { return rng.Int64N(2000) - 1000 }
		tokens := []int64{at(), at(), at(), at(), at(), at()}
		slices.Sort(tokens)
		tokens = slices.Compact(tokens)
		var splits []token.Split
		var prev int64
		for i, edge := range []int64{-1000, -400, -10, 300, 301, 1000} {
			if i > 0 {
				splits = append(
					splits,
					token.Split{
						Range: token.Range{Start: murmur(t, prev), End: murmur(t, edge)},
						Set:   i,
					},
				)
			}
			prev = edge
		}
		var left []token.Range
		for i := 0; i+1 < len(tokens); i += 2 {
			left = append(
				left,
				token.Range{Start: murmur(t, tokens[i]), End: murmur(t, tokens[i+1])},
			)
		}
		rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		in := func(ranges []token.Range, n int64) int {
			found, at := 0, murmur(t, n)
			for _, r := range ranges {
				if r.Start.Less(at) && !r.End.Less(at) {
					found++
				}
			}
			return found
		}
		var got []token.Range
		for _, s := range clip(splits, left) {
			require.True(t, s.Range.Start.Less(s.Range.End))
			got = append(got, s.Range)
		}
		for n := int64(-999); n <= 1000; n++ {
			require.Equal(t, in(left, n), in(got, n), "token %d of %v", n, tokens)
		}
	}
}

func murmur(t *testing.T, n int64) token.Token {
	t.Helper()
	at, err := token.Murmur3.Parse(strconv.FormatInt(n, 10))
	require.NoError(t, err)
	return at
}
