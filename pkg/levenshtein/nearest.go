package levenshtein

import "strings"

// Nearest is the candidate nearest to a name, capitals aside; empty when none is near
// enough to have been meant.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", max(len(name)/2, 1)+1
	for _, c := range candidates {
		if len(name)-len(c) >= bestDistance || len(c)-len(name) >= bestDistance {
			continue // they are as far apart at the least
		}
		// Names that differ in every letter have nothing in common.
		if d := Distance(strings.ToLower(name), strings.ToLower(c)); d < bestDistance && d < max(len(name), len(c)) {
			best, bestDistance = c, d
		}
	}
	return best
}
