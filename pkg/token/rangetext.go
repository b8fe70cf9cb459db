package token

import (
	"fmt"
	"strings"
)

// AppendRange appends a range in decimal tokens, as "(-5, 7]": the form that
// [ParseRange] reads, and that errors of this package show.
func AppendRange(dst []byte, p Partitioner, r Range) []byte {
	dst = p.Append(append(dst, '('), r.Start)
	dst = p.Append(append(dst, ", "...), r.End)
	return append(dst, ']')
}

// ParseRange reads a range of the partitioner in the form of [AppendRange], and
// nothing looser: spaces stand as they do there. The error names the text and
// says whether the form or a token is wrong, or the start not before the end.
func ParseRange(p Partitioner, s string) (Range, error) {
	inner, opened := strings.CutPrefix(s, "(")
	inner, closed := strings.CutSuffix(inner, "]")
	start, end, two := strings.Cut(inner, ", ")
	if !opened || !closed || !two {
		return Range{}, fmt.Errorf("token range %q: not of the form (start, end]", s)
	}
	var r Range
	var err error
	if r.Start, err = p.Parse(start); err == nil {
		r.End, err = p.Parse(end)
	}
	switch {
	case err != nil:
		return Range{}, fmt.Errorf("token range %q: %w", s, err)
	case !r.Start.Less(r.End):
		return Range{}, fmt.Errorf("token range %q: the start is not before the end", s)
	}
	return r, nil
}
