package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// oddity is what is odd about half of the numbers of a column or more.
type oddity struct {
	oddTimes
	where string
	early bool // they are in January 1970
	step  int  // that makes half of them likely, or noStep
}

// noStep: no unit since 1970 makes times of 1980 to 2100 of them.
const noStep = -1

// odd returns what is odd about a column; false: nothing.
func (t *Times) odd() (oddity, bool) {
	half := func(n int64) bool { return n > 0 && 2*n >= t.values }
	if half(t.january.number) {
		o := oddity{t.january, "in January 1970", true, stepUsual - 1}
		for step := range stepUsual {
			if t.steps[step].number > t.steps[o.step].number {
				o.step = step
			}
		}
		if 2*t.steps[o.step].number < t.january.number {
			o.step = noStep
		}
		return o, true
	}
	for step := stepUsual + 1; step < stepsWide; step++ {
		if half(t.steps[step].number) {
			return oddity{t.steps[step], "after the year 2100", false, step}, true
		}
	}
	if half(t.far.number) {
		return oddity{t.far, "after the year 9999", false, noStep}, true
	}
	return oddity{}, false
}

// of says which timestamps of a column are odd.
func (o *oddity) of(name string, t *Times) string {
	return fmt.Sprintf(
		"%s, column %q: %s of %s, such as %s, %s %s",
		name,
		t.Column,
		human.Count(
			o.number,
		),
		human.Of(t.values, "value"),
		t.first(&o.oddTimes),
		human.Verb(o.number, "is", "are"),
		o.where,
	)
}

// unitOf is the unit of a step; false: there is none.
func (t *Times) unitOf(step int) (flag, words string, there bool) {
	i := t.unit() + step - stepUsual
	if i < 0 || i >= len(units) {
		return "", "", false
	}
	return units[i].flag, units[i].words, true
}

// usualBeside is the number of times around 1970 that make one in January 1970 likely: of birthdays
// about one in 120 is.
const usualBeside = 20

// mixed returns the steps at which numbers of a column are likely, if these are several.
func (t *Times) mixed() (steps []int) {
	for step := range t.steps {
		n := t.steps[step].number
		if n > 0 && (step >= stepUsual || usualBeside*n > t.near) {
			steps = append(steps, step)
		}
	}
	if len(steps) < 2 {
		return nil
	}
	return steps
}

// SeveralUnits reports whether a column has numbers of several units, or dates without separators
// beside numbers.
func (t *Times) SeveralUnits() bool { return t.compact.mixed() || len(t.mixed()) > 0 }

// mixture is the finding about a column with numbers of several units. Only splitting the file
// helps: one unit is read of all.
func (t *Times) mixture(name string, steps []int) Finding {
	var seen, parts []string
	below := "" // the number from which numbers are of a coarser unit
	for _, step := range steps {
		flag, words, _ := t.unitOf(step)
		o := &t.steps[step]
		seen = append(
			seen,
			fmt.Sprintf(
				"%s %s like %s, such as %s in %s",
				human.Count(o.number),
				human.Verb(o.number, "looks", "look"),
				words,
				t.first(o),
				o.place(),
			),
		)
		part, above := "--timestamp-unit "+flag, boundAbove(flag)
		switch {
		case below == "":
			part += " for numbers below " + above
		case step == steps[len(steps)-1]:
			part += " for those from " + below
		default:
			part += " for those from " + below + " to below " + above
		}
		below = above
		parts = append(parts, part)
	}
	return Fail(
		"split the file by the size of these numbers, and load each part with its own unit: "+strings.Join(
			parts,
			", ",
		),
		"%s, column %q: numbers of different units: %s",
		name,
		t.Column,
		strings.Join(seen, "; "),
	).wrong()
}

// boundAbove is the number below which times of 1980 to 2100 count a unit, and not the next finer
// one.
func boundAbove(flag string) string {
	zeros := map[string]int{"s": 11, "ms": 14, "us": 17, "ns": 20}[flag]
	return "1" + strings.Repeat("0", zeros)
}

