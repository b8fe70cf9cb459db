package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
)

// Help of a command is a screen: 40 lines of 80 columns, and 45 of the two that have most
// flags.
func TestHelpFitsTheScreen(t *testing.T) {
	root := newRoot(streams{})
	var out bytes.Buffer
	fits := func(name string, most int) {
		t.Helper()
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		require.LessOrEqual(t, len(lines), most, name)
		for _, line := range lines {
			require.LessOrEqual(t, len([]rune(line)), help.Width, "%s: %s", name, line)
		}
		out.Reset()
	}
	for _, c := range allCommands(root) {
		most := 40
		if c.Name() == "load" || c.Name() == "scan" {
			most = 45
		}
		help.Write(&out, c, false)
		fits(c.Name(), most)
	}
	for _, topic := range help.TopicNames() {
		root.SetOut(&out)
		root.SetArgs([]string{"help", topic})
		require.NoError(t, root.Execute())
		fits(topic, 50)
	}
}

// allCommands are a command and those below it.
func allCommands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		all = append(all, allCommands(sub)...)
	}
	return all
}

// All help has all flags, each once, and what help of one screen has.
func TestAllHelpHasEverything(t *testing.T) {
	for _, c := range allCommands(newRoot(streams{}))[1:] {
		var short, all bytes.Buffer
		help.Write(&short, c, false)
		help.Write(&all, c, true)
		flags := []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()}
		for _, set := range flags {
			set.VisitAll(func(f *pflag.Flag) {
				if f.Hidden {
					return
				}
				name := regexp.MustCompile(`(?m)^  (?:-\w, |    )--` + f.Name + `(?: \S+)?(?:  |$)`)
				require.Len(t, name.FindAllString(all.String(), -1), 1, "%s %s", c.Name(), f.Name)
				if _, everyday := f.Annotations[flagset.IsEveryday]; everyday {
					require.Regexp(t, name, short.String(), c.Name())
				}
			})
		}
		firstExample, _, _ := strings.Cut(c.Example, "\n\n")
		for line := range strings.Lines(firstExample) {
			require.Contains(t, all.String(), line)
		}
	}
}
