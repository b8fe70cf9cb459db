package schema

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// DidYouMean is a hint to append to an error about an unknown name: the nearest
// of the candidates where one is near enough, or nothing.
func DidYouMean(name string, candidates []string) string {
	if nearest := levenshtein.Nearest(name, candidates); nearest != "" {
		return fmt.Sprintf("; did you mean %q?", nearest)
	}
	return ""
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
