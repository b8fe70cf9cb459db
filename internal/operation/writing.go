package operation

import (
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// landing is how rows are streamed into a table, whatever they are made of.
type landing struct {
	env       spec.Environment
	spec      *spec.Writing
	t         *table.Table
	counters  *progress.Counters
	altered   func() error // the error of a table that is not what it was
	again     string       // how to load the rows that were not loaded
	fromStart string       // how all rows are
	expires   bool         // rows that have no time to live of their own have the table's
	streaming *streaming   // nil: the way is CQL
	files     *fileKeeper  // nil: SSTables are not kept in a folder
	// that is open anyway, for nodes of another table; nil: there is none
	listener *internode.Listener
}
