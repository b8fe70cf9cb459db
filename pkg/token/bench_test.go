package token

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

var (
	sinkToken     Token
	sinkPlacement *Placement
	sinkSplits    []Split
	sinkInt       int
)

func BenchmarkHash(b *testing.B) {
	for _, p := range []Partitioner{Murmur3, Random} {
		for _, size := range []int{16, 34, 100} {
			b.Run(fmt.Sprintf("%s/%d", p.Name(), size), func(b *testing.B) {
				key := make([]byte, size)
				for i := range key {
					key[i] = byte(i * 37)
				}
				b.ReportAllocs()
				b.SetBytes(int64(size))
				for b.Loop() {
					sinkToken = p.Hash(key)
				}
			})
		}
	}
}

// bigRing returns a ring of 1,000 nodes with 256 tokens each, in three datacenters of four racks.
func bigRing(b *testing.B) *Ring {
	b.Helper()
	r, err := NewRing(Murmur3, randomNodes(Murmur3, rand.New(rand.NewPCG(1, 6)), 1000, 256, 3, 4))
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func BenchmarkNewRing(b *testing.B) {
	nodes := bigRing(b).Nodes()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewRing(Murmur3, nodes); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlace(b *testing.B) {
	r := bigRing(b)
	for name, s := range map[string]Strategy{
		"simple":   {kind: kindSimple, factor: 3},
		"topology": byName(map[string]int{"dc0": 3, "dc1": 3, "dc2": 3}),
		"oneDC":    byName(map[string]int{"dc0": 3}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkPlacement = r.Place(s)
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	p := bigRing(b).Place(Strategy{kind: kindSimple, factor: 3})
	tokens := make([]Token, 4096)
	source := rand.New(rand.NewPCG(1, 7))
	for i := range tokens {
		tokens[i] = Token{Lo: source.Uint64()}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		sinkInt = p.Find(tokens[i%len(tokens)])
	}
}

func BenchmarkPlan(b *testing.B) {
	p := bigRing(b).Place(byName(map[string]int{"dc0": 3}))
	for _, want := range []int{1, 500_000} {
		b.Run(fmt.Sprint(want), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkSplits = p.Plan(want, 1)
			}
		})
	}
}

func BenchmarkCover(b *testing.B) {
	ranges := rangesOf(bigRing(b).Place(Strategy{}).Plan(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		if err := Cover(Murmur3, Whole(Murmur3), ranges); err != nil {
			b.Fatal(err)
		}
	}
}
