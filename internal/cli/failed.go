package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
)

const (
	// failuresShown is how many causes are listed for which token ranges failed.
	failuresShown = 20
	// rangesShown is how many token ranges of one cause are named.
	rangesShown = 3
)

// failure is a cause for which token ranges failed.
type failure struct {
	first  error // of the ranges
	ranges []string
	others bool // the errors of other ranges are worded otherwise
}

// printFailed lists token ranges that could not be read, by their causes. One damaged file is one
// cause, wherever the ranges found the damage.
func (s streams) printFailed(failed []operation.FailedRange) {
	var causes []*failure
	found := make(map[string]*failure)
	damaged := false
	for _, f := range failed {
		key := cmp.Or(f.Damaged(), f.Err.Error())
		damaged = damaged || f.Damaged() != ""
		cause := found[key]
		if cause == nil {
			cause = &failure{first: f.Err}
			found[key], causes = cause, append(causes, cause)
		}
		within := "(all)"
		if f.Tokens != nil {
			within = fmt.Sprintf("(%s, %s]", f.Tokens.Start, f.Tokens.End)
		}
		cause.ranges = append(cause.ranges, within)
		cause.others = cause.others || f.Err.Error() != cause.first.Error()
	}
	for i, c := range causes {
		if i == failuresShown {
			s.wrong("and token ranges failed for %s", human.Of(len(causes)-i, "more cause"))
			break
		}
		s.wrong("%s", c)
	}
	if damaged {
		s.wrong(
			"what to do: copy the file again, if it is a copy; or read another replica; on a node, " +
				"nodetool scrub drops what it cannot mend: run a repair after it",
		)
	}
}

// String says which token ranges failed, and why.
func (f *failure) String() string {
	text := fmt.Sprintf("token range %s failed: %v", f.ranges[0], f.first)
	if n := len(f.ranges); n > 1 {
		named := strings.Join(f.ranges[:min(n, rangesShown)], ", ")
		if n > rangesShown {
			named += fmt.Sprintf(" and %d more", n-rangesShown)
		}
		text = fmt.Sprintf("%d token ranges failed: %s: %v", n, named, f.first)
	}
	if f.others {
		text += ", and elsewhere in the file"
	}
	return text
}
