// Package configfile knows which flags are settings of the configuration file, and writes a file of
// all of them.
package configfile

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
)

// Names names what may be set, each once, and the commands, in order.
func Names(root *cobra.Command) (settings, commands []string) {
	take := func(f *pflag.Flag) {
		if IsSetting(f) {
			settings = append(settings, f.Name)
		}
	}
	root.PersistentFlags().VisitAll(take)
	for _, sub := range root.Commands() {
		commands = append(commands, sub.Name())
		sub.LocalNonPersistentFlags().VisitAll(take)
	}
	slices.Sort(settings)
	return slices.Compact(settings), commands
}

// configHead begins a configuration file.
const configHead = `# Settings of cqlbulk, with their defaults. To change one, remove the # before it.
# A flag takes precedence over the environment, and the environment over this file. Settings at the
# top are for all commands that have them. A section is only for its command, and wins. The commands
# resume and retry take the section of the command whose run they resume or retry. To see the
# settings in force: cqlbulk config show.
`

// Write writes a configuration file of all settings: first those that several commands have
// with one meaning, then the others by command.
func Write(w io.Writer, root *cobra.Command) error {
	var out strings.Builder
	out.WriteString(configHead)
	shared := Shared(root)
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
			for _, f := range Settings(c) {
				if flagset.GroupOf(f) == g &&
					!slices.ContainsFunc(shared, func(o *pflag.Flag) bool { return isSame(f, o) }) {
					own = append(own, f)
				}
			}
		}
		if !Continues(c) {
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
	case IsList(f):
		return quoted(append([]string{}, flagset.Texts(f)...))
	case f.Value.Type() == "string", f.Value.Type() == "text", f.Value.Type() == flagset.PairsType:
		return quoted(flagset.Texts(f)[0])
	default:
		return f.DefValue
	}
}

// IsList reports whether a flag has a list of values.
func IsList(f *pflag.Flag) bool {
	_, list := f.Value.(pflag.SliceValue)
	return list
}

// Continues reports whether a command resumes or retries a run of another.
func Continues(c *cobra.Command) bool { return c.Name() == "resume" || c.Name() == "retry" }

// Settings are the flags of a command that are settings.
func Settings(c *cobra.Command) []*pflag.Flag {
	var flags []*pflag.Flag
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if IsSetting(f) {
			flags = append(flags, f)
		}
	})
	return flags
}

// IsSetting says whether a flag may be set by the environment and a configuration file.
func IsSetting(f *pflag.Flag) bool {
	_, one := f.Annotations[flagset.IsOfOneRun]
	return !one && f.Name != "help" && f.Name != help.AllFlag
}

// isSame says whether the flags of two commands are one setting, with one meaning.
func isSame(a, b *pflag.Flag) bool {
	return a.Name == b.Name && a.Usage == b.Usage && a.DefValue == b.DefValue
}

// Shared are the settings that several commands have with one default; where help of some says
// something else, with that of most of them.
func Shared(root *cobra.Command) []*pflag.Flag {
	var all, onward []*pflag.Flag
	for _, c := range root.Commands() {
		if Continues(c) {
			onward = append(onward, Settings(c)...)
		} else {
			all = append(all, Settings(c)...)
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
