package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Marks are the decimal mark and the separator of thousands that numbers are read with; empty: not
// given. Currency are the signs that are passed over.
type Marks struct {
	Decimal, Thousands string
	Currency           []string
}

// AsNumbers says how numbers are written that no column takes as they are: with which marks they
// are to be read. If marks are given, it says which numbers they read as others.
func AsNumbers(samples []Sample, given Marks) []Finding {
	var numbers, wholes, all Values
	var column string
	var out []Finding
	signs := slices.Clone(given.Currency)
	for _, s := range readable(samples) {
		for _, v := range s.Values {
			if v.Kind != Number && v.Kind != Whole {
				continue
			}
			into := &numbers
			if v.Kind == Whole {
				into = &wholes
			}
			into.add(v)
			all.add(v)
			if v.bad > 0 {
				column = cmp.Or(column, v.Column)
			}
			if example, some := v.has(withSign); some && v.bad > 0 {
				out = append(out, signed(s.Name, v, example, &signs))
			}
		}
	}
	if more := len(out) - namesShown; more > 0 {
		out = append(out[:namesShown], Warn("", "and %s like it", human.Of(more, "more column")))
	}
	for i := range out {
		if out[i].Settings != nil {
			out[i].Settings = map[string][]string{"currency": signs}
		}
	}
	if given.Decimal+given.Thousands != "" {
		return append(out, given.findings(samples)...)
	}
	if all.bad == 0 {
		return out
	}
	if f, found := marks(numbers, wholes, all); found {
		out = append(out, f)
	}
	return out
}

// signed returns the finding for amounts with a sign, and adds it to the signs of all columns. The
// setting is one for them all.
func signed(input string, v Values, example string, signs *[]string) Finding {
	f := Warn(
		"remove the sign before loading, or load the column as text",
		"%s, column %q: %s such as %s",
		input,
		v.Column,
		human.Of(v.numbers[withSign], "value"),
		example,
	)
	sign := strings.TrimSpace(strings.Trim(example, "0123456789.,'-+ \u00a0"))
	if sign == "" || strings.ContainsAny(sign, "%‰0123456789.,+-") {
		return f // a hundredth is no currency
	}
	if !slices.Contains(*signs, sign) {
		*signs = append(*signs, sign)
	}
	f.Do = fmt.Sprintf("say --currency '%s'", sign)
	return f.with(map[string][]string{"currency": *signs})
}

// add adds what was noted of another column.
func (v *Values) add(o Values) {
	v.bad += o.bad
	if v.numbers == nil {
		v.numbers, v.example = make(map[style]int64), make(map[style]string)
	}
	for s, n := range o.numbers {
		v.numbers[s] += n
		v.example[s] = cmp.Or(v.example[s], o.example[s])
	}
}

