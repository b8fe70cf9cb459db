package where

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const naiveTable = `CREATE TABLE t (a int, b text, c int, d text, n int, x text, m decimal, l list<int>, s map<text, int>,
	PRIMARY KEY ((a, b), c, d)) WITH CLUSTERING ORDER BY (c DESC)`

// naiveRow is a row of Go values. nil is null.
type naiveRow struct {
	a, c, n *int
	b, d, x *string
	m       *big.Rat
	l       []int
	s       map[string]int
}

// naive is a condition with an independent implementation of its meaning.
type naive struct {
	text  string
	holds func(r *naiveRow, at int64) bool
}

type naiveMaker struct{ *rand.Rand }

func (g naiveMaker) number() int { return g.IntN(7) - 3 }

func (g naiveMaker) word() string {
	return []string{"", "a", "A", "b", "ab", "é", "it's", "z"}[g.IntN(8)]
}

func quotedText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func (g naiveMaker) row() *naiveRow {
	a, b, c, d := g.number(), g.word(), g.number(), g.word()
	r := &naiveRow{a: &a, b: &b, c: &c, d: &d}
	if g.IntN(4) > 0 {
		n := g.number()
		r.n = &n
	}
	if g.IntN(4) > 0 {
		x := g.word()
		r.x = &x
	}
	if g.IntN(4) > 0 {
		r.m = big.NewRat(int64(g.number()), 10)
	}
	for range g.IntN(4) {
		r.l = append(r.l, g.number())
	}
	for range g.IntN(4) {
		if r.s == nil {
			r.s = map[string]int{}
		}
		r.s[g.word()] = g.number()
	}
	return r
}

// values returns the row in the text of package cqltext.
func (r *naiveRow) values(g naiveMaker) row {
	v := row{"a": fmt.Sprint(*r.a), "b": *r.b, "c": fmt.Sprint(*r.c), "d": *r.d}
	if r.n != nil {
		v["n"] = fmt.Sprint(*r.n)
	}
	if r.x != nil {
		v["x"] = *r.x
	}
	if r.m != nil {
		v["m"] = r.m.FloatString(1 + g.IntN(3)) // of any scale
	}
	if r.l != nil {
		v["l"] = strings.ReplaceAll(fmt.Sprint(r.l), " ", ",")
	}
	if r.s != nil {
		var pairs []string
		for k, n := range r.s {
			pairs = append(pairs, fmt.Sprintf("%s: %d", quotedText(k), n))
		}
		v["s"] = "{" + strings.Join(pairs, ", ") + "}"
	}
	return v
}

func compares(op string, c int) bool {
	return map[string]bool{"=": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op]
}

func (g naiveMaker) op() string { return []string{"=", "!=", "<", "<=", ">", ">="}[g.IntN(6)] }

