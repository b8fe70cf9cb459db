package spec

import (
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Resume says which run to resume, and with which settings of its own.
type Resume struct {
	RunDir  string
	Changes setting.Changes // all others are those of the earlier run
	// KeepLoaded has a load read only what is left as the changes say, though rows are loaded that
	// were read as before.
	KeepLoaded bool
}
