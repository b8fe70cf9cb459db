package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/configfile"
	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Completion prints no errors: its words go into the line that is being typed. The command prints
// the error when it is run.

// completionTime is how long completion waits for a cluster's answer.
const completionTime = 1500 * time.Millisecond

func newCompletionCommand(root *cobra.Command, s streams) *cobra.Command {
	shells := map[string]func() error{
		"bash": func() error { return root.GenBashCompletionV2(s.out, true) },
		"zsh":  func() error { return root.GenZshCompletion(s.out) },
		"fish": func() error { return root.GenFishCompletion(s.out, true) },
	}
	names := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use:   "completion " + strings.Join(names, "|"),
		Short: "Write the completion script of a shell",
		Long: `Write the script by which a shell completes command lines: commands and flags, their
values, keyspaces and tables of the cluster, run directories. A cluster is asked only
when a table is typed, with the settings that there are, for a second or two.`,
		Example: `  cqlbulk completion bash > /etc/bash_completion.d/cqlbulk
  cqlbulk completion zsh > "${fpath[1]}/_cqlbulk"
  cqlbulk completion fish > ~/.config/fish/completions/cqlbulk.fish`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return fmt.Errorf("name one shell: %s", strings.Join(names, ", "))
			}
			return nil
		},
		ValidArgs: names,
		// No setting is needed for it.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(_ *cobra.Command, args []string) error {
			return fatal(shells[args[0]]())
		},
	}
}

// isCompletion reports whether a name is that of a command by which shells ask for words.
func isCompletion(name string) bool {
	return name == cobra.ShellCompRequestCmd || name == cobra.ShellCompNoDescRequestCmd
}

// completeFlags registers completions for the values of all flags below a command. The library
// keeps each of them forever, with its command. Tests run thousands of commands in one process, so
// it is called only if a shell asks for completions.
func completeFlags(root *cobra.Command) {
	for _, c := range root.Commands() {
		completeFlags(c)
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if complete := flagValues(f); complete != nil {
				// It fails only for a flag that is not there, or is registered already.
				_ = c.RegisterFlagCompletionFunc(f.Name, complete)
			}
		})
	}
}

// flagValues completes a flag's value; nil: by the names of files.
func flagValues(f *pflag.Flag) cobra.CompletionFunc {
	paths, isPath := f.Annotations[flagset.IsPath]
	switch values := f.Annotations[flagset.AmongThese]; {
	case len(values) > 0:
		return cobra.FixedCompletions(
			values,
			cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder,
		)
	case len(paths) > 0:
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case isPath:
		return nil
	case f.NoOptDefVal != "":
		return cobra.FixedCompletions([]string{"true", "false"}, cobra.ShellCompDirectiveNoFileComp)
	default:
		return cobra.NoFileCompletions
	}
}

// completeTable completes keyspace.table as the first argument, and the names of files
// behind it where there are such.
func completeTable(connection *spec.Connection, files bool) cobra.CompletionFunc {
	return func(
		c *cobra.Command, args []string, typed string,
	) ([]string, cobra.ShellCompDirective) {
		switch {
		case len(args) > 0 && files:
			return nil, cobra.ShellCompDirectiveDefault
		case len(args) > 0:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return tablesLike(c, connection, typed)
	}
}

var errNoPrompt = errors.New("no password is asked for while a word is completed")

// tablesLike are the tables of the cluster whose names begin with what was typed, or while
// the keyspace is typed, keyspaces.
func tablesLike(
	c *cobra.Command,
	connection *spec.Connection,
	typed string,
) ([]string, cobra.ShellCompDirective) {
	settings, commands := configfile.Names(c.Root())
	if _, err := config.Apply(c.Name(), "", c.Flags(), settings, commands); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, stop := context.WithTimeout(context.Background(), completionTime)
	defer stop()
	tables, err := table.Tables(ctx, spec.Environment{
		Warn: func(string, ...any) {}, Build: version.Read(),
		AskPassword: func(string) (string, error) { return "", errNoPrompt },
	}, *connection)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, t := range tables {
		keyspace, _, _ := strings.Cut(t, ".")
		switch {
		case !strings.HasPrefix(t, typed), typed == "" && strings.HasPrefix(t, "system"):
		case strings.Contains(typed, "."):
			words = append(words, t)
		case !slices.Contains(words, keyspace+"."):
			words = append(words, keyspace+".")
		}
	}
	if len(words) == 1 &&
		strings.HasSuffix(words[0], ".") { // there is but one keyspace that it can be
		return tablesOf(tables, words[0]), cobra.ShellCompDirectiveNoFileComp
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if !strings.Contains(typed, ".") {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return words, directive
}

func tablesOf(tables []string, prefix string) (words []string) {
	for _, t := range tables {
		if strings.HasPrefix(t, prefix) {
			words = append(words, t)
		}
	}
	return words
}

// completeRunDir completes the run directories there are.
func completeRunDir(
	_ *cobra.Command,
	args []string,
	typed string,
) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	found, _ := filepath.Glob(globQuote.Replace(typed) + "*")
	for _, path := range found {
		if info, err := os.Stat(
			path,
		); err == nil && info.IsDir() &&
			operation.CommandOf(path) != "" {
			words = append(words, path)
		}
	}
	if len(words) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs // one may be below
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// globQuote takes a text for what it is, and not for a pattern.
var globQuote = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
