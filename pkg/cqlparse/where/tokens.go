package where

import (
	"math"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// token reads a token: a number, or TOKEN of the values of a partition key. text is the canonical
// form.
func (p *parser) token() (t token.Token, text string, err error) {
	if p.Next().Is("token") && p.After(1).Is("(") {
		p.Read()
		x, err := p.list()
		if err != nil {
			return t, "", err
		}
		key, err := p.tupleValues(p.partition, &x)
		if err != nil {
			return t, "", err
		}
		return p.table.Partitioner.Hash(token.AppendKey(nil, key...)), "TOKEN" + x.String(), nil
	}
	literal, err := p.term()
	if err != nil {
		return t, "", err
	}
	x := literal.plain()
	if x.form != formInteger {
		return t, "", p.ErrorAt(
			x.at, "%.60s is not a token: want a whole number or TOKEN(...) of a key", x,
		)
	}
	if t, err = p.table.Partitioner.Parse(x.text); err != nil {
		return t, "", p.ErrorAt(x.at, "%v", err)
	}
	return t, x.text, nil
}

// bound returns the tokens for which op holds. As in Cassandra, the least token also stands for the
// end of the ring: as an upper bound it is no bound (StatementRestrictions.getPartitionKeyBounds).
func bound(p token.Partitioner, op operator, t token.Token) within {
	whole := token.Whole(p)
	if t == whole.Start {
		return within{tokens: whole}
	}
	r := whole
	if op == equal || op == greaterOrEqual {
		r.Start = before(t)
	}
	if op == greater {
		r.Start = t
	}
	if op == equal || op == lessOrEqual {
		r.End = t
	}
	if op == less {
		r.End = before(t)
	}
	return within{r, !r.Start.Less(r.End)}
}

// before returns the token before t. t must not be the least token.
func before(t token.Token) token.Token {
	if t.Lo == 0 {
		return token.Token{Hi: t.Hi - 1, Lo: math.MaxUint64}
	}
	return token.Token{Hi: t.Hi, Lo: t.Lo - 1}
}

// maxKeys is the largest number of keys in a condition for which Tokens computes tokens. With more
// keys, Tokens ignores them.
const maxKeys = 1 << 16

// finish computes the token ranges in which the condition can hold.
func (p *parser) finish() {
	if p.table.Partitioner == nil {
		p.keys()
		return
	}
	whole := []token.Range{token.Whole(p.table.Partitioner)}
	all := whole
	for _, b := range p.bounds {
		if b.none {
			all = []token.Range{}
		} else {
			all = intersect(all, []token.Range{b.tokens}, whole)
		}
	}
	if keys, given := p.keys(); given {
		all = intersect(all, keys, whole)
	}
	if len(all) != 1 || all[0] != whole[0] {
		p.condition.tokens = append([]token.Range{}, all...)
	}
}

// intersect returns the common tokens of two lists of ranges.
func intersect(a, b, whole []token.Range) []token.Range {
	return token.Subtract(a, token.Subtract(whole, b))
}

// keys returns the tokens of the selected keys, if the condition selects all columns of the
// partition key. It then makes the relations compare by bytes, as a server does for keys.
func (p *parser) keys() (ranges []token.Range, given bool) {
	asked := make([]*membership, len(p.partition))
	number := 1
	for i, c := range p.partition {
		for _, m := range p.members {
			if m.position == c.Position &&
				(asked[i] == nil || len(m.values) < len(asked[i].values)) {
				asked[i] = m.membership
			}
		}
		if asked[i] == nil {
			return nil, false
		}
		number = min(number*len(asked[i].values), maxKeys+1)
	}
	for _, m := range p.members {
		m.order = nil
		slices.SortFunc(m.values, m.compare)
	}
	if p.table.Partitioner == nil || number > maxKeys || len(asked) == 0 {
		return nil, false
	}
	components := make([][]byte, len(asked))
	var each func(i int)
	each = func(i int) {
		if i < len(asked) {
			for _, components[i] = range asked[i].values {
				each(i + 1)
			}
			return
		}
		for _, c := range components {
			if len(c) > token.MaxKeyLen {
				return
			}
		}
		t := p.table.Partitioner.Hash(token.AppendKey(nil, components...))
		if t != p.table.Partitioner.Min() {
			ranges = append(ranges, token.Range{Start: before(t), End: t})
		}
	}
	each(0)
	return token.Merge(ranges), true
}
