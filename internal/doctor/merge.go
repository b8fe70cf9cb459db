package doctor

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/amount"
)

// Merge returns one sample of several inputs, with what is known of their values: so each finding
// about a column is told once. Names that --map or --skipcols has are unmet if no input has them.
func Merge(samples []Sample) Sample {
	all := samples[0]
	all.Times, all.Dates, all.Numbers = slices.Clone(all.Times), slices.Clone(all.Dates), slices.Clone(all.Numbers)
	for _, s := range samples[1:] {
		all.Rows, all.Bad = all.Rows+s.Rows, all.Bad+s.Bad
		all.Unmet = slices.DeleteFunc(slices.Clone(all.Unmet), func(name string) bool { return !slices.Contains(s.Unmet, name) })
		for _, t := range s.Times {
			if i := slices.IndexFunc(all.Times, func(o Times) bool { return o.Column == t.Column }); i >= 0 {
				all.Times[i].merge(t)
			} else {
				all.Times = append(all.Times, t)
			}
		}
		for _, d := range s.Dates {
			if i := slices.IndexFunc(all.Dates, func(o Dates) bool { return o.Column == d.Column }); i >= 0 {
				all.Dates[i].merge(d)
			} else {
				all.Dates = append(all.Dates, d)
			}
		}
		for _, n := range s.Numbers {
			if i := slices.IndexFunc(all.Numbers, func(o Numbers) bool { return o.Column == n.Column }); i >= 0 {
				all.Numbers[i].merge(n)
			} else {
				all.Numbers = append(all.Numbers, n)
			}
		}
	}
	if more := len(samples) - 1; more > 0 {
		all.Name = fmt.Sprintf("%s and %s", all.Name, amount.Of(more, "more input"))
	}
	return all
}

func (d *Dates) merge(o Dates) {
	if d.example == "" || d.dayFirst+d.monthFirst == 0 {
		d.example = o.example
	}
	d.dayFirst, d.monthFirst, d.either, d.bad = d.dayFirst+o.dayFirst, d.monthFirst+o.monthFirst, d.either+o.either, d.bad+o.bad
}

func (n *Numbers) merge(o Numbers) {
	if n.groups == "" {
		n.groups = o.groups
	}
	if n.decimal == "" && o.decimal != "" {
		n.decimal, n.example = o.decimal, o.example
	}
	n.number += o.number
}