// Units judges whether the numbers in columns of timestamps look as if they had another unit than
// the one that a load reads them in. given is the unit that the user named; empty: none. [AsDates]
// judges columns of dates without separators.
func Units(samples []Sample, given string) []Finding {
	var out, mixed []Finding
	var rest []named
	for _, s := range readable(samples) {
		for _, t := range s.Times {
			if _, dated := t.Dated(); dated {
				continue
			}
			if f, both := t.Mixed(); both {
				f.Found = s.Name + ", " + f.Found
				mixed = append(mixed, f)
			} else if steps := t.mixed(); steps != nil {
				mixed = append(mixed, t.mixture(s.Name, steps))
			} else {
				rest = append(rest, named{s.Name, t})
			}
		}
	}
	if given != "" {
		out = unlikeGiven(rest, given)
	} else {
		out = unlikeUsual(rest)
	}
	return fewUnits(append(mixed, out...))
}

// countsUnknown is what to do about numbers if it is not known what they count.
const countsUnknown = "find out what these numbers count, and since when, and write them as 2024-12-31T10:00:00"

// named is a column of an input.
type named struct {
	input string
	Times
}

// unlikeUsual warns of columns whose numbers are not of the unit that is usual.
func unlikeUsual(columns []named) (out []Finding) {
	differ := make(map[string]bool) // units that columns seem to be in
	for _, c := range columns {
		o, odd := c.odd()
		flag := ""
		if odd && o.step == noStep {
			out = append(
				out,
				Warn(
					countsUnknown,
					"%s: times of 1980 to 2100 in no unit since 1970",
					o.of(c.input, &c.Times),
				),
			)
		} else if odd {
			var words string
			flag, words, _ = c.unitOf(o.step)
			out = append(
				out,
				Warn(
					"--timestamp-unit "+flag,
					"%s: %s since 1970, read as milliseconds?",
					o.of(c.input, &c.Times),
					words,
				).
					with(map[string][]string{"timestamp-unit": {flag}}),
			)
		}
		if c.values > 0 {
			differ[flag] = true
		}
	}
	if len(differ) > 1 {
		for i := range out {
			if out[i].Settings == nil {
				continue
			}
			out[i].Do = fmt.Sprintf(
				"--timestamp-unit is the unit of all columns: load the file once for each unit, here %s, and leave the columns of other units out with --skipcols",
				out[i].Settings["timestamp-unit"][0],
			)
			out[i].Settings = nil
		}
	}
	return out
}

// unlikeGiven warns of columns whose numbers are not of the unit that the user named. The user who
// says s or ms is believed if all columns are in January 1970: that name confirms it.
func unlikeGiven(columns []named, given string) (out []Finding) {
	usual := false // a column has timestamps that are not odd
	differ := make(map[int]bool)
	for _, c := range columns {
		o, odd := c.odd()
		usual = usual || !odd && c.values > 0
		if odd {
			differ[o.step] = true
		}
	}
	mixed := usual || len(differ) > 1
	for _, c := range columns {
		o, odd := c.odd()
		if !odd || o.early && !mixed && slices.Contains([]string{"s", "ms"}, given) {
			continue
		}
		do := "--timestamp-unit is the unit of all columns: load the file once for each unit, and leave the columns of other units out with --skipcols"
		if o.step == noStep {
			do = countsUnknown
		} else if flag, _, there := c.unitOf(o.step); there && !mixed {
			do = "--timestamp-unit " + flag
		}
		out = append(
			out,
			Warn(do, "%s: numbers of another unit than %s?", o.of(c.input, &c.Times), given),
		)
	}
	return out
}

// fewUnits cuts a long list of findings.
func fewUnits(out []Finding) []Finding {
	if more := len(out) - namesShown; more > 0 {
		out = append(
			out[:namesShown],
			Warn(out[0].Do, "and %s like it", human.Of(more, "more column")),
		)
	}
	return out
}
