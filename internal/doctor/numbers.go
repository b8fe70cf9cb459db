package doctor

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/amount"
)

// Numbers counts the texts in a numeric column of an input that have separators between groups of
// digits, or a comma before decimals, and that the column did not take.
type Numbers struct {
	Column string

	number  int64
	example string // one that tells the separators, where there is one
	groups  string // between groups of digits; empty: none was met
	decimal string // before decimals; empty: none was met
}

// NumberWatch notes the texts of one column. It is safe for concurrent use.
type NumberWatch struct {
	mu      sync.Mutex
	numbers Numbers
}

// separated is a number with groups of three digits, and perhaps decimals; commaDecimal one with a
// comma before its decimals.
var (
	separated    = regexp.MustCompile(`^[-+]?[0-9]{1,3}(?:([,.' _]|\x{00a0}|\x{202f})[0-9]{3})(?:([,.' _]|\x{00a0}|\x{202f})[0-9]{3})*(?:([.,])[0-9]+)?$`)
	commaDecimal = regexp.MustCompile(`^[-+]?[0-9]+,[0-9]+$`)
)

// Note takes the text of a value that the column did not take.
func (w *NumberWatch) Note(text []byte) {
	groups, decimal := "", ""
	switch found := separated.FindSubmatch(text); {
	case found != nil && string(found[3]) == string(found[1]):
		return
	case found != nil:
		groups, decimal = string(found[1]), string(found[3])
	case commaDecimal.Match(text):
		decimal = ","
	default:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	n := &w.numbers
	if n.number++; n.groups == "" {
		n.groups = groups
	}
	if n.example == "" || n.decimal == "" && decimal != "" {
		n.example, n.decimal = string(text), decimal
	}
}

// Numbers is what was noted of a column; false: there was no such number.
func (w *NumberWatch) Numbers(column string) (Numbers, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.numbers
	n.Column = column
	return n, n.number > 0
}

// Separators says how numbers with separators are read that columns did not take.
func Separators(samples []Sample) []Finding {
	var out []Finding
	for _, s := range readable(samples) {
		for _, n := range s.Numbers {
			out = append(out, Warn(n.flags(), "%s, column %q: %s %s rejected for separators in numbers, such as %q",
				s.Name, n.Column, amount.Of(n.number, "value"), amount.Verb(n.number, "is", "are"), n.example))
		}
	}
	if more := len(out) - namesShown; more > 0 {
		out = append(out[:namesShown], Warn(out[0].Do, "and %s like it", amount.Of(more, "more column")))
	}
	return out
}

// flags returns the flags by which the numbers are read.
func (n *Numbers) flags() string {
	text := "--dialect cqlsh"
	if n.groups != "" {
		text += fmt.Sprintf(" --thousandssep '%s'", n.groups)
		if n.groups == "'" {
			text = `--dialect cqlsh --thousandssep "'"`
		}
	}
	if n.decimal == "," {
		text += " --decimalsep ,"
	}
	return text
}

// Names says whether names that the user gave occur in the input.
func Names(samples []Sample) []Finding {
	var out []Finding
	for _, s := range readable(samples) {
		if len(s.Unmet) > 0 && s.Rows > s.Bad {
			out = append(out, Warn("see how the members are called; those of an object within another are its value's",
				"%s: no object of the first %s has a member called %s, which --map or --skipcols names", s.Name, amount.Count(s.Rows), some(s.Unmet)))
		}
	}
	return out
}
