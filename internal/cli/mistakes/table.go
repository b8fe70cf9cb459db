package mistakes

import (
	"os"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// LooksLikeTable says whether an argument is keyspace.table rather than a file.
func LooksLikeTable(arg string) bool {
	if _, err := os.Stat(arg); err == nil || strings.ContainsAny(arg, `/\*?[`) {
		return false
	}
	parts, err := schema.SplitName(arg)
	return err == nil && len(parts) == 2
}
