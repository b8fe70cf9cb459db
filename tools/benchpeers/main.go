// Command benchpeers measures loads of the same files, or unloads of the same tables, by cqlbulk
// and by other programs, and writes a page of it. Each program has the settings that are best for
// it, on one Cassandra of this machine. PostgreSQL's COPY is a yardstick of loads.
// The script deploy/bench-peers starts the Cassandra, and runs this command.
//
// In each round every contestant loads or unloads each dataset once. The order moves on from round
// to round. A table is empty before a load, and its rows are counted after it. See process.go and
// node.go for what is measured.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// loadTimeout is how long a load or an unload may take, and then what it has set off.
const loadTimeout = 30 * time.Minute

// bench is what the loads of a run have in common.
type bench struct {
	task     task
	root     string // of the repository, absolute
	folder   string // for all files of a run
	classes  string // folder of the classes of deploy/peers
	cluster  string
	node     *node
	postgres *postgres // nil unless it takes part
	cqlsh    string    // program
	dsbulk   string    // folder of jars
	meter    *meter
	messages io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench-peers:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, messages io.Writer) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	b := &bench{root: root, folder: filepath.Join(root, ".cache/bench-peers"), messages: messages}
	b.classes = filepath.Join(b.folder, "classes")
	flags := flag.NewFlagSet("bench-peers", flag.ContinueOnError)
	flags.SetOutput(messages)
	rows := flags.Int("rows", 1_000_000, "rows of each dataset; flights has at most 336,776")
	rounds := flags.Int("rounds", 3, "how often each load is measured")
	unload := flags.Bool("unload", false, "measure unloads of tables instead of loads")
	only := flags.String(
		"only",
		"",
		fmt.Sprintf(
			"contestants: of loads %s, of unloads %s (default all)",
			strings.Join(contestantNames(loaders), ","),
			strings.Join(contestantNames(unloaders), ","),
		),
	)
	data := flags.String("data", strings.Join(datasetNames, ","), "datasets")
	output := flags.String(
		"o",
		"",
		"the page (default docs/bench-peers-DATE.md or docs/bench-unload-DATE.md); its plot and the figures of each load lie beside it, as .svg and .json",
	)
	render := flags.Bool(
		"render",
		false,
		"measure nothing: write the page again from the figures beside it",
	)
	host := flags.String("host", "127.0.21.1", "address of the Cassandra")
	flags.StringVar(&b.cluster, "cluster", "bench", "its cluster")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *rows < 1 || *rounds < 1 {
		flags.Usage()
		return errors.New("no arguments are taken besides flags; rows and rounds are 1 at least")
	}
	name := "peers"
	if *unload {
		b.task, name = unloading, "unload"
	}
	if *output == "" {
		*output = fmt.Sprintf("docs/bench-%s-%s.md", name, time.Now().UTC().Format(time.DateOnly))
	}
	if *render {
		r, err := readReport(besides(*output, ".json"))
		if err != nil {
			return err
		}
		return writePage(*output, r)
	}
	chosen, err := choose(contestantsOf(b.task), *only)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(*output), 0o755); err != nil {
		return err
	}
	return b.measureAll(ctx, *host, chosen, strings.Split(*data, ","), *rows, *rounds, *output)
}

func contestantNames(of []contestant) []string {
	names := make([]string, len(of))
	for i, c := range of {
		names[i] = c.name
	}
	return names
}

// choose gives the contestants with these names, in the order of the list; without names all.
func choose(contestants []contestant, only string) ([]contestant, error) {
	if only == "" {
		return contestants, nil
	}
	names, known := strings.Split(only, ","), contestantNames(contestants)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf(
				"no contestant %q; there are %s",
				name,
				strings.Join(known, ", "),
			)
		}
	}
	return slices.DeleteFunc(
		slices.Clone(contestants),
		func(c contestant) bool { return !slices.Contains(names, c.name) },
	), nil
}

// measureAll prepares everything, measures, and writes the page.
func (b *bench) measureAll(
	ctx context.Context,
	host string,
	chosen []contestant,
	names []string,
	rows, rounds int,
	page string,
) (err error) {
	if b.meter, err = newMeter(); err != nil {
		return err
	}
	var datasets []*dataset
	for _, name := range names {
		d, err := makeDataset(name, b.root, b.folder, rows)
		if err != nil {
			return err
		}
		datasets = append(datasets, d)
	}
	if b.node, err = connect(ctx, b.root, b.cluster, host); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.node.close()) }()
	b.meter.others = append(b.meter.others, b.node.agent.cmd.Process.Pid)
	for _, c := range chosen {
		if c.prepare == nil {
			continue
		}
		if err := c.prepare(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", c.title, err)
		}
	}
	if b.postgres != nil {
		defer func() { err = errors.Join(err, b.postgres.close()) }()
		b.meter.others = append(b.meter.others, b.postgres.cmd.Process.Pid)
	}
	r := &report{Task: b.task, Rounds: rounds, Begun: time.Now().UTC(), Machine: b.machine(ctx)}
	for _, d := range datasets {
		r.Datasets = append(
			r.Datasets,
			datasetReport{Name: d.name, What: d.what, Rows: d.rows, Bytes: size(d.file)},
		)
		for _, db := range b.databases(chosen) {
			if err := db.create(ctx, d); err != nil {
				return err
			}
		}
	}
	for _, c := range chosen {
		r.Contestants = append(r.Contestants, b.describe(&c, datasets))
	}
	// Figures are kept after each load, so that none is lost when a later one goes wrong.
	if err := b.rounds(ctx, chosen, datasets, rounds, func(m measured) error {
		r.Loads = append(r.Loads, m)
		r.Ended, r.LoadAverage = time.Now().UTC(), loadAverage()
		return r.write(besides(page, ".json"))
	}); err != nil {
		return err
	}
	return writePage(page, r)
}

