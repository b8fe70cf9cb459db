package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/logbook"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// reportOptions say where a command's answer and its messages go.
type reportOptions struct {
	Quiet     bool
	JSON      bool
	LogFile   string
	LogFormat string
}

// The flags that the program looks at before a command begins.
const (
	quietFlag     = "quiet"
	verboseFlag   = "verbose"
	jsonFlag      = "json"
	logFileFlag   = "log-file"
	logFormatFlag = "log-format"
	progressFlag  = "progress"
	colorFlag     = "color"
)

// The flags of the page of a run, which copy hands on.
const (
	httpFlag   = "http"
	reportFlag = "report"
)

func (o *reportOptions) AddFlags(f *pflag.FlagSet) {
	flagset.AddOwn(
		f,
		&o.Quiet,
		quietFlag,
		"say nothing but errors: no progress, no summary, no warnings",
		flagset.Of(flagset.GroupShown),
		flagset.Letter("q"),
		flagset.Everyday,
	)
	flagset.AddOwn(
		f,
		&o.JSON,
		jsonFlag,
		"answer with one JSON object, on the standard output, in place of the summary. If rows go there, it is the last line of the standard error",
		flagset.Of(flagset.GroupShown),
		flagset.Everyday,
	)
	flagset.AddOwn(
		f,
		&o.LogFile,
		logFileFlag,
		"file that messages, progress and summary are added to, with times",
		flagset.Of(flagset.GroupShown),
	)
	flagset.AddOwn(
		f,
		&o.LogFormat,
		logFormatFlag,
		"text or json: form of the log file, or without one of the standard error (default: text, and plain lines)",
		flagset.Of(flagset.GroupShown),
	)
}

// showOptions say what is shown of a run.
type showOptions struct {
	reportOptions
	Verbose  bool
	Progress time.Duration
	Color    string
	HTTP     string // address of the page that shows the run; empty: there is none
	Report   string // file for what it shows last; empty: there is none
	Check    bool   // check the command, and do not run it

	flags *pflag.FlagSet // know which flags were typed
}

func (o *showOptions) AddFlags(f *pflag.FlagSet) {
	o.flags = f
	o.reportOptions.AddFlags(f)
	o.Progress = printer.DefaultInterval
	flagset.AddOwn(
		f,
		&o.Progress,
		progressFlag,
		"time between lines of progress where there is no terminal, and in the log file (0: none)",
		flagset.Of(flagset.GroupShown),
	)
	o.Color = string(printer.Auto)
	flagset.AddOwn(
		f,
		&o.Color,
		colorFlag,
		"colours of the line of progress and of the end: auto, always or never. With auto: on a terminal, unless NO_COLOR is set or TERM is dumb",
		flagset.Of(flagset.GroupShown),
		flagset.Among(string(printer.Auto), string(printer.Always), string(printer.Never)),
	)
	flagset.AddOwn(
		f,
		&o.Verbose,
		verboseFlag,
		"say more: the nodes, what was not learned of them, requests that are sent again and why, limits of requests, the driver's words",
		flagset.Of(flagset.GroupShown),
	)
}

// environment is what an operation has around it.
func (o *showOptions) environment(s streams) spec.Environment {
	for _, password := range passwordFlags {
		if o.flags.Changed(password) {
			s.warn(
				"--%s: others on this machine can see the password in the list of processes; --%[1]s-file and CQLBULK_%s keep it to yourself",
				password,
				strings.ToUpper(strings.ReplaceAll(password, "-", "_")),
			)
		}
	}
	return spec.Environment{
		Stdin: s.in, Stdout: s.out, Stores: stores.New(),
		Warn: s.warn, Log: s.detail, Build: version.Read(),
		AskPassword: func(user string) (string, error) { return askPassword(s, user) },
	}
}

// run shows how far a run is until the function it returns is called. hidden: it shares its
// terminal with rows.
func (o *showOptions) run(
	ctx context.Context,
	s streams,
	name string,
	c *progress.Counters,
	hidden bool,
) (stop func()) {
	shown := !o.Quiet && !hidden
	options := printer.Options{Interval: o.Progress, Color: printer.Color(o.Color)}
	if shown && s.log.ForPeople() {
		options.Screen = s.err
	}
	lines := shown && !printer.Draws(options.Screen)
	if lines || o.Verbose || s.log.ToFile() {
		options.Report = func(r progress.Reading) {
			s.log.Progress(r, lines)
			o.printNodes(s, c)
		}
	}
	if o.Verbose {
		c.Reasons.OnNew(func(node, reason string) {
			if node == "" {
				node = "a node"
			}
			s.detail("sent again, as %s failed: %s", node, reason)
		})
	}
	return printer.Start(ctx, name, c, options)
}

// nodesShown is the largest number of nodes that are listed with their requests.
const nodesShown = 20

// printNodes prints the requests to each node, and how it answers.
func (o *showOptions) printNodes(s streams, c *progress.Counters) {
	if !o.Verbose {
		return
	}
	nodes := c.Requests.Nodes(time.Now())
	for i, n := range nodes {
		if i == nodesShown {
			s.detail("and %s", human.Of(len(nodes)-i, "more node"))
			break
		}
		name, limit := n.Node, ""
		if name == "" {
			name = "all nodes"
		}
		if n.Limit > 0 {
			limit = fmt.Sprintf(" of at most %d", n.Limit)
		}
		s.detail(
			"%s: %s under way%s, %s answered, %s failed, now p50 %s p99 %s",
			name,
			human.Of(n.UnderWay, "request"),
			limit,
			human.Count(
				n.Answered,
			),
			human.Count(n.Failed),
			human.Latency(n.Now.P50),
			human.Latency(n.Now.P99),
		)
	}
}

// prepareLog has the logbook and the answer do as the flags of a command say.
func (s streams) prepareLog(c *cobra.Command) error {
	f := c.Flags()
	if f.Lookup(logFileFlag) == nil {
		return nil
	}
	text := func(name string) string {
		if flag := f.Lookup(name); flag != nil {
			return flag.Value.String()
		}
		return "" // of a command without it
	}
	is := func(name string) bool { return text(name) == "true" }
	if every := text(progressFlag); strings.HasPrefix(every, "-") {
		return fmt.Errorf("--%s %s: must not be negative", progressFlag, every)
	}
	color := printer.Color(text(colorFlag))
	if err := color.Check(); err != nil {
		return fmt.Errorf("--%s %w", colorFlag, err)
	}
	s.end.command, s.end.json, s.end.quiet = c.Name(), is(jsonFlag), is(quietFlag)
	// Until it is known where rows go, the standard output is theirs.
	s.end.aside = c.Name() == "scan" || c.Name() == "copy"
	return s.log.Open(logbook.Options{
		File: text(logFileFlag), Format: text(logFormatFlag),
		Verbose: is(verboseFlag), Quiet: is(quietFlag), Color: color.On(s.err),
	})
}
