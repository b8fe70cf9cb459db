package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/configfile"
	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

func newConfigShowCommand(s streams) *cobra.Command {
	var asJSON, quiet, changed bool
	c := &cobra.Command{
		Use:   "show [COMMAND [FLAGS]]",
		Short: "Show the settings in force, and where each comes from",
		Long: `Show the value in force of each setting, and where it comes from. That is the default, a
line of the configuration file, a variable of the environment, or a flag. Without a
command, these are the settings that several commands have. With one, they are those of
that command, as it would be run with the flags behind it. To leave out settings that have
their default: --changed. Passwords are not shown.

Exit status:
  0  shown
  1  a setting is not right`,
		Example: `  cqlbulk config show
  cqlbulk config show load --null-string NA --hosts 10.0.0.1`,
		ValidArgsFunction: func(
			c *cobra.Command, args []string, _ string,
		) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return shownCommands(c.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			flags, command, err := flagsToShow(c.Root(), args)
			if err != nil {
				return err
			}
			// The command that is shown may have these as well.
			for name, to := range map[string]*bool{jsonFlag: &asJSON, quietFlag: &quiet} {
				if f := flags.Lookup(name); f != nil && f.Changed && f.Value.String() == "true" {
					*to = true
				}
			}
			settings, commands := configfile.Names(c.Root())
			file, err := config.Apply(command, "", flags, settings, commands)
			if err != nil {
				return err
			}
			s.end.command, s.end.json, s.end.quiet = "config", asJSON, quiet
			s.end.document.Settings = settingsInForce(flags, file)
			if changed {
				s.end.document.Settings = slices.DeleteFunc(
					s.end.document.Settings,
					func(one report.Setting) bool { return one.From == string(config.FromDefault) },
				)
			}
			if asJSON {
				return nil
			}
			return fatal(showSettings(s, s.end.document.Settings))
		},
	}
	c.Flags().SetInterspersed(false) // behind the command stand its own flags
	flagset.AddOwn(
		c.Flags(),
		&changed,
		"changed",
		"only settings that are given somewhere",
		flagset.Of(flagset.GroupShown),
		flagset.Once,
		flagset.Everyday,
	)
	flagset.AddOwn(c.Flags(), &asJSON, jsonFlag, "answer with one JSON object", flagset.Of(flagset.GroupShown), flagset.Everyday)
	flagset.AddOwn(c.Flags(), &quiet, quietFlag, "no summary", flagset.Of(flagset.GroupShown), flagset.Letter("q"), flagset.Everyday)
	return c
}

// shownCommands are the commands that have settings.
func shownCommands(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if len(configfile.Settings(c)) > 0 {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagsToShow are the flags of a command, as they were typed behind it; without one, those that
// several commands have.
func flagsToShow(root *cobra.Command, args []string) (*pflag.FlagSet, string, error) {
	if len(args) == 0 {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.SortFlags = false
		for _, f := range configfile.Shared(root) {
			flags.AddFlag(f)
		}
		flags.AddFlag(root.PersistentFlags().Lookup(config.FileFlag))
		return flags, "", nil
	}
	names := shownCommands(root)
	i := slices.IndexFunc(
		root.Commands(),
		func(c *cobra.Command) bool {
			return c.Name() == args[0] && slices.Contains(names, args[0])
		},
	)
	if i < 0 {
		return nil, "", fmt.Errorf(
			"there is no command %q that has settings%s",
			args[0],
			schema.DidYouMean(args[0], names),
		)
	}
	c := root.Commands()[i]
	if err := c.ParseFlags(args[1:]); err != nil {
		return nil, "", c.FlagErrorFunc()(c, err)
	}
	return c.Flags(), c.Name(), nil
}

// settingsInForce lists the values of flags by group, and where they come from.
func settingsInForce(flags *pflag.FlagSet, file config.File) []report.Setting {
	var list []report.Setting
	for _, g := range flagset.Groups {
		flags.VisitAll(func(f *pflag.Flag) {
			if flagset.GroupOf(f) != g || !configfile.IsSetting(f) {
				return
			}
			origin := file.Origin(f.Name)
			one := report.Setting{
				Name:   f.Name,
				Value:  valueText(f),
				From:   string(origin.From),
				Secret: isSecret(f),
			}
			switch {
			case one.Secret && one.Value != "":
				one.Value = "(hidden)"
			case f.Name == config.FileFlag && one.Value == "":
				one.Value = file.Path // found at one of the usual places
			}
			switch {
			case origin.From == config.FromEnvironment:
				one.Place = origin.Variable
			case origin.Line > 0:
				one.Place = fmt.Sprintf("%s:%d", origin.Path, origin.Line)
			default:
				one.Place = origin.Path
			}
			list = append(list, one)
		})
	}
	return list
}

// isSecret says whether a value must not be shown. A command line may hold a password as well.
func isSecret(f *pflag.Flag) bool {
	return slices.Contains(passwordFlags, f.Name) ||
		f.Name == "nodetool" && strings.Contains(f.Value.String(), "-pw")
}

func valueText(f *pflag.Flag) string {
	if values := flagset.Texts(f); configfile.IsList(f) && len(values) != 1 {
		return setting.ListText(values)
	}
	return flagset.Texts(f)[0]
}

// showSettings shows settings as a table.
func showSettings(s streams, settings []report.Setting) error {
	w := tabwriter.NewWriter(s.text(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SETTING\tVALUE\tFROM")
	for _, one := range settings {
		from := one.From
		if one.Place != "" {
			from = one.Place
		}
		value := one.Value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", one.Name, safetext.Line(value), safetext.Line(from))
	}
	return w.Flush()
}
