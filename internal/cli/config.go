package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

func newConfigCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "config init | show",
		Short: "Write a configuration file, or show the settings in force",
		Long: `Write a configuration file with all settings, or show which value of each is in force
and where it comes from.`,
		Example: `  cqlbulk config init
  cqlbulk config show load --null-string NA`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			var names []string
			for _, sub := range c.Commands() {
				names = append(names, sub.Name())
			}
			return fmt.Errorf(
				"unknown command %q%s (see cqlbulk config --help)",
				args[0],
				schema.DidYouMean(args[0], names),
			)
		},
		// A file that is not right must not keep from writing another one, or from looking at it.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newConfigInitCommand(s), newConfigShowCommand(s))
	return c
}

func newConfigInitCommand(s streams) *cobra.Command {
	name := config.Places()[0]
	c := &cobra.Command{
		Use:   "init",
		Short: "Write a configuration file with all settings, commented out",
		Long: `Write a configuration file with all settings, each with what it means and its default,
commented out. An existing file is not changed.

It is written into the working directory, where cqlbulk searches first. The other places
are cqlbulk/cqlbulk.yaml in the user's configuration directory, ~/.config on Linux, and
/etc/cqlbulk/cqlbulk.yaml.

Exit status:
  0  written
  1  there is such a file, or it cannot be written`,
		Example: `  cqlbulk config init
  cqlbulk config init -o ~/.config/cqlbulk/cqlbulk.yaml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if name == "-" {
				return fatal(writeConfig(s.out, c.Root()))
			}
			// It may hold a password one day.
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, os.ErrExist) {
				return fmt.Errorf("--output %s: exists, and is not changed", name)
			}
			if err != nil {
				return fmt.Errorf("--output: %w", err)
			}
			if err := errors.Join(writeConfig(f, c.Root()), f.Close()); err != nil {
				return fatal(err)
			}
			s.note("%s is written; every setting in it is commented out", name)
			return nil
		},
	}
	flagset.AddOwn(
		c.Flags(),
		&name,
		"output",
		"file to write, which must not exist; \"-\" is the standard output",
		flagset.Of(flagset.GroupOutput),
		flagset.Letter("o"),
		flagset.Path,
		flagset.Everyday,
	)
	return c
}

// configHead begins a configuration file.
const configHead = `# Settings of cqlbulk, with their defaults. To change one, remove the # before it.
# A flag takes precedence over the environment, and the environment over this file. Settings at the
# top are for all commands that have them. A section is only for its command, and wins. resume and
# retry take the section of the command whose run they resume or retry. cqlbulk config show prints
# the settings in force.
`

// writeConfig writes a configuration file of all settings: first those that several commands have
// with one meaning, then the others by command.
func writeConfig(w io.Writer, root *cobra.Command) error {
	var out strings.Builder
	out.WriteString(configHead)
	shared := sharedFlags(root)
	for _, g := range flagset.Groups {
		writeSettings(
			&out,
			"# "+string(g),
			"",
			slices.DeleteFunc(
				slices.Clone(shared),
				func(f *pflag.Flag) bool { return flagset.GroupOf(f) != g },
			),
		)
	}
	for _, c := range root.Commands() {
		var own []*pflag.Flag
		for _, g := range flagset.Groups {
			for _, f := range settingFlags(c) {
				if flagset.GroupOf(f) == g &&
					!slices.ContainsFunc(shared, func(o *pflag.Flag) bool { return isSame(f, o) }) {
					own = append(own, f)
				}
			}
		}
		if !goesOn(c) {
			writeSettings(&out, "#"+c.Name()+":", "  ", own)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// writeSettings writes settings, each with its help before it, below a title.
func writeSettings(out *strings.Builder, title, indent string, flags []*pflag.Flag) {
	if len(flags) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s\n", title)
	for _, f := range flags {
		for _, line := range help.Wrap(f.Usage, 98) {
			fmt.Fprintf(out, "# %s\n", line)
		}
		fmt.Fprintf(out, "#%s%s: %s\n", indent, f.Name, yamlValue(f))
	}
}

// yamlValue is the default of a flag as it stands in a file. Texts are in quotes, since YAML takes
// some for something else.
func yamlValue(f *pflag.Flag) string {
	quoted := func(v any) string {
		text, _ := json.Marshal(v) // which is YAML as well; of texts it does not fail
		return string(text)
	}
	switch {
	case isList(f):
		return quoted(append([]string{}, flagset.Texts(f)...))
	case f.Value.Type() == "string", f.Value.Type() == "text", f.Value.Type() == flagset.PairsType:
		return quoted(flagset.Texts(f)[0])
	default:
		return f.DefValue
	}
}

func isList(f *pflag.Flag) bool {
	_, list := f.Value.(pflag.SliceValue)
	return list
}

// goesOn reports whether a command resumes or retries a run of another.
func goesOn(c *cobra.Command) bool { return c.Name() == "resume" || c.Name() == "retry" }

// settingFlags are the flags of a command that are settings.
func settingFlags(c *cobra.Command) []*pflag.Flag {
	var flags []*pflag.Flag
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if isSetting(f) {
			flags = append(flags, f)
		}
	})
	return flags
}

// isSetting says whether a flag may be set by the environment and a configuration file.
func isSetting(f *pflag.Flag) bool {
	_, one := f.Annotations[flagset.IsOfOneRun]
	return !one && f.Name != "help" && f.Name != help.AllFlag
}

// isSame says whether the flags of two commands are one setting, with one meaning.
func isSame(a, b *pflag.Flag) bool {
	return a.Name == b.Name && a.Usage == b.Usage && a.DefValue == b.DefValue
}

// sharedFlags are the settings that several commands have with one default; where help of some says
// something else, with that of most of them.
func sharedFlags(root *cobra.Command) []*pflag.Flag {
	var all, onward []*pflag.Flag
	for _, c := range root.Commands() {
		if goesOn(c) {
			onward = append(onward, settingFlags(c)...)
		} else {
			all = append(all, settingFlags(c)...)
		}
	}
	// resume and retry have settings of load and scan, which they name, and few of their own.
	known := slices.Clone(all)
	for _, f := range onward {
		if !slices.ContainsFunc(known, func(o *pflag.Flag) bool { return o.Name == f.Name }) {
			all = append(all, f)
		}
	}
	times := func(f *pflag.Flag) (n int) {
		for _, o := range all {
			if isSame(f, o) {
				n++
			}
		}
		return n
	}
	var shared []*pflag.Flag
	for _, f := range all {
		i := slices.IndexFunc(shared, func(o *pflag.Flag) bool { return o.Name == f.Name })
		isCommand := func(c *cobra.Command) bool { return c.Name() == f.Name }
		isOther := func(o *pflag.Flag) bool { return o.Name == f.Name && o.DefValue != f.DefValue }
		switch n := times(f); {
		case n < 2,
			slices.ContainsFunc(all, isOther),
			// at the top of a file that is a section
			slices.ContainsFunc(root.Commands(), isCommand):
		case i < 0:
			shared = append(shared, f)
		case n > times(shared[i]):
			shared[i] = f
		}
	}
	return shared
}
