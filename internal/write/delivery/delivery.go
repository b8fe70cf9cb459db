package delivery

import (
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// Delivery brings the SSTables of a load or a clone into a table. The caller sets the fields up to
// Listener, and calls Prepare. A Delivery belongs to one goroutine; what it hands to write/stream
// is safe for concurrent use.
type Delivery struct {
	Env      spec.Environment
	Spec     *spec.Writing
	Table    *table.Table
	Counters *progress.Counters
	// Altered returns the error of a table that was altered, or created again, meanwhile.
	Altered func() error
	// Rest is the advice for loading the rows that were not loaded.
	Rest string
	// FromStart is the advice for loading all rows once more.
	FromStart string
	// Expires means that rows without a time to live get the table's default.
	Expires bool
	// Listener is one that is open already for a streamed source; nil: there is none.
	Listener *internode.Listener

	Setup  *Setup         // set by Prepare
	Folder *SSTableFolder // set by StartFiles; nil: SSTables are streamed
}
