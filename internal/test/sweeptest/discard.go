package sweeptest

import (
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Discard is a consumer of a sweep that reads rows and keeps none.
type Discard struct{}

// Page reads all rows of a page.
func (Discard) Page(_ token.Range, p row.Page) error {
	for p.Next() {
	}
	return nil
}

// Done does nothing.
func (Discard) Done(token.Range) error { return nil }

// Progress returns the start of the range.
func (Discard) Progress(within token.Range) token.Token { return within.Start }

// Cut does nothing.
func (Discard) Cut(token.Range) error { return nil }

// Weight returns 0.
func (Discard) Weight() (int64, bool) { return 0, false }
