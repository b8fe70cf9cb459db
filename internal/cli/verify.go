package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/resultview"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	reportOptions
	spec spec.Verify
}

// AddFlags adds the flags of verify.
func (o *verifyOptions) AddFlags(f *pflag.FlagSet) {
	flagset.Binder{
		Flags:    f,
		Settings: o.spec.Settings(),
		Group:    flagset.GroupInput,
	}.Add(
		"no-hash",
		"do not read the files: look at their sizes alone",
		flagset.Everyday,
	)
	o.reportOptions.AddFlags(f)
}

func newVerifyCommand(s streams) *cobra.Command {
	opts := &verifyOptions{}
	c := &cobra.Command{
		Use:   "verify MANIFEST|FOLDER|OUTPUT...",
		Short: "Check the output of scans by their manifests, and compare scans",
		Long: `Check the output of scans by the manifests beside it, without a database. Every file must
be there with its size and its checksum, and no other file that looks like one of them.
The rows of the files must add up, and no token range may be lost.

An argument is a manifest, a folder that holds a manifest.json, or an output file
with its manifest beside it.

Shards (scan --shard) have to be of the same scan, all of them, each once. Their
rows and checksums are added up. Whole scans of the same columns, and the shards
together, are compared by rows and checksum. They may be of one table at two times, or of
a table and its copy, on any clusters. Times to live and write times are not in a checksum.

The answer goes to the standard output, a line each: "rows N", "checksum HEX",
"files N" and for shards "shards GIVEN/N". If scans are compared, a line before them says
"the same rows", "different rows" or "not compared". Without the first of these, there
are rows and a checksum for each scan, with its name behind them. What is not
as stated is printed on the standard error, a line each, and the exit status is 2.

Exit status:
  0    all as stated, and the same rows where scans are compared
  1    wrong usage or configuration, or no manifest there that can be read
  2    something is not as stated, and is listed
  4    fatal: the answer could not be written
  130  interrupted`,
		Example: `  cqlbulk verify flights.csv
  cqlbulk verify part1 part2 part3 flights.csv
  cqlbulk verify --no-hash flights

  # do two clusters have the same rows?
  cqlbulk scan demo.flights -o a.csv --hosts 10.0.0.1
  cqlbulk scan demo.flights -o b.csv --hosts 10.1.0.1
  cqlbulk verify --no-hash a.csv b.csv`,
		RunE: func(c *cobra.Command, args []string) error {
			opts.spec.Paths = args
			return runVerify(c.Context(), s, opts)
		},
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

func runVerify(ctx context.Context, s streams, o *verifyOptions) error {
	check, err := operation.PrepareVerify(spec.Environment{Stores: stores.New()}, o.spec)
	if err != nil {
		return err
	}
	result, err := check.Run(ctx)
	if err != nil {
		return runError(err, result.Outcome)
	}
	for _, f := range result.Findings {
		s.wrong("%s", f)
	}
	if !o.Quiet {
		for _, n := range result.Notes {
			s.note("note: %s", n)
		}
	}
	if s.end.document = report.OfVerify(result); o.JSON {
		return runError(nil, result.Outcome)
	}
	if err := resultview.WriteVerify(s.text(), result); err != nil {
		return fatal(err)
	}
	return runError(nil, result.Outcome)
}
