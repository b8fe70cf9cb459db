package schema

import (
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// DidYouMean is a hint to append to an error about an unknown name: the nearest
// of the candidates where one is near enough, or nothing.
func DidYouMean(name string, candidates []string) string {
	best, bestDistance := "", max(len(name)/2, 1)+1
	for _, c := range candidates {
		// Names that differ in every letter have nothing in common.
		if d := levenshtein.Distance(strings.ToLower(name), strings.ToLower(c)); d < bestDistance && d < max(len(name), len(c)) {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
