package doctor

import (
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Rights is what is known of what the user may do with a table.
type Rights struct {
	User  string // empty: without a login
	Table string // as CQL names it
	// Open says that the cluster lets everybody do everything: it asks for no name, or checks no
	// rights.
	Open  bool
	Super bool
	// Granted are the permissions on the table, its keyspace or all of them, such as SELECT.
	Granted []string
	Hidden  error  // why Granted is not known; nil: it is known
	Level   string // consistency level of a read that was tried
	Read    error  // what that failed with; nil: it worked
	Denied  bool   // Read is that the user may not
	Wrong   bool   // the read fails for every user at all times, such as one with a wrong condition
	Needs   []string
	Either  bool // it is not known which of them will be needed
	// Bypassed is set if rows bypass CQL, where no rights are checked.
	Bypassed bool
}

// Allowed says whether the user may do what is to be done.
func Allowed(r Rights) []Finding {
	if r.Bypassed {
		return []Finding{Fine("rows bypass CQL, where rights are not checked")}
	}
	var out []Finding
	if r.Read != nil && !r.Denied {
		f := Warn(
			"see what the nodes log; a scan meets the same, and a load may",
			"a read of the table at %s failed: %v",
			r.Level,
			r.Read,
		)
		if f.Name = "read"; r.Wrong {
			f.State, f.Do = Failure, "see --where and --allow-filtering"
		}
		out = append(out, f)
	}
	grant := func(permission string) string {
		return "GRANT " + permission + " ON TABLE " + r.Table + " TO " + cqltype.QuoteIdent(r.User)
	}
	switch {
	case r.User == "" || r.Open && !r.Denied:
		return append(out, Fine("the cluster lets everybody read and write"))
	case r.Super:
		return append(out, Fine("%s is a superuser", r.User))
	}
	var lacks, unseen []string
	for _, p := range r.Needs {
		switch {
		case r.Hidden == nil && slices.Contains(r.Granted, p):
		case p == "SELECT" && r.Read == nil: // it was tried
		case r.Hidden == nil, p == "SELECT" && r.Denied:
			lacks = append(lacks, p)
		default:
			unseen = append(unseen, p)
		}
	}
	switch {
	case len(lacks) > 0 && r.Either:
		return append(
			out,
			Warn(
				grant(strings.Join(lacks, ", "))+", if that is wanted",
				"%s has no %s on %s",
				r.User,
				strings.Join(lacks, ", "),
				r.Table,
			),
		)
	case len(lacks) > 0:
		return append(
			out,
			Fail(
				grant(strings.Join(lacks, ", ")),
				"%s has no %s on %s",
				r.User,
				strings.Join(lacks, ", "),
				r.Table,
			),
		)
	case len(unseen) > 0:
		return append(
			out,
			Warn(
				grant(strings.Join(unseen, ", "))+", unless that is done",
				"whether %s has %s cannot be seen: %v",
				r.User,
				strings.Join(unseen, ", "),
				r.Hidden,
			),
		)
	default:
		return append(out, Fine("%s has %s", r.User, strings.Join(r.Needs, ", ")))
	}
}
