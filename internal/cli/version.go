package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/version"
)

func newVersionCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version, and what it was built of",
		Long: `Show the version, the commit and its date, the Go version and the driver that the
program was built of. Manifests, run directories and reports have the same.
cqlbulk --version shows the version alone.`,
		Args: noArguments,
		// No setting is needed for it.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(*cobra.Command, []string) error {
			b := version.Read()
			w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			for _, line := range [][2]string{
				{"cqlbulk", b.Version}, {"commit", b.Commit}, {"date", b.Date}, {"go", b.Go + " " + runtime.GOOS + "/" + runtime.GOARCH}, {"driver", b.Driver},
			} {
				fmt.Fprintf(w, "%s\t%s\n", line[0], cmp.Or(line[1], "unknown"))
			}
			return fatal(w.Flush())
		},
	}
}

// noArguments wants none.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return nil
}
