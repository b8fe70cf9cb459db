package schema

import (
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// DidYouMean is a hint to append to an error about an unknown name: the nearest
// of the candidates where one is near enough, or nothing.
func DidYouMean(name string, candidates []string) string {
	if nearest := Nearest(name, candidates); nearest != "" {
		return fmt.Sprintf("; did you mean %q?", nearest)
	}
	return ""
}

// Nearest is the candidate nearest to a name, capitals aside; empty when none is near
// enough to have been meant.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", max(len(name)/2, 1)+1
	for _, c := range candidates {
		if len(name)-len(c) >= bestDistance || len(c)-len(name) >= bestDistance {
			continue // they are as far apart at the least
		}
		// Names that differ in every letter have nothing in common.
		if d := levenshtein.Distance(strings.ToLower(name), strings.ToLower(c)); d < bestDistance && d < max(len(name), len(c)) {
			best, bestDistance = c, d
		}
	}
	return best
}

// nameShown is how much of a name a message quotes, in bytes. No column has a longer one.
const nameShown = 200

// shorten cuts a name that is none: the header of a file that is no text may be as long
// as the file.
func shorten(name string) string {
	if len(name) <= nameShown {
		return name
	}
	return name[:nameShown] + "..."
}