func (b *bench) databases(chosen []contestant) []database {
	dbs := []database{b.node}
	if slices.ContainsFunc(chosen, func(c contestant) bool { return c.way == byPostgres }) {
		dbs = append(dbs, b.postgres)
	}
	return dbs
}

// rounds warms the node up and measures.
func (b *bench) rounds(
	ctx context.Context,
	chosen []contestant,
	datasets []*dataset,
	rounds int,
	keep func(measured) error,
) error {
	if b.task == unloading {
		for _, d := range datasets {
			if err := b.fill(ctx, d); err != nil {
				return err
			}
		}
	}
	for _, c := range contestantsOf(b.task) {
		if !strings.HasPrefix(c.name, "cqlbulk-") {
			continue
		}
		for _, d := range datasets {
			m, err := b.measure(ctx, &c, d)
			if err != nil {
				return err
			}
			fmt.Fprintf(b.messages, "warm-up  %s\n", m.line())
		}
	}
	for round := range rounds {
		for _, d := range datasets {
			for i := range chosen {
				m, err := b.measure(ctx, &chosen[(i+round)%len(chosen)], d)
				if err != nil {
					return err
				}
				m.Round = round + 1
				fmt.Fprintf(b.messages, "round %d  %s\n", m.Round, m.line())
				if err := keep(m); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// measure measures one load into an empty table, or one unload of a full one. An error is one of
// the bench. If a contestant failed, or if its rows are not all there, the result has the reason.
func (b *bench) measure(ctx context.Context, c *contestant, d *dataset) (m measured, err error) {
	m = measured{Contestant: c.name, Dataset: d.name}
	db := c.database(b)
	scratch, err := os.MkdirTemp(b.folder, c.name+"-")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if b.task == unloading {
		err = os.Mkdir(filepath.Join(scratch, unloaded), 0o755)
	} else {
		err = db.empty(ctx, d)
	}
	if err != nil {
		return m, err
	}
	if c.unlimited {
		if err := b.node.agent.limitStreaming(0); err != nil {
			return m, err
		}
		defer func() { err = errors.Join(err, b.node.agent.limitStreaming(defaultStreaming)) }()
	}
	limited, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	before, err := db.cpu()
	if err != nil {
		return m, err
	}
	var used usage
	var said strings.Builder
	for _, args := range c.steps(b, d, scratch) {
		u, err := b.meter.run(limited, scratch, c.env, args, &said)
		used.add(u)
		if err != nil {
			m.Failed = fmt.Sprintf("%s: %v: %s", filepath.Base(args[0]), err, gist(said.String()))
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return m, err
	}
	during, err := db.cpu()
	if err != nil {
		return m, err
	}
	after := during
	if b.task == loading { // an unload leaves nothing to be done
		settling, cancel := context.WithTimeout(ctx, loadTimeout)
		defer cancel()
		if err := db.flush(settling, d); err != nil {
			return m, err
		}
		if after, err = db.cpu(); err != nil {
			return m, err
		}
	}
	m.Wall, m.ClientCPU, m.PeakMemory = used.wall.Seconds(), used.cpu.Seconds(), used.peak
	m.ServerCPU, m.ServerDuring = (after - before).Seconds(), (during - before).Seconds()
	if b.task == unloading {
		m.Rows, m.Bytes, err = countLines(filepath.Join(scratch, unloaded))
	} else {
		m.Rows, err = db.count(ctx, d)
	}
	if err != nil {
		return m, err
	}
	var leftover []string
	if c.leftover != "" {
		leftover, _ = filepath.Glob(filepath.Join(scratch, c.leftover))
	}
	switch {
	case m.Rows == int64(d.rows) && len(leftover) == 0:
		// An error that harmed nothing is a remark, and the load counts: cqlsh has ended so.
		m.Remark, m.Failed = m.Failed, ""
	case m.Failed == "" && len(leftover) > 0:
		m.Failed = fmt.Sprintf("%d SSTables were not taken", len(leftover))
	case m.Failed == "":
		m.Failed = fmt.Sprintf("%d rows of %d are there: %s", m.Rows, d.rows, gist(said.String()))
	}
	return m, nil
}

// gist gives the beginning and the end of what a program said, on one line.
func gist(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) > 4 {
		lines = slices.Concat(lines[:2], []string{"..."}, lines[len(lines)-2:])
	}
	return strings.Join(lines, "; ")
}

func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0 // it was made a moment ago
	}
	return info.Size()
}

// besides gives the name of a file beside the page.
func besides(page, extension string) string {
	return strings.TrimSuffix(page, filepath.Ext(page)) + extension
}
