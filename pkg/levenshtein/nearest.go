package levenshtein

import "strings"

// Nearest returns the candidate closest to name, ignoring case. It returns "" if none is close
// enough to be a likely correction.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", max(len(name)/2, 1)+1
	for _, c := range candidates {
		if len(name)-len(c) >= bestDistance || len(c)-len(name) >= bestDistance {
			continue // the distance is at least the difference of the lengths
		}
		// Names that differ in every letter have nothing in common.
		if d := Distance(strings.ToLower(name), strings.ToLower(c)); d < bestDistance &&
			d < max(len(name), len(c)) {
			best, bestDistance = c, d
		}
	}
	return best
}
