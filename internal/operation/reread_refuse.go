package operation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/version"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// refuseReading refuses to read the rest of the inputs otherwise than the rows that are loaded. The
// table would hold rows of both readings, with nothing to distinguish them. Rows of unfinished
// pieces may be loaded too. A resume reads these as before, so that it writes no row in two ways.
func (l *Load) refuseReading() error {
	if len(l.reread.Now) == 0 || l.reread.KeepLoaded {
		return nil
	}
	known, begun := l.journal.Loaded().Known(), l.journal.Loaded().Begun()
	rows := known.Written + known.Existing
	if rows == 0 && begun == 0 {
		return nil
	}
	flags, dir := changedFlags(&l.spec, l.reread.Now), setting.ShellQuote(l.run.path)
	var loaded []string
	if rows > 0 {
		loaded = append(loaded, fmt.Sprintf(
			"%s %s loaded as read before",
			human.Of(rows, "row"),
			human.Verb(rows, "is", "are"),
		))
	}
	if begun > 0 {
		loaded = append(loaded, fmt.Sprintf(
			"rows of %s that %s under way may be loaded as read before",
			human.Of(begun, "piece"),
			human.Verb(begun, "was", "were"),
		))
	}
	return &spec.UsageError{Err: errors.New(strings.Join([]string{
		fmt.Sprintf(
			"%s would apply to the rest of the inputs alone: %s",
			flags,
			strings.Join(loaded, ", and "),
		),
		l.anew(flags),
		fmt.Sprintf("to resume and read as before: %s %s %s", version.Tool, run.CommandResume, dir),
		fmt.Sprintf(
			"to resume and read the rest otherwise: %s %s %s %s --keep-loaded",
			version.Tool,
			run.CommandResume,
			dir,
			flags,
		),
	}, "\n"))}
}

// changedFlags are settings that are not as they were, as one types them.
func changedFlags(o *spec.Load, changes []recorded.Change) string {
	values := setting.Values{}
	for _, change := range changes {
		values[change.Name] = change.Now
	}
	var words []string
	for _, s := range advice.SettingsOf(o, values) {
		words = append(words, s.Words()...)
	}
	return strings.Join(words, " ")
}

// anew returns the advice for loading all rows as the present settings read them. The advice
// replaces the values that are loaded.
func (l *Load) anew(flags string) string {
	const so = "to read all rows so, "
	switch {
	case l.countsTwice:
		return so + "delete those that are loaded, which would count twice, and load anew: " + l.command(
			"",
		)
	case l.spec.IfNotExists:
		return so + "delete those that are loaded, which --if-not-exists would keep, and load anew: " + l.command(
			"",
		)
	case l.strands():
		deletion := ""
		if l.spec.Timestamp != "" {
			deletion = " with USING TIMESTAMP " + l.spec.Timestamp
		}
		return so + "delete those that are loaded" + deletion + ", since the new reading may leave their keys or columns unwritten, and load anew: " + l.command(
			"",
		)
	case !l.clears():
		if l.spec.RejectsOf != "" {
			return fmt.Sprintf(
				"%sretry anew, which replaces what this retry wrote: %s %s %s %s",
				so,
				version.Tool,
				run.CommandRetry,
				setting.ShellQuote(l.spec.RejectsOf),
				flags,
			)
		}
		return so + "load anew, which replaces rows of the same keys: " + l.command("")
	default:
		return so + "load anew, which replaces rows of the same keys, and deletes values that are null by now: " + l.command(
			"tombstone",
		)
	}
}

// mappings are the settings that assign fields to columns.
var mappings = []string{"columns", "map", "skipcols"}

// valueForms are the settings that change what a value is, and never whether there is one. Each has
// the kinds of types that it applies to.
var valueForms = map[string][]cqltype.Kind{
	"datetimeformat": times,
	"dateformat":     times,
	"timestamp-unit": times,
	"boolstyle":      {cqltype.Boolean},
	"decimalsep":     numbers,
	"thousandssep":   numbers,
}

var (
	times   = []cqltype.Kind{cqltype.Date, cqltype.Time, cqltype.Timestamp}
	numbers = []cqltype.Kind{
		cqltype.Bigint,
		cqltype.Counter,
		cqltype.Decimal,
		cqltype.Double,
		cqltype.Float,
		cqltype.Int,
		cqltype.Smallint,
		cqltype.Tinyint,
		cqltype.Varint,
	}
	// plain are the types whose texts no setting changes but those of valueForms and "dialect".
	plain = append(
		append(
			[]cqltype.Kind{
				cqltype.Boolean,
				cqltype.Duration,
				cqltype.Inet,
				cqltype.TimeUUID,
				cqltype.UUID,
			},
			times...),
		numbers...)
)

// clears reports whether the new reading may make a value null that the old one wrote.
func (l *Load) clears() bool {
	return slices.ContainsFunc(
		l.reread.Now,
		func(c recorded.Change) bool { return valueForms[c.Name] == nil },
	)
}

// strands reports whether a load with the new reading may leave values of the old one in the table.
// These are values in columns that no field is assigned to any more, and rows whose keys have
// changed.
func (l *Load) strands() bool {
	return slices.ContainsFunc(l.reread.Now, func(c recorded.Change) bool {
		return slices.Contains(mappings, c.Name) ||
			slices.ContainsFunc(l.t.Schema.Columns, func(column schema.Column) bool {
				if !column.IsKey() ||
					c.Name == "null-string" { // a row without a key is rejected, and listed
					return false
				}
				kind := column.Type.Kind
				switch forms := valueForms[c.Name]; {
				case c.Name == "dialect" || kind >= cqltype.List:
					return true
				case forms != nil:
					return slices.Contains(forms, kind)
				default:
					return !slices.Contains(plain, kind)
				}
			})
	})
}

// command is the load of the inputs with the present settings, from the first row on. nulls is that
// of --nulls; empty: as it is.
func (l *Load) command(nulls string) string {
	values := advice.TypedSettings(&l.spec, nulls)
	if stamp, err := l.spec.WriteTime(); err == nil && stamp != nil {
		values["timestamp"] = []string{
			strconv.FormatInt(*stamp+1, 10),
		} // with the same, the greater of two values would stay
	}
	s := advice.LoadOf(&l.spec, l.Table(), values)
	return s.Line()
}
