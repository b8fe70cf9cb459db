package records

import (
	"github.com/cqlbulk/cqlbulk/internal/run"
)

// Outcomes maps the outcomes of runs to their names in a journal.
var Outcomes = map[run.Outcome]string{
	run.Done:        Done,
	run.Partly:      Partly,
	run.Interrupted: Interrupted,
	run.Failed:      Failed,
}
