package cqljson

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// maxHints is how many names the error about an unknown field holds out.
const maxHints = 3

// unknown says that there is no such field, and names the nearest that there are.
func (r *udtReader) unknown(name []byte) error {
	shownName := name[:min(len(name), maxQuoted)]
	lower := strings.ToLower(string(shownName))
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, f := range r.fields {
		near = append(near, candidate{cqltype.QuoteIdent(f.name), distance(lower, strings.ToLower(f.name))})
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var hints []string
	for _, c := range near[:min(len(near), maxHints)] {
		hints = append(hints, c.name)
	}
	switch {
	case len(hints) == 0:
		return fmt.Errorf("%s has no field %q, and no other", r.name, shownName)
	case len(near) > maxHints:
		return fmt.Errorf("%s has no field %q; the nearest of its %d are %s", r.name, shownName, len(near), strings.Join(hints, ", "))
	default:
		return fmt.Errorf("%s has no field %q, only %s", r.name, shownName, strings.Join(hints, ", "))
	}
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
