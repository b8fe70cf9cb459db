package spec

import (
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Verify says which outputs of scans are checked, and how.
type Verify struct {
	Paths  []string // manifests, output folders or output files
	NoHash bool     // look at the sizes of files alone
}

// Settings names the fields.
func (s *Verify) Settings() setting.List {
	return setting.List{{Name: "no-hash", Field: &s.NoHash}}
}
