package component

import "github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"

// cursor reads the fields of a component.
type cursor struct{ fields.Reader }
