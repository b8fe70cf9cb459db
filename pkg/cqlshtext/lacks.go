package cqlshtext

import "strings"

// Lacks returns what a strptime format lacks to determine a moment, such as "year (%Y)", or "" if
// it is complete. Python takes missing parts from 1900-01-01T00:00:00, and reads an hour of twelve
// without AM or PM as morning. Lacks returns an error if a directive cannot be read, as [Plan]
// does.
func Lacks(format string) (string, error) {
	l, err := parseLayout(format)
	if err != nil {
		return "", err
	}
	has := func(directives string) bool {
		for _, item := range l {
			if item.directive != 0 && strings.IndexByte(directives, item.directive) >= 0 {
				return true
			}
		}
		return false
	}
	switch {
	case !has("Yy"):
		return "year (%Y)", nil
	case !has("mbB"):
		return "month (%m)", nil
	case !has("de"):
		return "day (%d)", nil
	case has("I") && !has("p"):
		return "AM or PM (%p) beside %I", nil
	}
	return "", nil
}
