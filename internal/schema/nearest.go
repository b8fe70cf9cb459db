package schema

import (
	"fmt"
	"strings"
)

// DidYouMean is a hint to append to an error about an unknown name: the nearest
// of the candidates where one is near enough, or nothing.
func DidYouMean(name string, candidates []string) string {
	best, bestDistance := "", max(len(name)/2, 1)+1
	for _, c := range candidates {
		// Names that differ in every letter have nothing in common.
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < bestDistance && d < max(len(name), len(c)) {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
