package reject

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// Cause is one reason for which rows were rejected, whatever the values were. A row that has
// several bad fields has a cause for each, where they were all looked for.
type Cause struct {
	Rows  int64
	First ingest.Reject // the first of them, without its bytes
}

// Causes groups rejects by stage, column and reason. There are at most mostCauses
// of them; rows for further ones go together. The zero value has none; it belongs to one goroutine.
type Causes struct {
	byKey map[string]*Cause
	order []*Cause
}

// mostCauses bounds the memory that reasons take, whatever the input is.
const mostCauses = 100

// varying are the parts of a reason that differ from row to row: values in quotes
// and numbers.
var varying = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[0-9]+`)

// Add takes a reject.
func (c *Causes) Add(r ingest.Reject) {
	if c.byKey == nil {
		c.byKey = make(map[string]*Cause)
	}
	more := r.More
	r.Raw, r.More = nil, nil
	c.count(r)
	for _, b := range more {
		r.Line, r.Field, r.Column, r.Value, r.Reason = b.Line, b.Field, b.Column, b.Value, b.Reason
		c.count(r)
	}
}

// count counts one reason of a row.
func (c *Causes) count(r ingest.Reject) {
	key := string(r.Stage) + "\x00" + r.Column + "\x00" + varying.ReplaceAllString(r.Reason, "*")
	cause := c.byKey[key]
	if cause == nil && len(c.order) == mostCauses {
		cause = c.order[mostCauses-1]
	}
	if cause == nil {
		cause = &Cause{First: r}
		c.byKey[key] = cause
		c.order = append(c.order, cause)
	}
	cause.Rows++
	if r.File == cause.First.File && r.Line < cause.First.Line {
		cause.First = r // parts of an input are read side by side
	}
}

// List gives the causes, those of most rows first.
func (c *Causes) List() []Cause {
	list := make([]Cause, len(c.order))
	for i, cause := range c.order {
		list[i] = *cause
	}
	slices.SortStableFunc(list, func(a, b Cause) int { return cmp.Compare(b.Rows, a.Rows) })
	return list
}