func (g naiveMaker) relation() naive {
	op, n, w := g.op(), g.number(), g.word()
	ints := map[string]func(*naiveRow) *int{
		"a": func(r *naiveRow) *int { return r.a },
		"c": func(r *naiveRow) *int { return r.c },
		"n": func(r *naiveRow) *int { return r.n },
	}
	texts := map[string]func(*naiveRow) *string{
		"b": func(r *naiveRow) *string { return r.b },
		"d": func(r *naiveRow) *string { return r.d },
		"x": func(r *naiveRow) *string { return r.x },
	}
	intColumn, textColumn := string("acn"[g.IntN(3)]), string("bdx"[g.IntN(3)])
	ofInt, ofText := ints[intColumn], texts[textColumn]
	switch g.IntN(10) {
	case 0:
		return naive{fmt.Sprintf("%s %s %d", intColumn, op, n), func(r *naiveRow, _ int64) bool {
			v := ofInt(r)
			return v != nil && compares(op, *v-n)
		}}
	case 1:
		return naive{
			fmt.Sprintf("%s %s %s", textColumn, op, quotedText(w)),
			func(r *naiveRow, _ int64) bool {
				v := ofText(r)
				return v != nil && compares(op, strings.Compare(*v, w))
			},
		}
	case 2:
		list := []string{w, g.word(), g.word()}
		var literals []string
		for _, one := range list {
			literals = append(literals, quotedText(one))
		}
		return naive{
			fmt.Sprintf("%s IN (%s)", textColumn, strings.Join(literals, ",")),
			func(r *naiveRow, _ int64) bool {
				v := ofText(r)
				return v != nil && slices.Contains(list, *v)
			},
		}
	case 3:
		other := g.number()
		return naive{
			fmt.Sprintf("%s IN (%d, %d)", intColumn, n, other),
			func(r *naiveRow, _ int64) bool {
				v := ofInt(r)
				return v != nil && (*v == n || *v == other)
			},
		}
	case 4:
		value := big.NewRat(int64(n), 10)
		return naive{
			fmt.Sprintf("m %s %s", op, value.FloatString(1+g.IntN(3))),
			func(r *naiveRow, _ int64) bool {
				return r.m != nil && compares(op, r.m.Cmp(value))
			},
		}
	case 5:
		return naive{
			fmt.Sprintf("l CONTAINS %d", n),
			func(r *naiveRow, _ int64) bool { return slices.Contains(r.l, n) },
		}
	case 6:
		if g.IntN(2) == 0 {
			return naive{
				"s CONTAINS KEY " + quotedText(w),
				func(r *naiveRow, _ int64) bool { _, there := r.s[w]; return there },
			}
		}
		return naive{
			fmt.Sprintf("s[%s] %s %d", quotedText(w), op, n),
			func(r *naiveRow, _ int64) bool {
				v, there := r.s[w]
				return there && compares(op, v-n)
			},
		}
	case 7:
		return naive{
			fmt.Sprintf("(c, d) %s (%d, %s)", op, n, quotedText(w)),
			func(r *naiveRow, _ int64) bool {
				if *r.c != n {
					return compares(op, *r.c-n)
				}
				return compares(op, strings.Compare(*r.d, w))
			},
		}
	case 8:
		if op == "!=" {
			op = "<"
		}
		bound := int64(g.Uint64())
		return naive{fmt.Sprintf("TOKEN(a, b) %s %d", op, bound), func(_ *naiveRow, at int64) bool {
			switch {
			case at < bound:
				return compares(op, -1)
			case at > bound:
				return compares(op, 1)
			default:
				return compares(op, 0)
			}
		}}
	default:
		column := []string{"n", "x", "m", "l", "s"}[g.IntN(5)]
		return naive{column + " IS NOT NULL", func(r *naiveRow, _ int64) bool {
			return map[string]bool{"n": r.n != nil, "x": r.x != nil, "m": r.m != nil, "l": r.l != nil, "s": r.s != nil}[column]
		}}
	}
}

// A condition holds for a row if each of its relations does. It holds for no row outside its token
// ranges.
func TestConditionsMeanWhatTheyShow(t *testing.T) {
	table := tableOf(t, naiveTable)
	g := naiveMaker{rand.New(rand.NewPCG(1, 2))}
	held := 0
	for range 1000 {
		var parts []naive
		var texts []string
		for range 1 + g.IntN(3) {
			part := g.relation()
			parts, texts = append(parts, part), append(texts, part.text)
		}
		text := strings.Join(texts, " AND ")
		c := mustParse(t, text, table)
		for range 10 {
			r := g.row()
			values := r.values(g)
			wire := token.Murmur3.AppendWire(
				nil,
				token.Murmur3.Hash(
					token.AppendKey(nil, bytesOf(t, table, "a", values["a"]), []byte(*r.b)),
				),
			)
			at, err := token.Murmur3.ReadWire(wire)
			require.NoError(t, err)
			want := !slices.ContainsFunc(
				parts,
				func(p naive) bool { return !p.holds(r, int64(binary.BigEndian.Uint64(wire))) },
			)
			require.Equal(t, want, c.Holds(values.cells(t, table, c), at), "%s of %v", text, values)
			if want {
				held++
				inside := c.Tokens() == nil ||
					slices.ContainsFunc(
						c.Tokens(), func(within token.Range) bool { return within.Contains(at) },
					)
				require.True(t, inside, "%s of %v", text, values)
			}
		}
	}
	require.Greater(t, held, 500)
}
