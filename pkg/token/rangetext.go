package token

import (
	"fmt"
	"strings"
)

// AppendRange appends a range in decimal tokens, such as "(-5, 7]". [ParseRange] reads this form,
// and the errors of this package use it.
func AppendRange(dst []byte, p Partitioner, r Range) []byte {
	dst = p.Append(append(dst, '('), r.Start)
	dst = p.Append(append(dst, ", "...), r.End)
	return append(dst, ']')
}

// ParseRange reads a range in exactly the form of [AppendRange], including its spaces. The error
// quotes the text. It reports whether the form or a token is wrong, or the start is not before the
// end.
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