// marks finds the decimal mark and the separator of thousands.
func marks(numbers, wholes, all Values) (Finding, bool) {
	comma, hasComma := all.has(commaBoth, decimalComma)
	point, hasPoint := all.has(pointBoth, commaGroups)
	if !hasPoint {
		point, hasPoint = numbers.has(decimalPoint, emptyFraction)
	}
	dots, hasDots := all.has(commaBoth, pointGroups)
	onlyDots := !hasDots && !hasComma // the only sign of thousands is one point in whole numbers
	if !hasDots {
		dots, hasDots = wholes.has(onePoint)
	}
	if whole, some := wholes.has(zeroPoint); some && onlyDots && !hasDots {
		return wholeOrThousands(whole, numbers), true
	}
	if whole, some := wholes.has(emptyFraction); some && onlyDots && !hasDots {
		return asDecimals(whole, point), true
	}
	onlyDots = onlyDots && hasDots
	ambiguous, hasAmbiguous := all.has(oneComma)
	blanks, hasBlanks := all.has(spaceGroups)
	settings := make(map[string][]string)
	example := ""
	switch {
	case (hasComma || hasDots) && hasPoint:
		return Fail(
			"write all numbers the same way",
			"some numbers have a decimal comma, such as %s, others a point, such as %s",
			cmp.Or(comma, dots),
			point,
		), true
	case hasComma || hasDots:
		settings["decimalsep"] = []string{","}
		if _, one := all.has(onePoint, zeroPoint); hasDots || one {
			settings["thousandssep"] = []string{"."}
		} else if hasBlanks {
			settings["thousandssep"] = []string{" "}
		}
		example = cmp.Or(dots, comma)
	case hasBlanks:
		settings["thousandssep"], example = []string{" "}, blanks
		if strings.Contains(blanks, ",") {
			settings["decimalsep"] = []string{","}
		}
	case hasPoint || hasAmbiguous:
		groups, some := all.has(pointBoth, commaGroups, oneComma)
		if !some {
			return Finding{}, false
		}
		settings["thousandssep"], example = []string{","}, groups
	default:
		return Finding{}, false
	}
	do := ""
	for _, flag := range []string{"decimalsep", "thousandssep"} {
		if mark := settings[flag]; mark != nil {
			do += fmt.Sprintf(" --%s '%s'", flag, mark[0])
		}
	}
	f := Warn("say"+do, "numbers have separators, such as %s", example).with(settings)
	if _, whole := wholes.has(
		oneComma,
	); !hasComma && !hasDots && !hasBlanks && !hasPoint &&
		!whole {
		f.Guess = fmt.Sprintf("%s is read as %s", ambiguous, strings.ReplaceAll(ambiguous, ",", ""))
		f.Do += "; if " + ambiguous + " is a fraction, say --decimalsep ',' instead"
	}
	if onlyDots {
		f.Guess = fmt.Sprintf("%s is read as %s", dots, strings.ReplaceAll(dots, ".", ""))
		f.Do += "; if " + dots + " has a fraction, the column takes whole numbers alone"
	}
	return f, true
}

// wholeOrThousands returns the finding for whole numbers such as 2.000: the point may begin an
// empty fraction or separate thousands. The finding advises neither.
func wholeOrThousands(example string, numbers Values) Finding {
	if point, some := numbers.has(decimalPoint, emptyFraction); some {
		return asDecimals(example, point)
	}
	short, _, _ := strings.Cut(example, ".")
	return Warn(
		fmt.Sprintf(
			"if %s is %s, say --integers decimal; if it is %s, say --thousandssep '.'",
			example,
			short,
			strings.ReplaceAll(example, ".", ""),
		),
		"whole numbers have a point, such as %s: a fraction, or a separator of thousands?",
		example,
	)
}

// asDecimals returns the finding for whole numbers such as 2.0, which pandas writes. beside is
// another number with a point; empty: there is none.
func asDecimals(example, beside string) Finding {
	if beside != "" {
		example += " beside " + beside
	}
	return Warn("say --integers decimal", "whole numbers have an empty fraction, such as %s", example).
		with(map[string][]string{"integers": {"decimal"}})
}

// findings returns the columns of numbers whose decimal mark is given as the separator of
// thousands. A fraction that does not have three digits shows that it is the decimal mark.
func (m Marks) findings(samples []Sample) (out []Finding) {
	fractions := map[string][]style{".": {decimalPoint, emptyFraction}, ",": {decimalComma}}
	fraction, known := fractions[m.Thousands]
	if !known {
		return nil
	}
	for _, s := range readable(samples) {
		for _, v := range s.Values {
			example, some := v.has(fraction...)
			if !some || v.Kind != Number {
				continue
			}
			do := "leave --thousandssep out"
			if m.Thousands == "," {
				do = "say --decimalsep ',' and leave --thousandssep out"
			} else if m.Decimal != "" {
				do = "leave --thousandssep and --decimalsep out"
			}
			out = append(out, Fail(
				do+", if all such columns are written so",
				"%s, column %q: %s such as %s: '%s' is the decimal mark there, and --thousandssep drops it, as if %s were %s",
				s.Name,
				v.Column,
				human.Of(
					v.count(fraction...),
					"value",
				),
				example,
				m.Thousands,
				example,
				strings.ReplaceAll(example, m.Thousands, ""),
			))
		}
	}
	return out
}
