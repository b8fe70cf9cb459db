package cqlshtext

import "strings"

// Lacks returns what a strptime format lacks to tell a moment from others: "year (%Y)" and the like; empty if it lacks
// nothing. What a format lacks, Python takes from 1900-01-01T00:00:00, and an hour of twelve without AM or PM from the
// morning. It fails as [Plan] does when a directive cannot be read.
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
