package cli

import (
	"regexp"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/doctest"
)

// Flags that the manual names are those of a command, or of one of the other programs that it tells of.
func TestFlagsOfTheManual(t *testing.T) {
	known := map[string]bool{"help": true, "now": true /* systemctl */, "load-and-stream": true /* nodetool */}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			flags.VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		}
		for _, sub := range c.Commands() {
			add(sub)
		}
	}
	add(newRoot(streams{}))
	pages, err := doctest.Pages("../..")
	require.NoError(t, err)
	flag := regexp.MustCompile(`--([a-z][a-z0-9-]*)`)
	for _, name := range pages {
		page, err := doctest.ReadPage("../..", name)
		require.NoError(t, err)
		for i, line := range page.Lines {
			for _, found := range flag.FindAllStringSubmatch(line, -1) {
				require.True(t, known[found[1]], "%s:%d: no command has --%s", name, i+1, found[1])
			}
		}
	}
}
