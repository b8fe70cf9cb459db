package cqljson

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// maxHints is the largest number of names in the error for an unknown field.
const maxHints = 3

// unknown returns the error for an unknown field, with the closest names of fields.
func (r *udtReader) unknown(name []byte) error {
	shownName := name[:min(len(name), maxQuoted)]
	lower := strings.ToLower(string(shownName))
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, f := range r.fields {
		distance := levenshtein.Distance(lower, strings.ToLower(f.name))
		near = append(near, candidate{cqltype.QuoteIdent(f.name), distance})
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var hints []string
	for _, c := range near[:min(len(near), maxHints)] {
		hints = append(hints, c.name)
	}
	switch {
	case len(hints) == 0:
		return fmt.Errorf("%s has no field %q, and no other", r.wire, shownName)
	case len(near) > maxHints:
		return fmt.Errorf(
			"%s has no field %q; the nearest of its %d are %s",
			r.wire,
			shownName,
			len(near),
			strings.Join(hints, ", "),
		)
	default:
		return fmt.Errorf(
			"%s has no field %q, only %s", r.wire, shownName, strings.Join(hints, ", "),
		)
	}
}
