package cli

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/operation"
)

// failuresShown is how many token ranges that failed are listed.
const failuresShown = 20

// tellFailed lists token ranges that could not be read.
func (s streams) tellFailed(failed []operation.FailedRange) {
	for i, f := range failed {
		if i == failuresShown {
			s.warn("and %d more", len(failed)-i)
			break
		}
		within := "(all)"
		if f.Tokens != nil {
			within = fmt.Sprintf("(%s, %s]", f.Tokens.Start, f.Tokens.End)
		}
		s.warn("token range %s failed: %v", within, f.Err)
	}
}
