package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// Order is how the fields of an input go to columns by their place. The zero value has no finding.
type Order struct {
	Columns []string // of the fields, in their order
	Listed  bool     // the user named them; else they are the table's
	Header  string   // the first line, if it names columns and is read as a row
	Column  string   // the first that takes none of its values
	Value   string   // the first of them
	Other   bool     // the values fit in another order
	Only    []string // the only order in which they do; nil: there are several
}

// orderShown is how many columns a finding lists.
const orderShown = 12

// plainLetters are those of names that a shell and --columns take without quotes.
const plainLetters = "abcdefghijklmnopqrstuvwxyz0123456789_"

// listed names columns, but not all of very many.
func listed(names []string) string {
	if more := len(names) - orderShown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:orderShown], ","), more)
	}
	return strings.Join(names, ",")
}

// AsOrder judges whether the fields of inputs are in another order than the columns that they go
// to. copied: the load is that of cqlsh's COPY. Its failure is the cause of the other findings
// about the values.
func AsOrder(samples []Sample, copied bool) []Finding {
	for _, s := range readable(samples) {
		o := &s.Order
		if o.Header != "" {
			do := "leave --header=false out"
			if copied {
				do += ", and say WITH HEADER = true in COPY"
			}
			return []Finding{
				Warn(
					do,
					"%s: the first line, %s, names columns, and is read as a row",
					s.Name,
					o.Header,
				),
			}
		}
		if o.Column == "" {
			continue
		}
		found := fmt.Sprintf(
			"%s: column %q does not take its field, such as %q: without a header the fields go to the table's columns in the table's order, %s",
			s.Name,
			o.Column,
			o.Value,
			listed(o.Columns),
		)
		if o.Listed {
			found = fmt.Sprintf(
				"%s: column %q does not take its field, such as %q: the fields go to the columns in the order in which these are listed, %s",
				s.Name,
				o.Column,
				o.Value,
				listed(o.Columns),
			)
		}
		do := "name the columns in the order of the file with --columns"
		if copied {
			do += ", or in COPY behind the table's name"
		}
		switch {
		case o.Only != nil:
			columns := map[string][]string{"columns": o.Only}
			if !slices.ContainsFunc(
				o.Only,
				func(name string) bool { return strings.Trim(name, plainLetters) != "" },
			) {
				do = strings.Replace(do, "--columns", "--columns "+strings.Join(o.Only, ","), 1)
			}
			f := Fail(do, "%s; all values fit in another order", found).
				guessing(columns, "the fields are taken for the columns "+listed(o.Only)+", in this order")
			f.Retry = columns
			return []Finding{f}
		case o.Other:
			return []Finding{Fail(do, "%s; all values fit in another order", found)}
		default:
			return []Finding{Warn("if the file has another order, "+do, "%s", found)}
		}
	}
	return nil
}

// LooksLikeTime reports whether a text may be a date or a time in some form. Eight digits or more
// are a time. They are a day if they are a date without separators.
func LooksLikeTime(text string, ofDate bool) bool {
	if found, _, _ := ordersOf([]byte(text)); found != 0 || otherDates.MatchString(text) {
		return true
	}
	if !ofDate {
		return len(text) >= 8 && strings.Trim(text, "0123456789.") == ""
	}
	return slices.ContainsFunc(
		compactForms[:],
		func(f compactForm) bool { return len(text) >= 8 && f.reads(text) },
	)
}

// LooksLikeNumber reports whether a text may be a number with some separators or a sign.
func LooksLikeNumber(text string) bool {
	for _, s := range styles {
		if s.text.MatchString(text) {
			return true
		}
	}
	return false
}

// LooksLikeTruth reports whether a text may be a word for true or false.
func LooksLikeTruth(text string) bool {
	for _, pair := range truths {
		if strings.EqualFold(text, pair[0]) || strings.EqualFold(text, pair[1]) {
			return true
		}
	}
	return false
}
