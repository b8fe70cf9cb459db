// Package cqlshcopy translates a COPY statement of cqlsh into a command: its table, its files, the
// settings of load or scan, and notes on what the command does not do.
package cqlshcopy

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/cli/cqlshrc"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Command is a COPY statement as a command of cqlbulk's.
type Command struct {
	Direction copystmt.Direction
	command   string // load or scan
	Table     spec.TableName
	Args      []string // the table and the files, as the command has them
	Settings  []Setting
	Notes     []string // what the statement says and the command does not do
	// CopyAlone is what the statement says and copy does, but the command line does not.
	CopyAlone []string
	ErrFile   string        // for rejected rows; empty: none
	RateFile  string        // for the pace; empty: none
	RateEvery time.Duration // between lines of RateFile
	Progress  time.Duration // between lines of progress; 0: the statement says nothing

	// Connection is how cqlsh connects. Settings of cqlbulk take precedence.
	Connection cqlshrc.Connection
	Origins    map[string]config.Origin // of flags that options of files set
	ofFiles    []cqlshrc.Option         // which stand before those of the statement
}

// Setting is a flag of the command and its value, or the elements of it.
type Setting struct {
	Flag   string
	Values []string
}

func (t *Command) set(flag string, values ...string) {
	t.Settings = append(t.Settings, Setting{flag, values})
}

func (t *Command) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

func (t *Command) copyAlone(format string, args ...any) {
	t.CopyAlone = append(t.CopyAlone, fmt.Sprintf(format, args...))
}

// Translate makes the command that does what a statement says. keyspace is that of a table without
// one. nulls is what a null field of COPY FROM does, a value of the flag --nulls. Options of files
// count where the statement does not have them.
func Translate(
	s *copystmt.Statement, keyspace, nulls string, ofFiles ...cqlshrc.Option,
) (*Command, error) {
	table, err := Table(s, keyspace)
	if err != nil {
		return nil, err
	}
	name := cqltype.QuoteIdent(table.Keyspace) + "." + cqltype.QuoteIdent(table.Table)
	t := &Command{
		Direction: s.Direction,
		Table:     table,
		Args:      []string{name},
		RateEvery: defaultRateEvery,
		ofFiles:   ofFiles,
	}
	s = withOptions(s, ofFiles)
	if s.Direction == copystmt.To {
		return t, t.toFile(s)
	}
	return t, t.fromFiles(s, nulls)
}

// Table returns the table of a statement. keyspace is that of a table without one.
func Table(s *copystmt.Statement, keyspace string) (spec.TableName, error) {
	var none spec.TableName
	switch {
	case s.Keyspace != "":
		keyspace = s.Keyspace
	case keyspace == "":
		return none, fmt.Errorf(
			"no keyspace given: say COPY keyspace.%s, or use --keyspace",
			cqltype.QuoteIdent(s.Table),
		)
	default:
		parts, err := schema.SplitName(keyspace)
		if err != nil || len(parts) != 1 {
			return none, fmt.Errorf("keyspace %q is not a name", keyspace)
		}
		keyspace = parts[0]
	}
	return spec.TableName{Keyspace: keyspace, Table: s.Table}, nil
}

// columns sets which column each field goes to or comes from.
func (t *Command) columns(s *copystmt.Statement) {
	if len(s.Columns) > 0 {
		t.set("columns", s.Columns...)
	} else {
		t.set("column-order", "cqlsh")
	}
}

// header sets whether there is a header: only true says so.
func (t *Command) header(s *copystmt.Statement) {
	o, _ := s.Option("header")
	t.set("header", strconv.FormatBool(strings.EqualFold(o.Value, "true")))
}

// rule does what an option says.
type rule func(t *Command, s *copystmt.Statement, o copystmt.Option) error

