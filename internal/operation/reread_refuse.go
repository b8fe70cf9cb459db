package operation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/resume"
)

// refuseReading refuses to read the rest of the inputs otherwise than the rows that are loaded: the
// table would hold rows of both readings, and nothing would tell them apart. Rows of pieces that were
// under way may be loaded too; a resume reads them as before, so that it writes no row in two ways.
func (l *Load) refuseReading() error {
	if len(l.reread.now) == 0 || l.reread.keepLoaded {
		return nil
	}
	known, begun := l.journal.Loaded().Known(), l.journal.Loaded().Begun()
	rows := known.Written + known.Existing
	if rows == 0 && begun == 0 {
		return nil
	}
	flags, dir := l.spec.changedFlags(l.reread.now), setting.ShellQuote(l.run.path)
	loaded := fmt.Sprintf("%s %s loaded as read before", amount.Of(rows, "row"), amount.Verb(rows, "is", "are"))
	if begun > 0 {
		loaded += fmt.Sprintf(", and so may be rows of %s that %s under way", amount.Of(begun, "piece"), amount.Verb(begun, "was", "were"))
	}
	return &UsageError{errors.New(strings.Join([]string{
		fmt.Sprintf("%s would apply to the rest of the inputs alone: %s", flags, loaded),
		l.anew(flags),
		fmt.Sprintf("to resume and read as before: %s %s %s", tool, commandResume, dir),
		fmt.Sprintf("to resume and read the rest otherwise: %s %s %s %s --keep-loaded", tool, commandResume, dir, flags),
	}, "\n"))}
}

// changedFlags are settings that are not as they were, as one types them.
func (o *LoadSpec) changedFlags(changes []SettingChange) string {
	values := setting.Values{}
	for _, change := range changes {
		values[change.Name] = change.Now
	}
	var words []string
	for _, s := range o.textsOf(values) {
		words = append(words, s.Words()...)
	}
	return strings.Join(words, " ")
}

// mostInputs is the number of inputs that a command names.
const mostInputs = 10

// anew says how all rows are loaded as the present settings read them.
func (l *Load) anew(flags string) string {
	switch {
	case l.careful:
		return "to read all rows so, delete those that are loaded, which would count twice, and load anew: " + l.command(flags)
	case l.spec.IfNotExists:
		return "to read all rows so, delete those that are loaded, which --if-not-exists would keep, and load anew: " + l.command(flags)
	default:
		return "to read all rows so, load anew, which replaces rows of the same keys: " + l.command(flags)
	}
}

// command is the load with its present settings, from the first row on.
func (l *Load) command(flags string) string {
	if l.spec.RejectsOf != "" {
		return fmt.Sprintf("%s %s %s %s", tool, commandRetry, setting.ShellQuote(l.spec.RejectsOf), flags)
	}
	s := Suggestion{Args: append([]string{l.Table()}, l.spec.Inputs...)}
	if len(l.spec.Inputs) > mostInputs {
		s.Args = []string{l.Table(), "INPUTS"}
	}
	s.Settings = l.spec.textsOf(l.spec.Settings().Record(NewLoadSpec().Settings(), l.spec.Given))
	line := strings.Join(s.Words(), " ")
	if slices.Contains(l.spec.Inputs, resume.Standard) {
		line = "... | " + line
	}
	return line
}
