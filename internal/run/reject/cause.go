package reject

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// Cause is one reason for which rows were rejected, without their values. A dry run looks for all
// bad fields of a row; the row then has a cause for each of them.
type Cause struct {
	Rows int64
	// First is the reject with the lowest line of the input that came first, without its bytes.
	First ingest.Reject
}

// String returns the place of the first reject, its column and value, and the reason.
func (c Cause) String() string {
	text := fmt.Sprintf("%s:%d:%d: ", c.First.File, c.First.Line, c.First.Field)
	if c.First.Column != "" {
		text += fmt.Sprintf("column %q, value %q: ", c.First.Column, c.First.Value)
	}
	return text + c.First.Reason
}

// Causes groups rejects by stage, column and reason. It has at most mostCauses groups; the last one
// takes the rows of all further reasons. The zero value is empty. Only one goroutine may use it.
type Causes struct {
	byKey map[string]*Cause
	order []*Cause
	words map[word]int64 // rows whose first bad value is a word
}

// word is a bad value without digits, such as NA, in a column.
type word struct{ column, text string }

// Words that are counted: at most longWord bytes each, and at most mostWords of them.
const (
	longWord  = 16
	mostWords = 1000
)

// mostCauses bounds the memory for reasons, for any input.
const mostCauses = 100

// varying matches the parts of a reason that differ from row to row: quoted values and numbers.
var varying = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[0-9]+`)

// Add adds a reject.
func (c *Causes) Add(r ingest.Reject) {
	if c.byKey == nil {
		c.byKey = make(map[string]*Cause)
	}
	c.countWord(r)
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
	if cause.Rows++; r.File == cause.First.File && r.Line < cause.First.Line {
		cause.First = r // parsers run concurrently
	}
}

func (c *Causes) countWord(r ingest.Reject) {
	if r.Stage != ingest.Parse || r.Column == "" || r.Value == "" || len(r.Value) > longWord ||
		strings.ContainsAny(r.Value, "0123456789") {
		return
	}
	w := word{r.Column, r.Value}
	if _, known := c.words[w]; !known && len(c.words) == mostWords {
		return
	}
	if c.words == nil {
		c.words = make(map[word]int64)
	}
	c.words[w]++
}

// BadWords returns the short texts without digits for which rows were rejected, most rows first.
// Only columns for which of returns true count. A row with several bad values counts only for its
// first.
func (c *Causes) BadWords(of func(column string) bool) []string {
	rows := make(map[string]int64)
	for w, n := range c.words {
		if of(w.column) {
			rows[w.text] += n
		}
	}
	return slices.SortedFunc(
		maps.Keys(rows),
		func(a, b string) int {
			return cmp.Or(cmp.Compare(rows[b], rows[a]), strings.Compare(a, b))
		},
	)
}

// List returns the causes, those with the most rows first.
func (c *Causes) List() []Cause {
	list := make([]Cause, len(c.order))
	for i, cause := range c.order {
		list[i] = *cause
	}
	slices.SortStableFunc(list, func(a, b Cause) int { return cmp.Compare(b.Rows, a.Rows) })
	return list
}
