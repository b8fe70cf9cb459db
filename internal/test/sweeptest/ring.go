package sweeptest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// At returns the Murmur3 token at thousandth 1000ths of the ring.
func At(thousandth int) token.Token {
	return token.Token{Lo: ^uint64(0) / 1000 * uint64(thousandth)}
}

// Between is the range from one such place to another.
func Between(from, to int) token.Range { return token.Range{Start: At(from), End: At(to)} }

// Numbered makes n rows of one text cell, "row 0" and so on, evenly over the ring.
func Numbered(n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{
			Token: token.Token{Lo: ^uint64(0)/uint64(n)*uint64(i) + 1},
			Cells: [][]byte{fmt.Appendf(nil, "row %d", i)},
		}
	}
	return rows
}

// Splits cuts the Murmur3 ring into n parts at random, in random order.
func Splits(n int, r *rand.Rand) []token.Split {
	bounds := []token.Token{token.Murmur3.Min(), token.Murmur3.Max()}
	for range n - 1 {
		bounds = append(bounds, token.Token{Lo: 1 + r.Uint64N(^uint64(0)-1)})
	}
	slices.SortFunc(bounds, token.Token.Compare)
	bounds = slices.Compact(bounds)
	splits := make([]token.Split, len(bounds)-1)
	for i := range splits {
		splits[i] = token.Split{Range: token.Range{Start: bounds[i], End: bounds[i+1]}, Set: i}
	}
	r.Shuffle(len(splits), func(i, j int) { splits[i], splits[j] = splits[j], splits[i] })
	return splits
}
