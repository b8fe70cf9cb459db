package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// cutUp cuts ranges at random, as a sweep cuts those that are too large.
func cutUp(r *rand.Rand, whole []token.Range) []token.Range {
	var cut []token.Range
	todo := slices.Clone(whole)
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		first, second, ok := token.Halve(last)
		if !ok || r.IntN(3) > 0 {
			cut = append(cut, last)
			continue
		}
		todo = append(todo, second, first)
	}
	r.Shuffle(len(cut), func(i, j int) { cut[i], cut[j] = cut[j], cut[i] })
	return cut
}

// before returns the token before a token.
func before(t token.Token) token.Token { return token.Token{Hi: t.Hi, Lo: t.Lo - 1} }

// Ranges that were cut make up the plan too, in any order. A range that is missing, read twice, a
// token too short or a token too long does not. That holds for a whole plan and for parts of one.
func TestCheck(t *testing.T) {
	for name, o := range map[string]Options{
		"whole":  {Seed: 5, Splits: 200},
		"shard":  {Seed: 5, Splits: 200, Shard: Shard{2, 3}},
		"part":   {Seed: 5, Splits: 200, Begin: "-4000000000000000000", End: "4000000000000000000"},
		"pieces": {Seed: 5, Splits: 200, Begin: "-4000000000000000000", Shard: Shard{1, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Make(cluster(2, 2), three, o)
			require.NoError(t, err)
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 1))
				done := cutUp(r, ranges(p.Splits))
				kept := slices.Clone(done)
				require.NoError(t, p.Check(done))
				require.Equal(t, kept, done, "the list is the caller's")
				i := r.IntN(len(done))
				require.ErrorContains(t, p.Check(slices.Delete(slices.Clone(done), i, i+1)), "gap")
				require.ErrorContains(t, p.Check(append(slices.Clone(done), done[i])), "overlap")
				for what, change := range map[string]func(*token.Range){
					"ends early":   func(r *token.Range) { r.End = before(r.End) },
					"begins early": func(r *token.Range) { r.Start = before(r.Start) },
					"is none":      func(r *token.Range) { r.Start = r.End },
				} {
					if done[i].Start == token.Murmur3.Min() {
						continue
					}
					wrong := slices.Clone(done)
					change(&wrong[i])
					require.Error(t, p.Check(wrong), what)
				}
			}
		})
	}
}

func TestCheckOfNothing(t *testing.T) {
	p, err := Make(cluster(2, 2), three, Options{})
	require.NoError(t, err)
	require.ErrorContains(t, p.Check(nil), "gap")
}

// Ranges of another shard, or outside the tokens, are foreign, wherever on the ring they are.
func TestCheckForeignRanges(t *testing.T) {
	one, err := Make(cluster(2, 2), three, Options{Seed: 5, Splits: 100, Shard: Shard{1, 2}})
	require.NoError(t, err)
	two, err := Make(cluster(2, 2), three, Options{Seed: 5, Splits: 100, Shard: Shard{2, 2}})
	require.NoError(t, err)
	for _, s := range two.Splits {
		require.Error(t, one.Check(append(ranges(one.Splits), s.Range)))
	}
	middle, err := Make(cluster(2, 2), three, Options{Begin: "-100", End: "100"})
	require.NoError(t, err)
	at := func(text string) token.Token {
		parsed, err := token.Murmur3.Parse(text)
		require.NoError(t, err)
		return parsed
	}
	require.ErrorContains(
		t,
		middle.Check(append(ranges(middle.Splits), token.Range{Start: at("100"), End: at("101")})),
		"token range (100, ...] is not in the plan",
	)
	require.Error(
		t,
		middle.Check(
			append(ranges(middle.Splits), token.Range{Start: at("-102"), End: at("-100")}),
		),
	)
}

// The plan's own check, which should never fail.
func TestCheckWhole(t *testing.T) {
	p, err := Make(cluster(2, 2), three, Options{Seed: 5, Splits: 100})
	require.NoError(t, err)
	require.NoError(t, checkWhole(token.Murmur3, p.placement, p.Splits))
	last := slices.IndexFunc(
		p.Splits,
		func(s token.Split) bool { return s.Range.End == token.Murmur3.Max() },
	)
	for name, change := range map[string]func([]token.Split) []token.Split{
		"nothing":       func([]token.Split) []token.Split { return nil },
		"one missing":   func(s []token.Split) []token.Split { return s[1:] },
		"last missing":  func(s []token.Split) []token.Split { return slices.Delete(s, last, last+1) },
		"one twice":     func(s []token.Split) []token.Split { return append(s, s[0]) },
		"a token short": func(s []token.Split) []token.Split { s[7].Range.End = before(s[7].Range.End); return s },
		"the wrong way": func(s []token.Split) []token.Split { s[7].Range.End = s[7].Range.Start; return s },
		"another vnode": func(s []token.Split) []token.Split {
			s[7].Set = (s[7].Set + 1) % p.placement.Len()
			return s
		},
	} {
		require.Error(
			t,
			checkWhole(token.Murmur3, p.placement, change(slices.Clone(p.Splits))),
			name,
		)
	}
}

// The check takes about the same time for each range, however many there are.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{2400, 24000, 100000} {
		p, err := Make(cluster(8, 8, 8), three, Options{Seed: 1, Splits: n})
		require.NoError(b, err)
		for name, done := range map[string][]token.Range{
			"whole": ranges(p.Splits), "cut": cutUp(rand.New(rand.NewPCG(1, 1)), ranges(p.Splits)),
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := p.Check(done); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(
					float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n),
					"ns/split",
				)
			})
		}
	}
}