// options translates the options by the rules of the direction. It prints a note for an option that
// only the other direction has, which cqlsh ignores. It refuses unknown options.
func (t *Command) options(s *copystmt.Statement, rules, others map[string]rule) error {
	last := make(map[string]int)
	for i, o := range s.Options {
		last[o.Name] = i
	}
	for i, o := range s.Options {
		rule, known := rules[o.Name]
		_, other := others[o.Name]
		noted, set := len(t.Notes), len(t.Settings)
		var err error
		switch {
		case !known && !other:
			err = fmt.Errorf("COPY has no such option%s", nearestOption(o.Name))
		case o.Name == ConfigFile && t.ofFile(i) != nil:
			err = errConfigFile
		case last[o.Name] != i:
			t.noteRepeated(i, o)
		case !known:
			t.noteOther(i, o)
		default:
			err = rule(t, s, o)
			t.noteQuotes(i, o)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", t.place(i, o), shownOption(o), err)
		}
		t.attribute(i, noted, set)
	}
	return nil
}

// shownOption is an option as messages show it. The value of an option that a file has by mistake
// may be a password.
func shownOption(o copystmt.Option) string {
	if cqlshrc.IsSecret(o.Name) {
		return strings.ToUpper(o.Name)
	}
	return fmt.Sprintf("%s = '%s'", strings.ToUpper(o.Name), strings.ReplaceAll(o.Value, "'", "''"))
}

// nearestOption is a hint at the option that is nearest to a name.
func nearestOption(name string) string {
	var names []string
	for _, rules := range []map[string]rule{fromRules, toRules} {
		for known := range rules {
			names = append(names, strings.ToUpper(known))
		}
	}
	slices.Sort(names)
	return schema.DidYouMean(strings.ToUpper(name), names)
}

// becomes is the rule of an option whose value is that of a flag.
func becomes(flag string) rule {
	return func(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
		t.set(flag, o.Value)
		return nil
	}
}

// unlessEmpty is the rule of an option that says nothing when it is empty.
func unlessEmpty(flag string) rule {
	return func(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
		if o.Value != "" {
			t.set(flag, o.Value)
		}
		return nil
	}
}

// anyNumber is the least of a number that may be any.
const anyNumber = math.MinInt64

// becomesNumber is the rule of an option whose value is a flag's whole number. One below
// least means least.
func becomesNumber(flag string, least int64) rule {
	return func(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
		n, err := wholeNumber(o)
		if err == nil {
			t.set(flag, strconv.FormatInt(max(n, least), 10))
		}
		return err
	}
}

// becomesSeconds is the rule of an option whose value is a time in seconds.
func becomesSeconds(flag string) rule {
	return func(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
		n, err := wholeNumber(o)
		if err == nil {
			t.set(flag, strconv.FormatInt(n, 10)+"s")
		}
		return err
	}
}

// has is the rule of an option without a counterpart. It prints what cqlbulk has instead, unless
// the value asks for no more than that.
func has(instead string, same ...string) rule {
	return func(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
		if !slices.ContainsFunc(
			same,
			func(value string) bool { return strings.EqualFold(value, o.Value) },
		) {
			t.note("%s is not done: %s", shownOption(o), instead)
		}
		return nil
	}
}

// headerRule refuses a value that is neither true nor false. The header itself is set for every
// statement.
func headerRule(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
	if !strings.EqualFold(o.Value, "true") && !strings.EqualFold(o.Value, "false") {
		t.note("%s is taken for false, as cqlsh does", shownOption(o))
	}
	return nil
}

var errNoNumber = errors.New("must be a whole number")

func wholeNumber(o copystmt.Option) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(o.Value), 10, 64)
	if err != nil {
		return 0, errNoNumber
	}
	return n, nil
}

// copiedFile is the path of a file that a statement names.
func copiedFile(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the statement: the name of a file is empty")
	case name == "~" || strings.HasPrefix(name, "~/"):
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("the statement: file %q: %w", name, err)
		}
		return filepath.Join(home, name[1:]), nil
	case strings.HasPrefix(name, "-"), strings.HasPrefix(name, "@"):
		// It is no flag, not the standard input, and no list of inputs.
		return "./" + name, nil
	default:
		return name, nil
	}
}
