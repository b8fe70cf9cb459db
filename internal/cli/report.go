package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/build"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/summary"
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
		Long: `Make a page of a run from its run directory, while it runs or after, or of a scan that
is done from the manifest of its output: what was planned, read, written and
rejected, and why. The page is one file that fetches nothing, and reads without
colour, by light and by dark. A run directory of a run with --http also has what its
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
				return errors.New("give one run directory or manifest: cqlbulk report RUN_DIR -o report.html")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return writeReport(s, opts, args[0]) },
	}
	f := c.Flags()
	f.SortFlags = false
	addOwn(f, &opts.Output, "output", "file to write; \"-\" is the standard output", of(groupOutput), letter("o"), path, everyday)
	addOwn(f, &opts.Counts, "counts", "files with what count --by printed", of(groupInput), path, everyday)
	addOwn(f, &opts.Force, "force", "write over a file that exists", of(groupOutput), everyday)
	opts.reportOptions.AddFlags(f)
	return c
}

func writeReport(s streams, o *recordOptions, path string) error {
	s.end.aside = o.Output == "-"
	record, err := operation.ReadRecord(path)
	if err != nil {
		return err
	}
	s.tellWriter(path)
	r := reportOf(record)
	for _, name := range o.Counts {
		count, err := readCount(name)
		if err != nil {
			return fmt.Errorf("--counts: %w", err)
		}
		r.Counts = append(r.Counts, count)
	}
	page := summary.Page{Run: path, Command: r.Command, Table: r.Table, State: r.State}
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

// writePage writes a report to a file, which it makes; or over one that is there. It says how many bytes it has.
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
	return "Made by cqlbulk " + build.Read().Version + " at " + time.Now().UTC().Format("2006-01-02 15:04 UTC")
}

func readCount(name string) (web.Count, error) {
	f, err := os.Open(name)
	if err != nil {
		return web.Count{}, err
	}
	defer func() { _ = f.Close() }()
	return web.ReadCount(name, f)
}

// reportOf puts what is left of a run into words.
func reportOf(r *operation.Record) web.Report {
	out := web.Report{Made: made() + " of " + r.Path, Ring: r.Ring, Rejects: r.Rejects, Page: r.Page}
	if out.Page != nil {
		out.Page.Rejects = nil // the run directory has them all
	}
	if r.Manifest != nil {
		ofManifest(&out, r)
	} else {
		ofRun(&out, r)
	}
	if p := r.Plan; p != nil {
		out.Sections = append(out.Sections, web.Section{Title: "Plan", Facts: []web.Fact{
			{Name: "cluster", Value: p.Cluster}, {Name: "partitioner", Value: p.Partitioner},
			{Name: "token ranges", Value: amount.Count(p.Splits)}, {Name: "seed of their order", Value: fmt.Sprint(p.Seed)}, {Name: "hash", Value: p.Hash},
		}})
	}
	out.Sections = append(out.Sections, settingsSection(r))
	return out
}

// ofManifest tells of a scan that has an output.
func ofManifest(out *web.Report, r *operation.Record) {
	m := r.Manifest
	out.Command, out.Table, out.Phase, out.State = m.Command, m.Keyspace+"."+m.Table, board.Done, "done"
	if m.Ranges.Failed > 0 {
		out.Phase, out.State = board.Partly, "done, but for token ranges that failed"
	}
	var text, stored int64
	for _, f := range m.Files {
		out.Files = append(out.Files, web.File{Name: f.Name, Rows: f.Rows, Bytes: f.Bytes, SHA256: f.SHA256})
		text, stored = text+f.TextBytes, stored+f.Bytes
	}
	for _, lost := range m.Ranges.Lost {
		out.Failed = append(out.Failed, web.FailedRange{Range: "(" + lost.Start + ", " + lost.End + "]", Reason: lost.Error})
	}
	took := m.Finished.Sub(m.Started)
	facts := []web.Fact{
		{Name: "rows", Value: amount.Count(m.Rows)},
		{Name: "text", Value: amount.Size(text) + ", " + amount.Size(stored) + " as stored"},
		{Name: "token ranges", Value: fmt.Sprintf("%s read, %s failed", amount.Count(m.Ranges.Done), amount.Count(m.Ranges.Failed))},
		{Name: "begun", Value: m.Started.UTC().Format(time.RFC3339)},
		{Name: "took", Value: fmt.Sprintf("%s (%s rows/s)", amount.Elapsed(took), amount.Count(int64(float64(m.Rows)/max(took.Seconds(), 0.001))))},
		{Name: "by", Value: m.Tool + " " + m.ToolVersion},
	}
	if m.Checksum != nil {
		facts = append(facts, web.Fact{Name: "checksum", Value: m.Checksum.Value})
	}
	if m.Shard != "" {
		facts = append(facts, web.Fact{Name: "shard", Value: m.Shard})
	}
	if m.Reading != nil {
		facts = append(facts, web.Fact{Name: "read", Value: strings.TrimSpace("via " + m.Reading.Via + " " + m.Reading.Replicas)})
	}
	var columns []web.Fact
	for _, c := range m.Columns {
		columns = append(columns, web.Fact{Name: c.Name, Value: c.Type + " (" + strings.ReplaceAll(c.Kind, "_", " ") + ")"})
	}
	out.Sections = append(out.Sections, web.Section{Title: "The run", Facts: facts}, web.Section{Title: "Columns", Facts: columns})
}

// phases are the ends of runs as pages show them.
var phases = map[operation.Outcome]board.Phase{
	operation.Done: board.Done, operation.Partly: board.Partly, operation.Interrupted: board.Interrupted, operation.Failed: board.Failed,
}

// ofRun tells of a run directory.
func ofRun(out *web.Report, r *operation.Record) {
	s := r.Status
	out.Command, out.Table, out.State, out.Phase = s.Command, s.Table, summary.OfStatus(*s).Status.StateText(), board.Done
	switch {
	case s.Live:
		out.Phase = board.Running
	case s.End == nil:
		out.Phase = board.Failed
	case s.End.Outcome != operation.Done:
		out.Phase, out.Error = phases[s.End.Outcome], s.End.Error
	}
	if out.Error != "" {
		out.State = "failed"
	}
	facts := []web.Fact{{Name: "begun", Value: s.Started.UTC().Format(time.RFC3339)}, {Name: "by", Value: s.Tool}}
	add := func(name, format string, args ...any) {
		facts = append(facts, web.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if l := s.Load; l != nil {
		t := l.Tally
		add("inputs", "%s", inputsText(l))
		tellPieces(l, add)
		add("rows", "%s read, %s written, %s rejected, %s in doubt, %s there already", amount.Count(t.Read), amount.Count(t.Written),
			amount.Count(t.Rejected()), amount.Count(t.InDoubt), amount.Count(t.Existing))
		add("checksum", "%s", t.Sum)
		for _, change := range l.Changed {
			add("changed", "%s", changeText(change))
		}
	}
	if scan := s.Scan; scan != nil {
		add("read", "%.1f %% of the tokens, up to the last mark", 100*scan.Share)
		add("rows", "%s, %s of text", amount.Count(scan.Rows), amount.Size(scan.TextBytes))
		add("checksum", "%s", scan.Sum)
	}
	for _, n := range s.Next() {
		add("next", "%s", summary.CommandLine(n))
	}
	if s.End != nil {
		for _, f := range s.End.Failed {
			out.Failed = append(out.Failed, web.FailedRange{Range: f.Range, Reason: f.Reason})
		}
	}
	out.Sections = append(out.Sections, web.Section{Title: "The run", Facts: facts})
}

// settingsSection lists the settings of a run.
func settingsSection(r *operation.Record) web.Section {
	section := web.Section{Title: "Settings"}
	add := func(name string, value string) {
		if value != "" {
			section.Facts = append(section.Facts, web.Fact{Name: name, Value: value})
		}
	}
	if r.Manifest != nil {
		for _, name := range slices.Sorted(maps.Keys(r.Manifest.Options)) {
			if value := r.Manifest.Options[name]; value != nil {
				add(name, fmt.Sprint(value))
			}
		}
		return section
	}
	if len(r.Args) > 1 {
		add("inputs", strings.Join(r.Args[1:], ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		add(name, strings.Join(r.Settings[name], ", "))
	}
	return section
}
