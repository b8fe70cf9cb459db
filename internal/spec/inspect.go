package spec

import (
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Inspect says which SSTables are read, and how.
type Inspect struct {
	// Paths are files of SSTables, any of their components, and folders. Of a folder the SSTables
	// in it are read. If it has none, those in all folders below it are, but for hidden ones.
	Paths   []string
	Rows    bool // write the partitions of the one SSTable as JSON
	Largest int  // how many of the largest partitions are found, for which all data are read
}

// Settings names the fields.
func (s *Inspect) Settings() setting.List {
	return setting.List{{Name: "rows", Field: &s.Rows}, {Name: "largest", Field: &s.Largest}}
}
