package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/resultview"
	"github.com/cqlbulk/cqlbulk/internal/inspect"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// inspectOptions are the flags of inspect.
type inspectOptions struct {
	reportOptions
	Format string
	spec   spec.Inspect
}

// The forms of what is shown of SSTables.
const (
	inspectText = "text"
	inspectJSON = "json"
)

// AddFlags adds the flags of inspect.
func (o *inspectOptions) AddFlags(f *pflag.FlagSet) {
	b := flagset.Binder{Flags: f, Settings: o.spec.Settings(), Group: flagset.GroupOutput}
	b.Add("rows", "write the partitions of the one SSTable as JSON; as sstabledump does", flagset.Everyday)
	b.Add("largest", "find this number of the largest partitions, which reads all data", flagset.Everyday)
	o.Format = inspectText
	flagset.AddOwn(
		f,
		&o.Format,
		"format",
		"form of what is shown on the standard output: text or json",
		flagset.Of(flagset.GroupOutput),
		flagset.Among(inspectText, inspectJSON),
		flagset.Everyday,
	)
	o.reportOptions.AddFlags(f)
}

func newInspectCommand(s streams) *cobra.Command {
	opts := &inspectOptions{}
	c := &cobra.Command{
		Use:   "inspect FILE|FOLDER...",
		Short: "Show what SSTables hold, without a cluster",
		Long: `Show what SSTables hold, without a cluster, as their statistics have it. That is columns
and their types, partitions, rows and the columns set in them, sizes and compression, and
the first and the last key. Timestamps, times to live and deletions have their bounds.

An argument is a file of an SSTable, any of its components, or a folder. Of a folder the
SSTables in it are shown. If it has none, those in all folders below are, in snapshots
and backups too, but no indexes.

For one SSTable, each fact has a line. For several, each SSTable has a line, with tabs
between the facts, and the last line has their sum. With --format json all of each is one
document. A row counts once for each SSTable that has it, and deleted rows count too.

With --rows the partitions of one SSTable are written as JSON, as Cassandra's
sstabledump writes them. What is deleted or expired is written too, with its timestamp.

Exit status:
  0    all shown
  1    wrong usage or configuration, or no such file
  2    SSTables that could not be read are listed, the others shown
  4    fatal: an SSTable could not be read to its end (--rows), or the answer could
       not be written
  130  interrupted`,
		Example: `  cqlbulk inspect nb-1-big-Data.db
  cqlbulk inspect /var/lib/cassandra/data/demo/flights-*
  cqlbulk inspect nb-1-big-Data.db --largest 10 --format json
  cqlbulk inspect nb-1-big-Data.db --rows`,
		RunE: func(c *cobra.Command, args []string) error {
			opts.spec.Paths = args
			return runInspect(c.Context(), s, opts)
		},
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

func runInspect(ctx context.Context, s streams, o *inspectOptions) error {
	if o.Format != inspectText && o.Format != inspectJSON {
		return fmt.Errorf("--format %q: must be %s or %s", o.Format, inspectText, inspectJSON)
	}
	s.end.aside = o.spec.Rows
	inspection, err := inspect.Prepare(
		spec.Environment{Stdout: s.out, Warn: s.warn, Build: version.Read()},
		o.spec,
	)
	if err != nil {
		return err
	}
	result, err := inspection.Run(ctx)
	if err != nil {
		return runError(err, result.Outcome)
	}
	for _, f := range result.Failures {
		s.wrong("%v", f.Err)
	}
	s.end.document = report.OfInspect(result)
	if o.spec.Rows || o.JSON {
		return runError(nil, result.Outcome)
	}
	if err := o.print(s, s.end.document.Inspect); err != nil {
		return fatal(err)
	}
	return runError(nil, result.Outcome)
}

// print writes the answer.
func (o *inspectOptions) print(s streams, all *report.Inspect) error {
	out := bufio.NewWriter(s.text())
	switch {
	case o.Format == inspectJSON:
		encoder := json.NewEncoder(safetext.JSONWriter(out))
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(all); err != nil {
			return err
		}
	case len(all.SSTables) == 1 && len(all.Failures) == 0:
		resultview.WriteSSTable(out, all.SSTables[0])
	case len(all.SSTables) > 0:
		resultview.WriteSSTables(out, all)
	}
	return out.Flush()
}
