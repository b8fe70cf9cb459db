package spec

import (
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Inspect says which SSTables are looked at, and how.
type Inspect struct {
	// Paths are files of SSTables, any of their components, and folders: of these the SSTables in
	// them, or, where there are none, those in all folders below, but for hidden ones.
	Paths   []string
	Rows    bool // write the partitions of the one SSTable as JSON
	Largest int  // how many of the largest partitions are found, for which all data are read
}

// Settings names the fields.
func (s *Inspect) Settings() setting.List {
	return setting.List{{Name: "rows", Field: &s.Rows}, {Name: "largest", Field: &s.Largest}}
}
