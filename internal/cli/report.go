package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/runview"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/version"
	"github.com/cqlbulk/cqlbulk/internal/web"
)

// recordOptions are the flags of report.
type recordOptions struct {
	reportOptions
	Output string
	Counts []string
	Force  bool
}

func newReportCommand(s streams) *cobra.Command {
	opts := &recordOptions{Output: "report.html"}
	c := &cobra.Command{
		Use:   "report RUN_DIR | MANIFEST",
		Short: "Make a page of a run that a browser shows, one file",
		Long: `Make a page of a run from its run directory, while it runs or after. For a scan that is
done, the manifest of its output is enough. The page shows what was planned, read,
written and rejected, and why. It is one file that fetches nothing, and it needs no
colour, by light and by dark. If the run had --http, the run directory also has what its
page showed last.

With --counts the page shows skew: the file has what cqlbulk count --by host, range
or partition printed.

Nothing is changed, and no cluster is asked.

Exit status:
  0  made
  1  there is no run, it cannot be read, or the page cannot be written`,
		Example: `  cqlbulk report cqlbulk-load-demo.flights-20260102T150405Z-4711 -o report.html

  # with the skew by node and the largest partitions
  cqlbulk count demo.flights --by host > hosts.tsv
  cqlbulk count demo.flights --by partition > partitions.tsv
  cqlbulk report flights.csv.manifest.json --counts hosts.tsv,partitions.tsv -o report.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New(
					"give one run directory or manifest: cqlbulk report RUN_DIR -o report.html",
				)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return writeReport(s, opts, args[0]) },
	}
	f := c.Flags()
	f.SortFlags = false
	flagset.AddOwn(
		f,
		&opts.Output,
		"output",
		"file to write; \"-\" is the standard output",
		flagset.Of(flagset.GroupOutput),
		flagset.Letter("o"),
		flagset.Path,
		flagset.Everyday,
	)
	flagset.AddOwn(
		f,
		&opts.Counts,
		"counts",
		"files with what count --by printed",
		flagset.Of(flagset.GroupInput),
		flagset.Path,
		flagset.Everyday,
	)
	flagset.AddOwn(f, &opts.Force, "force", "write over a file that exists", flagset.Of(flagset.GroupOutput), flagset.Everyday)
	opts.reportOptions.AddFlags(f)
	return c
}

func writeReport(s streams, o *recordOptions, path string) error {
	s.end.aside = o.Output == "-"
	record, err := status.ReadRecord(path)
	if err != nil {
		return err
	}
	s.warnWriter(path)
	r := runview.Page(record, made())
	for _, name := range o.Counts {
		count, err := readCount(name)
		if err != nil {
			return fmt.Errorf("--counts: %w", err)
		}
		r.Counts = append(r.Counts, count)
	}
	page := report.Page{
		Run:     path,
		Command: r.State.Command,
		Table:   r.State.Table,
		State:   runview.StateText(record),
	}
	if s.end.aside {
		out := &measured{Writer: s.out}
		err = web.WriteReport(out, r)
		page.Bytes = out.bytes
	} else {
		page.File = o.Output
		page.Bytes, err = writePage(o.Output, o.Force, r)
	}
	if err != nil {
		return fmt.Errorf("--output %w", err)
	}
	s.end.document.Report = &page
	return nil
}

// writePage writes a report to a file, which it makes; or over one that is there. It says how many
// bytes it has.
func writePage(name string, over bool, r web.Report) (int64, error) {
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if over {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(name, how, 0o600)
	if errors.Is(err, os.ErrExist) {
		return 0, fmt.Errorf("%s: exists; --force writes over it", name)
	}
	if err != nil {
		return 0, err
	}
	out := &measured{Writer: f}
	err = web.WriteReport(out, r)
	return out.bytes, errors.Join(err, f.Close())
}

// measured counts the bytes that are written.
type measured struct {
	io.Writer
	bytes int64
}

func (m *measured) Write(b []byte) (int, error) {
	n, err := m.Writer.Write(b)
	m.bytes += int64(n)
	return n, err
}

// made says when a report was made, and by what.
func made() string {
	return "Made by cqlbulk " + version.Read().Version + " at " + time.Now().
		UTC().
		Format("2006-01-02 15:04 UTC")
}

func readCount(name string) (web.Count, error) {
	f, err := os.Open(name)
	if err != nil {
		return web.Count{}, err
	}
	defer func() { _ = f.Close() }()
	return web.ReadCount(name, f)
}
