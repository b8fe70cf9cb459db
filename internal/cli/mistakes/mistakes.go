// Package mistakes finds what is wrong with the words of a command line, and says what was meant:
// names that are close, words of other programs, values without a flag.
package mistakes

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// NoSuchCommand suggests the nearest command if the first word is none.
func NoSuchCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	hint := commandsElsewhere[args[0]]
	if hint == "" {
		hint = levenshtein.Nearest(args[0], names)
	}
	if hint != "" {
		hint = fmt.Sprintf("; did you mean %q?", hint)
	}
	return fmt.Errorf("unknown command %q%s (see cqlbulk --help)", args[0], hint)
}

// commandsElsewhere are what other tools call our commands.
var commandsElsewhere = map[string]string{
	"unload": "scan",
	"export": "scan",
	"dump":   "scan",
	"backup": "scan",
	"import": "load",
	"upload": "load",
}

// ExplainFlag says in words of the command line what is wrong with a flag. For an unknown name it
// suggests the nearest flag, and for a bad value the right form.
func ExplainFlag(c *cobra.Command, err error) error {
	see := fmt.Sprintf(" (see %s --help)", c.CommandPath())
	var unknown *pflag.NotExistError
	var lacking *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var list *csv.ParseError
	switch {
	case errors.As(err, &list) && errors.As(err, &invalid):
		return fmt.Errorf(
			"--%s %s: commas separate the elements of a list. An element with a comma or a double quote in it needs double quotes around it, and its own double quotes doubled%s",
			invalid.GetFlag().Name,
			invalid.GetValue(),
			see,
		)
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s: %w%s", invalid.GetFlag().Name, invalid.Unwrap(), see)
	case errors.As(err, &unknown) && keptByRun(c, unknown.GetSpecifiedName()):
		return fmt.Errorf(
			"--%s cannot be changed: %s",
			unknown.GetSpecifiedName(),
			recorded.WhyKept(unknown.GetSpecifiedName()),
		)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		return fmt.Errorf("%w%s%s", err, hintFlag(c, unknown.GetSpecifiedName()), see)
	case errors.As(err, &unknown):
		return fmt.Errorf(
			"%w%s%s",
			err,
			hintLetter(c, unknown.GetSpecifiedName()[0], unknown.GetSpecifiedShortnames()),
			see,
		)
	case errors.As(err, &lacking) && slices.Contains(oneCharacter, lacking.GetSpecifiedName()):
		return fmt.Errorf(
			"%w: in quotes, a shell leaves the character alone, as in --%s ';'%s",
			err,
			lacking.GetSpecifiedName(),
			see,
		)
	default:
		return fmt.Errorf("%w%s", err, see)
	}
}

// keptByRun reports whether a flag of scan or load keeps its value when the run is resumed.
func keptByRun(c *cobra.Command, name string) bool {
	if c.Name() != "resume" && c.Name() != "retry" {
		return false
	}
	return slices.ContainsFunc(c.Root().Commands(), func(o *cobra.Command) bool {
		return (o.Name() == "scan" || o.Name() == "load") && o.Flags().Lookup(name) != nil
	})
}

// truthBehindFlag finds a word for true or false behind the name of a flag that is on or off:
// --header false. There it is no value of the flag.
func truthBehindFlag(root *cobra.Command, args []string) error {
	c, rest, err := root.Find(args)
	if err != nil {
		return nil // reported elsewhere
	}
	for i, arg := range rest[:max(len(rest)-1, 0)] {
		if arg == "--" {
			return nil
		}
		f := longFlag(c, arg)
		if _, truth := setting.ParseBool(
			rest[i+1],
		); f != nil && f.NoOptDefVal != "" && len(rest[i+1]) > 1 &&
			truth {
			return fmt.Errorf("%s %s: say %s=%s", arg, rest[i+1], arg, rest[i+1])
		}
	}
	return nil
}

// Swapped says that a file stands where the table belongs, when it does: behind it there is
// the table, or none.
func Swapped(c *cobra.Command, args []string) error {
	if len(args) == 0 || c.Name() != "load" && c.Name() != "doctor" {
		return nil
	}
	if info, err := os.Stat(args[0]); err != nil || info.IsDir() {
		return nil
	}
	table, rest := "keyspace.table", args[1:]
	if len(rest) > 0 && LooksLikeTable(rest[0]) {
		table, rest = rest[0], rest[1:]
	}
	words := append([]string{table, args[0]}, rest...)
	for i := range words {
		words[i] = setting.ShellQuote(words[i])
	}
	words = append(words, typedFlags(c)...)
	return fmt.Errorf(
		"%s is a file, and the table comes first: %s %s",
		args[0],
		c.CommandPath(),
		strings.Join(words, " "),
	)
}

// typedFlags are the flags that were given on the command line, as one types them. A password is
// left out.
func typedFlags(c *cobra.Command) (words []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case !f.Changed || f.Name == "password":
		case f.NoOptDefVal != "" && f.Value.String() == f.NoOptDefVal:
			words = append(words, "--"+f.Name)
		default:
			words = append(words, flagset.AsTyped(f.Name, flagset.Texts(f)))
		}
	})
	return words
}

// Find finds a mistake in the words of a command line that the library would take for something
// else; nil: there is none.
func Find(root *cobra.Command, args []string) error {
	return cmp.Or(
		hostBehindHelp(root, args),
		oneDash(root, args),
		truthBehindFlag(root, args),
		wordBehindValue(root, args),
	)
}
