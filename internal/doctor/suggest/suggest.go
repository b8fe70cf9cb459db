// Package suggest finds the settings of a load by which its inputs fit the table. It applies what
// findings about the inputs propose, and checks the inputs again, until no finding proposes more.
package suggest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// mostRounds is the number of times that the inputs are checked with the settings found so far.
// Each round adds at least one.
const mostRounds = 32

// mostCommand is how many bytes of fields a suggested command may name: a shell takes no longer
// word.
const mostCommand = 100 << 10

// mostShown is how many bytes a finding has of the value of an option.
const mostShown = 400

// fatal are the checks whose failures no setting has mended: there is no load then.
var fatal = []string{"header", "delimiter", "inputs", "encoding"}

// Search is a search for the settings of a load. It belongs to one goroutine.
type Search struct {
	Load *spec.Load // gets the settings that are found
	// Look checks the inputs as the load reads them by now.
	Look     func(ctx context.Context) []doctor.Finding
	Input    string        // name of the first input, which the format is chosen by
	Patience time.Duration // for one check of the inputs
}

// Run returns the load with the settings by which the inputs fit the table. It calls found with
// each remaining finding. There is no load if the inputs cannot be read, or if no setting makes the
// fields fit. An error is that of the context, or of a setting that does not exist.
func (s *Search) Run(
	ctx context.Context,
	found func(doctor.Finding),
) (*advice.Load, error) {
	given := slices.Clone(s.Load.Nulls)
	skipped := slices.Clone(s.Load.SkipCols)
	typed := maps.Clone(s.Load.Given)
	var findings []doctor.Finding
	for range mostRounds {
		looking, cancel := context.WithTimeout(ctx, s.Patience)
		findings = s.Look(looking)
		cancel()
		if err := ctx.Err(); err != nil {
			return nil, fault.New(fault.Canceled, err)
		}
		applied, err := s.apply(findings, found)
		if err != nil || !applied {
			if err != nil {
				return nil, err
			}
			break
		}
	}
	fits := true
	for _, f := range findings {
		if f.Name == "" {
			f.Name = "inputs"
		}
		fits = fits && !(f.State == doctor.Failure && f.Wrong) &&
			(f.State != doctor.Failure || !slices.Contains(fatal, f.Name))
		found(f)
	}
	if !fits {
		if f := s.findOptions(typed); f.Found != "" {
			found(f)
		}
		return nil, nil
	}
	load := s.suggestion()
	for _, f := range []doctor.Finding{s.findSkipped(skipped), s.findNulls(given)} {
		if f.Found != "" {
			found(f)
		}
	}
	for _, given := range load.Settings {
		if n := len(given.Text()); n > mostCommand {
			f := doctor.Fail(
				"write it as a list into cqlbulk.yaml",
				"--%s would have %d bytes, which is too long for a command line",
				given.Name,
				n,
			)
			f.Name = "header"
			found(f)
			return nil, nil
		}
	}
	return load, nil
}

// findOptions warns of settings that were found before it was known that there is no command. The
// other findings assume these settings.
func (s *Search) findOptions(typed setting.Given) doctor.Finding {
	var words []string
	for _, one := range s.suggestion().Settings {
		switch {
		case typed[one.Name]:
		case len(one.Text()) > mostShown:
			words = append(words, "--"+one.Name+" with many fields")
		default:
			words = append(words, one.Words()...)
		}
	}
	if len(words) == 0 {
		return doctor.Finding{}
	}
	f := doctor.Warn(
		"add them to the load",
		"options that it needs besides: %s",
		strings.Join(words, " "),
	)
	f.Name = "options"
	return f
}

// findSkipped warns of fields that are left out since no column seems to be theirs.
func (s *Search) findSkipped(given []string) doctor.Finding {
	skipped := without(s.Load.SkipCols, given)
	if len(skipped) == 0 {
		return doctor.Finding{}
	}
	f := doctor.Warn(
		"say --map FIELD=COLUMN where one of them is a column",
		"left out, since no column has such a name: %s",
		fewOf(skipped),
	)
	f.Name = "header"
	return f
}

// findNulls warns of words for null that were found, and not given: they are null in texts too, but
// in JSON.
func (s *Search) findNulls(given []string) doctor.Finding {
	found := without(s.Load.Nulls, given)
	settings := *s.Load
	_, err := settings.ChooseFormat(s.Input)
	if len(found) == 0 || err == nil && settings.Format == "json" {
		return doctor.Finding{}
	}
	f := doctor.Warn(
		"leave --null-string out where a text may be such a word; rows with it in other columns are rejected then",
		"read as null in all columns, those of text too: %s",
		fewOf(found),
	)
	f.Name = "nulls"
	return f
}

// without returns the names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(
		slices.Clone(names),
		func(name string) bool { return slices.Contains(others, name) },
	)
}

// fewOf names a few of many.
func fewOf(names []string) string {
	const most = 10
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// apply sets what findings say, unless other settings were given, and reports whether it set
// anything. It reports each guess.
func (s *Search) apply(
	findings []doctor.Finding,
	found func(doctor.Finding),
) (applied bool, err error) {
	all := s.Load.Settings()
	for _, f := range findings {
		for _, name := range slices.Sorted(maps.Keys(f.Settings)) {
			texts := f.Settings[name]
			one, ok := all.Find(name)
			if !ok {
				return false, fmt.Errorf("there is no setting %q", name)
			}
			_, list := one.Field.(*[]string)
			if _, pairs := one.Field.(*map[string]string); pairs {
				texts = []string{setting.ListText(texts)}
			} else if !list && s.Load.Given[name] {
				continue
			}
			if slices.Equal(one.Texts(), texts) {
				continue
			}
			if err := all.Set(name, texts...); err != nil {
				return false, err
			}
			s.Load.Given[name], applied = true, true
		}
		if applied && f.Guess != "" {
			guess := doctor.Warn("change the command where that is wrong", "%s", f.Guess)
			guess.Name = f.Name
			found(guess)
		}
		if applied {
			return true, nil // the next may be known better then
		}
	}
	return false, nil
}

// suggestion is the load with what was typed and found. What a file or the environment sets, it
// sets for the load too, and a password is left out.
func (s *Search) suggestion() *advice.Load {
	args := append(
		[]string{cqltype.QuoteIdent(s.Load.Keyspace) + "." + cqltype.QuoteIdent(s.Load.Table)},
		s.Load.Inputs...)
	texts := s.Load.Settings().Record(spec.NewDoctor().Settings(), s.Load.Given)
	maps.DeleteFunc(texts, func(name string, _ []string) bool { return !s.Load.Given[name] })
	return &advice.Load{Args: args, Settings: advice.SettingsOf(s.Load, texts)}
}
