package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/cli/configfile"
	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
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
				return fatal(configfile.Write(s.out, c.Root()))
			}
			// It may hold a password one day.
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, os.ErrExist) {
				return fmt.Errorf("--output %s: exists, and is not changed", name)
			}
			if err != nil {
				return fmt.Errorf("--output: %w", err)
			}
			if err := errors.Join(configfile.Write(f, c.Root()), f.Close()); err != nil {
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
