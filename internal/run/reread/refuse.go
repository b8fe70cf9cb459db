// Package reread refuses to resume a load that would read the rest of its inputs otherwise than the
// rows that are loaded. Its error has the commands that do what the user may want.
package reread

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

// Resumed is a load that is resumed and reads the text of its inputs otherwise than before.
type Resumed struct {
	Load        *spec.Load    // with the settings of now
	Table       *schema.Table // that it loads
	Changes     []recorded.Change
	CountsTwice bool   // a row that is written twice counts twice
	RunDir      string // of the load
}

// Refuse refuses to read the rest of the inputs otherwise than the rows that are loaded. The table
// would hold rows of both readings, with nothing to distinguish them. Rows of the begun pieces may
// be loaded too. A resume reads these as before, so that it writes no row in two ways.
func (l *Resumed) Refuse(rows int64, begun int) error {
	if len(l.Changes) == 0 || rows == 0 && begun == 0 {
		return nil
	}
	flags, dir := changedFlags(l.Load, l.Changes), setting.ShellQuote(l.RunDir)
	resume := strings.Join([]string{version.Tool, run.CommandResume, dir}, " ")
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
		l.restart(flags),
		"to resume and read as before: " + resume,
		"to resume and read the rest otherwise: " + resume + " " + flags + " --keep-loaded",
	}, "\n"))}
}

// changedFlags returns the settings that differ from before, as flags.
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

// restart returns the advice for loading all rows as the present settings read them. The advice
// replaces the values that are loaded.
func (l *Resumed) restart(flags string) string {
	const (
		advice = "to read all rows so, "
		undone = advice + "delete those that are loaded"
		load   = "load from the start"
	)
	switch {
	case l.CountsTwice:
		return undone + ", which would count twice, and " + load + ": " + l.command("")
	case l.Load.IfNotExists:
		return undone + ", which --if-not-exists would keep, and " + load + ": " + l.command("")
	case l.strands():
		deletion := ""
		if l.Load.Timestamp != "" {
			deletion = " with USING TIMESTAMP " + l.Load.Timestamp
		}
		return undone + deletion +
			", since the new reading may leave their keys or columns unwritten, and " + load + ": " +
			l.command("")
	case l.clears():
		return advice + load + ", which replaces rows of the same keys, " +
			"and deletes values that are null by now: " + l.command("tombstone")
	case l.Load.RejectsOf != "":
		return fmt.Sprintf(
			"%sretry from the start, which replaces what this retry wrote: %s %s %s %s",
			advice,
			version.Tool,
			run.CommandRetry,
			setting.ShellQuote(l.Load.RejectsOf),
			flags,
		)
	default:
		return advice + load + ", which replaces rows of the same keys: " + l.command("")
	}
}

// mappings are the settings that assign fields to columns.
var mappings = []string{"columns", "map", "skipcols"}

// valueForms are the settings that change what a value is, and never whether there is one. The
// kinds of types are those that each setting applies to.
var valueForms = map[string][]cqltype.Kind{
	"datetimeformat": times,
	"dateformat":     times,
	"timeformat":     times,
	"column":         times,
	"timezone":       times,
	"timestamp-unit": times,
	"boolstyle":      {cqltype.Boolean},
	"decimalsep":     numbers,
	"thousandssep":   numbers,
	"integers":       numbers,
	"currency":       numbers,
	"binary":         {cqltype.Blob},
	"collections": {
		cqltype.List, cqltype.Set, cqltype.Map, cqltype.Tuple, cqltype.UDT, cqltype.Vector,
	},
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
func (l *Resumed) clears() bool {
	return slices.ContainsFunc(
		l.Changes,
		func(c recorded.Change) bool { return valueForms[c.Name] == nil },
	)
}

// strands reports whether a load with the new reading may leave values of the old one in the table.
// These are values in columns that no field is assigned to any more, and rows whose keys have
// changed.
func (l *Resumed) strands() bool {
	return slices.ContainsFunc(l.Changes, func(c recorded.Change) bool {
		return slices.Contains(mappings, c.Name) ||
			slices.ContainsFunc(l.Table.Columns, func(column schema.Column) bool {
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

// command returns the command that loads the inputs with the present settings, from the start.
//
// nulls is the value of --nulls; empty: it is unchanged.
func (l *Resumed) command(nulls string) string {
	values := advice.TypedSettings(l.Load, nulls)
	if stamp, err := l.Load.WriteTime(); err == nil && stamp != nil {
		// With the same timestamp, the greater of two values would stay.
		values["timestamp"] = []string{strconv.FormatInt(*stamp+1, 10)}
	}
	s := advice.LoadOf(l.Load, l.Table.String(), values)
	return s.Line()
}
