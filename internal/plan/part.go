package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Shard is one of several parts of a plan, so that several hosts can share a sweep without talking
// to each other. The zero value is the whole plan.
type Shard struct {
	Number int // from 1
	Of     int
}

// ParseShard reads "2/5". The empty text is the whole plan.
func ParseShard(s string) (Shard, error) {
	if s == "" {
		return Shard{}, nil
	}
	k, n, ok := strings.Cut(s, "/")
	number, err1 := strconv.Atoi(k)
	of, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil {
		return Shard{}, fmt.Errorf("%q: the form is K/N, such as 2/5", s)
	}
	if of < 1 || number < 1 || number > of {
		return Shard{}, fmt.Errorf("%q: the first number must be from 1 to the second", s)
	}
	return Shard{number, of}, nil
}

// String returns the shard as K/N, empty for the whole plan.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Number, s.Of)
}

// whole reports whether the options ask for the whole plan.
func (o Options) whole() bool {
	return o.Begin == "" && o.End == "" && o.Shard.Of <= 1 && o.Unread == nil
}

// selectPart reduces the plan to what lies between the tokens and in the shard.
func (p *Plan) selectPart(o Options) error {
	if o.Unread != nil {
		left := o.Unread
		if p.MaxPieces > 0 {
			left = token.Merge(left) // those of an earlier run may be many and narrow
		}
		p.Splits = clip(p.Splits, left)
		p.nameSets()
		return nil
	}
	within := token.Whole(p.partitioner)
	for _, t := range []struct {
		flag, text string
		into       *token.Token
	}{{"begintoken", o.Begin, &within.Start}, {"endtoken", o.End, &within.End}} {
		if t.text == "" {
			continue
		}
		parsed, err := p.partitioner.Parse(t.text)
		if err != nil {
			return fmt.Errorf("--%s: %w", t.flag, err)
		}
		*t.into = parsed
	}
	if !within.Start.Less(within.End) {
		return fmt.Errorf(
			"begin token %s is not before end token %s",
			p.partitioner.Append(nil, within.Start),
			p.partitioner.Append(nil, within.End),
		)
	}
	splits := p.Splits[:0]
	for i, s := range p.Splits {
		if o.Shard.Of > 1 && i%o.Shard.Of != o.Shard.Number-1 {
			continue
		}
		s.Range.Start = later(s.Range.Start, within.Start)
		s.Range.End = sooner(s.Range.End, within.End)
		if s.Range.Start.Less(s.Range.End) {
			splits = append(splits, s)
		}
	}
	// A shard may have nothing to read. Its host then has an empty output, and the parts of all
	// hosts are still the whole.
	p.Splits = splits
	p.nameSets()
	return nil
}

// nameSets sets the vnode range of each split of a coarse plan. A split that was cut may no longer
// span several.
func (p *Plan) nameSets() {
	if p.MaxPieces == 0 {
		return
	}
	for i := range p.Splits {
		p.Splits[i].Set = p.placement.SetOf(p.Splits[i].Range)
	}
}

// clip returns the parts of the splits that lie in the ranges, which do not overlap.
func clip(splits []token.Split, within []token.Range) []token.Split {
	within = slices.Clone(within)
	slices.SortFunc(within, func(a, b token.Range) int { return a.Start.Compare(b.Start) })
	var out []token.Split
	for _, s := range splits {
		// the first range that ends behind the split's start
		i, _ := slices.BinarySearchFunc(
			within,
			s.Range.Start,
			func(r token.Range, t token.Token) int {
				if t.Less(r.End) {
					return 1
				}
				return -1
			},
		)
		for ; i < len(within) && within[i].Start.Less(s.Range.End); i++ {
			part := s
			part.Range.Start = later(s.Range.Start, within[i].Start)
			part.Range.End = sooner(s.Range.End, within[i].End)
			out = append(out, part)
		}
	}
	return out
}

func later(a, b token.Token) token.Token {
	if a.Less(b) {
		return b
	}
	return a
}

func sooner(a, b token.Token) token.Token {
	if a.Less(b) {
		return a
	}
	return b
}

// Hash identifies the splits of the whole plan and their order, whichever shard this is. It is the
// SHA-256 of their tokens as decimal text, start and end in a line; empty for a serial plan.
func (p *Plan) Hash() string { return p.hash }

func hash(partitioner token.Partitioner, splits []token.Split) string {
	h := sha256.New()
	var line []byte
	for _, s := range splits {
		line = partitioner.Append(line[:0], s.Range.Start)
		line = partitioner.Append(append(line, ' '), s.Range.End)
		h.Write(append(line, '\n'))
	}
	return hex.EncodeToString(h.Sum(nil))
}
