package cli

import (
	"regexp"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/doctest"
)

// Commands and flags that the manual names exist. That includes those within its sentences, which
// no test runs. The manual also names flags of other programs.
func TestNamesInTheManual(t *testing.T) {
	known := map[string]bool{
		"help":            true,
		"now":             true, /* systemctl */
		"load-and-stream": true, /* nodetool */
	}
	commands := map[string]bool{"completion": true, "help": true} // cobra makes them when it runs
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			flags.VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		}
		for _, sub := range c.Commands() {
			commands[sub.Name()] = true
			add(sub)
		}
	}
	add(newRoot(streams{}))
	pages, err := doctest.Pages("../..")
	require.NoError(t, err)
	flag := regexp.MustCompile(
		`--([a-z][a-z0-9-]*)`,
	)
	command := regexp.MustCompile(
		"(?:`|^\\$ |\\| )cqlbulk ([a-z]+)",
	)
	for _, name := range pages {
		page, err := doctest.ReadPage("../..", name)
		require.NoError(t, err)
		for i, line := range page.Lines {
			for _, found := range flag.FindAllStringSubmatch(line, -1) {
				require.True(t, known[found[1]], "%s:%d: no command has --%s", name, i+1, found[1])
			}
			for _, found := range command.FindAllStringSubmatch(line, -1) {
				require.True(
					t,
					commands[found[1]],
					"%s:%d: there is no command %s",
					name,
					i+1,
					found[1],
				)
			}
		}
	}
}
