package doctor

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Merge returns one sample of several inputs with what is known of their values, so that a column
// has one finding. A name of --map or --skipcols is unmet if no input has it.
func Merge(samples []Sample) Sample {
	all := samples[0]
	all.Times = slices.Clone(all.Times)
	all.Dates = slices.Clone(all.Dates)
	all.Values = slices.Clone(all.Values)
	all.Nulls = maps.Clone(all.Nulls)
	all.Words, all.RowTimes = slices.Clone(all.Words), slices.Clone(all.RowTimes)
	for _, s := range samples[1:] {
		all.Rows, all.Bad = all.Rows+s.Rows, all.Bad+s.Bad
		all.Unmet = slices.DeleteFunc(
			slices.Clone(all.Unmet),
			func(name string) bool { return !slices.Contains(s.Unmet, name) },
		)
		all.Times = mergeColumns(
			all.Times,
			s.Times,
			func(t Times) string { return t.Column },
			(*Times).merge,
		)
		all.RowTimes = mergeColumns(
			all.RowTimes,
			s.RowTimes,
			func(t Times) string { return t.Column },
			(*Times).merge,
		)
		all.Dates = append(all.Dates, s.Dates...)
		all.Stamps.merge(s.Stamps)
		all.Values = append(all.Values, s.Values...)
		all.Words = mergeColumns(
			all.Words,
			s.Words,
			func(u WordUse) string { return u.Column + "\x00" + u.Word },
			func(to *WordUse, from WordUse) { to.Rows += from.Rows },
		)
		for word, n := range s.Nulls {
			if all.Nulls == nil {
				all.Nulls = make(map[string]int64)
			}
			all.Nulls[word] += n
		}
	}
	if more := len(samples) - 1; more > 0 {
		all.Name = fmt.Sprintf("%s and %s", all.Name, human.Of(more, "more input"))
	}
	return all
}

// mergeColumns adds what is known of columns in another input: to the same column, or as a further
// one.
func mergeColumns[T any](all, more []T, column func(T) string, merge func(to *T, from T)) []T {
	for _, from := range more {
		if i := slices.IndexFunc(all, func(o T) bool { return column(o) == column(from) }); i >= 0 {
			merge(&all[i], from)
		} else {
			all = append(all, from)
		}
	}
	return all
}
