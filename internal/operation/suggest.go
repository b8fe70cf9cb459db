package operation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

var (
	errSuggestTable = errors.New("--suggest: name the table and the files to load")
	errSuggestPipe  = errors.New(
		"--suggest: the standard input can be read once, and the load is to read it: name a file",
	)
)

// CheckSuggest reports what a doctor lacks to suggest a load.
func (d *Doctor) CheckSuggest() error {
	if d.name == (spec.TableName{}) || len(d.load.Inputs) == 0 {
		return errSuggestTable
	}
	if slices.Contains(d.load.Inputs, "-") {
		return errSuggestPipe
	}
	return nil
}

// mostRounds is the number of times that the inputs are checked with the settings found so far.
// Each round adds at least one.
const mostRounds = 32

// mostCommand is how many bytes of fields a suggested command may name: a shell takes no longer
// word.
const mostCommand = 100 << 10

// mostTold is how many bytes a finding has of the value of an option.
const mostTold = 400

// Suggest finds settings by which the inputs fit the table, and returns the load with them. It
// calls its argument with each remaining finding that is not OK. There is no suggestion if the
// table or the inputs cannot be read, or if no setting makes the fields fit.
func (d *Doctor) Suggest(
	ctx context.Context,
	tell func(doctor.Finding),
) (*advice.Load, DoctorReport, error) {
	r := DoctorReport{Table: d.Table(), Started: time.Now()}
	defer d.close()
	s, err := d.suggest(ctx, func(f doctor.Finding) {
		r.Findings = append(r.Findings, f)
		if f.State != doctor.OK {
			tell(f)
		}
	})
	r.Duration = time.Since(r.Started)
	r.Outcome = run.OutcomeOf(ctx, err, r.Count(doctor.Failure) > 0)
	return s, r, err
}

func (d *Doctor) suggest(ctx context.Context, found func(doctor.Finding)) (*advice.Load, error) {
	limited, cancel := context.WithTimeout(ctx, d.patience)
	defer cancel()
	if !d.offline {
		for _, f := range d.connect(limited) {
			if f.Name = "connection"; f.State == doctor.Failure {
				found(f)
			}
		}
	}
	if d.offline || d.t != nil {
		if err := d.describe(limited); err != nil && ctx.Err() == nil {
			found(doctor.Finding{Name: "table", State: doctor.Failure, Found: oneLine(err)})
			return nil, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fault.New(fault.Canceled, err)
	}
	if d.t == nil || d.t.Plan == nil {
		return nil, nil // which was reported
	}
	given := slices.Clone(d.load.Nulls)
	skipped := slices.Clone(d.load.SkipCols)
	typed := maps.Clone(d.load.Given)
	var findings []doctor.Finding
	for range mostRounds {
		looking, cancel := context.WithTimeout(ctx, d.patience)
		findings = d.lookAtInputs(looking)
		cancel()
		if err := ctx.Err(); err != nil {
			return nil, fault.New(fault.Canceled, err)
		}
		applied, err := d.apply(findings, found)
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
			(f.State != doctor.Failure || f.Name != "header" && f.Name != "delimiter" && f.Name != "inputs" && f.Name != "encoding")
		found(f)
	}
	if !fits {
		if f := d.tellFound(typed); f.Found != "" {
			found(f)
		}
		return nil, nil
	}
	s := d.suggestion()
	for _, f := range []doctor.Finding{d.tellSkipped(skipped), d.tellNulls(given)} {
		if f.Found != "" {
			found(f)
		}
	}
	for _, given := range s.Settings {
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
	return s, nil
}

// tellFound warns of settings that were found before it was known that there is no command. The
// other findings assume these settings.
func (d *Doctor) tellFound(typed setting.Given) doctor.Finding {
	var words []string
	for _, s := range d.suggestion().Settings {
		switch {
		case typed[s.Name]:
		case len(s.Text()) > mostTold:
			words = append(words, "--"+s.Name+" with many fields")
		default:
			words = append(words, s.Words()...)
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

// tellSkipped warns of fields that are left out since no column seems to be theirs.
func (d *Doctor) tellSkipped(given []string) doctor.Finding {
	skipped := without(d.load.SkipCols, given)
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

// tellNulls warns of words for null that were found, and not given: they are null in texts too, but
// in JSON.
func (d *Doctor) tellNulls(given []string) doctor.Finding {
	found := without(d.load.Nulls, given)
	settings := *d.load
	if _, err := settings.ChooseFormat(
		d.inputs[0].Name,
	); len(found) == 0 ||
		err == nil && settings.Format == "json" {
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
func (d *Doctor) apply(
	findings []doctor.Finding,
	found func(doctor.Finding),
) (applied bool, err error) {
	all := d.load.Settings()
	for _, f := range findings {
		for _, name := range slices.Sorted(maps.Keys(f.Settings)) {
			texts := f.Settings[name]
			s, ok := all.Find(name)
			if !ok {
				return false, fmt.Errorf("there is no setting %q", name)
			}
			_, list := s.Field.(*[]string)
			if _, pairs := s.Field.(*map[string]string); pairs {
				texts = []string{setting.ListText(texts)}
			} else if !list && d.load.Given[name] {
				continue
			}
			if slices.Equal(s.Texts(), texts) {
				continue
			}
			if err := all.Set(name, texts...); err != nil {
				return false, err
			}
			d.load.Given[name], applied = true, true
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
func (d *Doctor) suggestion() *advice.Load {
	args := append(
		[]string{cqltype.QuoteIdent(d.name.Keyspace) + "." + cqltype.QuoteIdent(d.name.Table)},
		d.load.Inputs...)
	texts := d.load.Settings().Record(NewDoctorSpec().Settings(), d.load.Given)
	maps.DeleteFunc(texts, func(name string, _ []string) bool { return !d.load.Given[name] })
	return &advice.Load{Args: args, Settings: advice.SettingsOf(d.load, texts)}
}
