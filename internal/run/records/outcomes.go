package records

import (
	"github.com/cqlbulk/cqlbulk/internal/run"
)

// Outcomes are the outcomes of runs as a journal calls them.
var Outcomes = map[run.Outcome]string{
	run.Done:        Done,
	run.Partly:      Partly,
	run.Interrupted: Interrupted,
	run.Failed:      Failed,
}
