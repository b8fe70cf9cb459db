package advice

import (
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Load is the command line of a load.
type Load struct {
	Args     []string  // the table, and the inputs as they were named
	Settings []Setting // of the load, in the order of its flags
}

// MaxInputs is the number of inputs that a command names.
const MaxInputs = 10

// LoadOf returns the load of a spec's inputs with settings. Of more than MaxInputs inputs it names
// the folders and patterns that they were found by.
func LoadOf(o *spec.Load, table string, settings setting.Values) Load {
	inputs := o.Inputs
	switch {
	case len(inputs) <= MaxInputs:
	case len(o.Named) > 0:
		inputs = o.Named
	default:
		inputs = []string{"INPUTS"}
	}
	return Load{Args: append([]string{table}, inputs...), Settings: SettingsOf(o, settings)}
}

// Words are those of the load as one types them into a shell.
func (s *Load) Words() []string {
	words := []string{version.Tool, run.CommandLoad}
	for _, arg := range s.Args {
		if strings.HasPrefix(arg, "-") && arg != records.Standard {
			arg = "./" + arg // which is no flag
		}
		words = append(words, setting.ShellQuote(arg))
	}
	for _, given := range s.Settings {
		words = append(words, given.Words()...)
	}
	return words
}

// Line returns the command line of the load.
func (s *Load) Line() string {
	line := strings.Join(s.Words(), " ")
	if slices.ContainsFunc(s.Args[1:], source.ReadsStdin) {
		line = "... | " + line
	}
	return line
}
