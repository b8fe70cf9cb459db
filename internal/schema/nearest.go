package schema

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
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

// DidYouMeanTable is DidYouMean of a table. It shows a table whose name has capitals as it is
// typed.
func DidYouMeanTable(keyspace, table string, candidates []string) string {
	nearest := levenshtein.Nearest(table, candidates)
	if nearest == "" || cqltype.QuoteIdent(nearest) == nearest {
		return DidYouMean(table, candidates)
	}
	return fmt.Sprintf(
		"; did you mean '%s.%s'? Its capitals need the quotes",
		cqltype.QuoteIdent(keyspace),
		cqltype.QuoteIdent(nearest),
	)
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
