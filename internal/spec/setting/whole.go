package setting

import "slices"

// wholes are the lists whose elements may have commas: patterns of dates and times.
var wholes = []string{"datetimeformat", "dateformat", "timeformat", "column"}

// IsWhole reports whether each text that a list is given is one element. Other lists are divided at
// commas.
func IsWhole(name string) bool { return slices.Contains(wholes, name) }

// FlagTexts returns the values by which the flag of a list has these elements. The flag is given
// once for each.
func FlagTexts(name string, elements []string) []string {
	if IsWhole(name) && len(elements) > 0 {
		return elements
	}
	return []string{ListText(elements)}
}
