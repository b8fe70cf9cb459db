package doctor

import "strings"

// Streaming has the facts about whether a table's rows can bypass CQL.
type Streaming struct {
	Via     string   // --via of the command; empty: rows go by CQL
	Hidden  error    // why the table's options are not known; nil: they are
	Refused error    // why the table's rows cannot bypass CQL; nil: they can
	Unfit   error    // why the command's settings do not allow it; nil: they do
	Do      string   // what to do if the settings do not allow it; empty: nothing
	How     string   // how rows would bypass CQL
	Notes   []string // what servers then do not do, or do besides
}

// CanStream judges whether the table's rows can bypass CQL. A table that cannot is a failure only
// if the command is to bypass it.
func CanStream(s Streaming) Finding {
	var notes strings.Builder
	for _, n := range s.Notes {
		notes.WriteString("; " + n)
	}
	switch {
	case s.Hidden != nil:
		return Warn("see whether the nodes hang", "what the table is is not known: %v", s.Hidden)
	case s.Refused != nil && s.Via == "":
		return Fine("shut, which CQL does not need: %v", s.Refused)
	case s.Refused != nil:
		return Fail("leave --via out", "--via %s: %v", s.Via, s.Refused)
	case s.Unfit != nil:
		return Fail(s.Do, "%v", s.Unfit)
	case s.Via == "":
		return Fine("--via stream: %s%s", s.How, notes.String())
	case len(s.Notes) > 0:
		return Warn("see whether that is meant", "%s%s", s.How, notes.String())
	default:
		return Fine("%s", s.How)
	}
}
