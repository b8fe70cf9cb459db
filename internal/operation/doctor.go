package operation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/memory"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// Doctor looks whether a cluster, a table and inputs are fit for a load or a scan. It changes
// nothing: neither a row nor a file is written.
type Doctor struct {
	env  spec.Environment
	load *spec.Load // that is looked at; nil: it is a scan
	scan *spec.Scan // nil: it is a load, or neither
	// alone: no command is looked at but what any would meet.
	alone bool

	conn      *spec.Connection
	cfg       driver.Config  // of a cluster that is connected to
	name      spec.TableName // zero: none is named
	plan      plan.Options
	offline   bool // no cluster is asked
	streamed  bool // rows go through the storage ports
	past      bool // rows are streamed
	patience  time.Duration
	storage   int // storage port; 0: what the nodes tell
	internode *spec.TLS

	inputs  []source.Input
	missing error // why there are no inputs

	t        *table.Table               // nil: there is no connection
	answers  []doctor.Answer            // of its nodes
	tableErr error                      // why the table is not known
	settings func() []map[string]string // of the nodes, asked for once
	said     warnings

	probing sync.Once
	probed  probes // of the storage ports
}

// DoctorPatience is how long each check may take by default.
const DoctorPatience = 10 * time.Second

// NewDoctorSpec has the defaults of what a doctor looks at by itself: as a load would be.
func NewDoctorSpec() *spec.Load {
	settings := spec.NewLoad()
	settings.Writing = spec.NewWriting(spec.ViaCQL, spec.ViaStream)
	settings.Patience = DoctorPatience
	return settings
}

// PrepareDoctor checks what is to be looked at: a cluster, a table where one is named, and inputs
// where there are some.
func PrepareDoctor(env spec.Environment, settings spec.Load) (*Doctor, error) {
	return prepareLoadDoctor(env, settings, true)
}

// PrepareLoadCheck checks a load that is to be looked at.
func PrepareLoadCheck(env spec.Environment, settings spec.Load) (*Doctor, error) {
	if len(settings.Inputs) == 0 {
		return nil, errNoInput
	}
	return prepareLoadDoctor(env, settings, false)
}

func prepareLoadDoctor(env spec.Environment, settings spec.Load, alone bool) (*Doctor, error) {
	d := &Doctor{
		env:       env,
		load:      &settings,
		alone:     alone,
		conn:      &settings.Connection,
		name:      settings.TableName,
		offline:   settings.Offline(),
		streamed:  settings.Via == spec.ViaStream,
		past:      settings.Via != spec.ViaCQL,
		patience:  settings.Patience,
		storage:   settings.StoragePort,
		internode: &settings.Internode,
	}
	if err := settings.Check(false); err != nil {
		return nil, err
	}
	planning := settings.Planning()
	if err := d.prepare(&planning); err != nil {
		return nil, err
	}
	d.findInputs()
	return d, nil
}

// PrepareScanCheck checks a scan that is to be looked at.
func PrepareScanCheck(env spec.Environment, settings spec.Scan) (*Doctor, error) {
	d := &Doctor{
		env:       env,
		scan:      &settings,
		conn:      &settings.Connection,
		name:      settings.TableName,
		offline:   settings.FromFiles(),
		streamed:  settings.Via == spec.ViaStream,
		past:      settings.Via != spec.ViaCQL,
		patience:  settings.Patience,
		storage:   settings.StoragePort,
		internode: &settings.Internode,
	}
	looked := settings // what is found in it is found again by the scan
	if _, err := looked.Check(false); err != nil {
		return nil, err
	}
	return d, d.prepare(&settings.Planning)
}

func (d *Doctor) prepare(planning *spec.Planning) (err error) {
	if d.plan, err = planning.Options(d.name); err != nil || d.offline {
		return err
	}
	d.cfg, err = d.conn.Config(d.env)
	d.cfg.Warnf = d.said.add
	// A node that hangs is to be given up before a check that asks others as well is.
	d.cfg.Timeout, d.cfg.AskTimeout = min(d.cfg.Timeout, d.patience/3), min(mostAsk, d.patience/5)
	return err
}

// mostAsk is how long nodes are waited for in a question that is put to several.
const mostAsk = 5 * time.Second

// Table is the table's name as it was given; empty: none was.
func (d *Doctor) Table() string {
	if d.name == (spec.TableName{}) {
		return ""
	}
	return d.name.Keyspace + "." + d.name.Table
}

// DoctorReport is what was found.
type DoctorReport struct {
	Table    string // empty: none was named
	Outcome  run.Outcome
	Started  time.Time
	Duration time.Duration
	Findings []doctor.Finding
}

// Count is how many findings are of a state.
func (r *DoctorReport) Count(state doctor.State) (n int) {
	for _, f := range r.Findings {
		if f.State == state {
			n++
		}
	}
	return n
}

// Run looks, and calls tell with each finding as soon as it is known, in their order. Failures are
// no error; that is that the context ended.
func (d *Doctor) Run(ctx context.Context, tell func(doctor.Finding)) (DoctorReport, error) {
	r := DoctorReport{Table: d.Table(), Started: time.Now()}
	defer d.close()
	defer memory.CollectMeanwhile(math.MaxInt64)() // its rings take several times as much as a run
	found := func(f doctor.Finding) {
		r.Findings = append(r.Findings, f)
		tell(f)
	}
	err := d.stages(ctx, &r, found)
	r.Duration = time.Since(r.Started)
	r.Outcome = run.OutcomeOf(ctx, err, r.Count(doctor.Failure) > 0)
	return r, err
}

// stages are what is looked at one after the other: the connection, all that hangs on it, and the
// command itself.
func (d *Doctor) stages(ctx context.Context, r *DoctorReport, found func(doctor.Finding)) error {
	if !d.offline {
		if err := doctor.Run(
			ctx,
			d.patience,
			[]doctor.Check{{Name: "connection", Look: d.connect}},
			found,
		); err != nil {
			return err
		}
	}
	if d.name != (spec.TableName{}) && (d.offline && d.load != nil || d.t != nil) {
		// What a table hangs on is known before anything is looked at side by side.
		limited, cancel := context.WithTimeout(ctx, d.patience)
		if d.tableErr = d.describe(limited); d.tableErr != nil && limited.Err() != nil {
			d.tableErr = fmt.Errorf("no answer within %s", d.patience)
		}
		cancel()
		if err := ctx.Err(); err != nil {
			return fault.New(fault.Canceled, err)
		}
	}
	if err := doctor.Run(ctx, d.patience, d.checks(), found); err != nil {
		return err
	}
	d.said.tell(d.env.Logf) // checks have told of it in their own words
	if d.alone || r.Count(doctor.Failure) > 0 {
		return nil
	}
	return doctor.Run(ctx, d.patience, []doctor.Check{d.command()}, found)
}

// checks are what is looked at side by side.
func (d *Doctor) checks() []doctor.Check {
	checks := d.clusterChecks()
	if d.name != (spec.TableName{}) {
		checks = append(checks, d.tableChecks()...)
	}
	if len(d.inputs) > 0 || d.missing != nil {
		checks = append(checks, doctor.Check{Name: "inputs", Look: d.lookAtInputs})
	}
	return checks
}

// describe finds out what the table is.
func (d *Doctor) describe(ctx context.Context) error {
	if d.offline {
		t, err := table.OpenOffline(spec.Environment{Warn: d.said.add}, d.load, d.plan)
		d.t = t
		return err
	}
	err := d.t.Describe(ctx, d.name, d.plan, false)
	d.markSilent()
	return err
}

// markSilent has nodes that did not answer be taken for down, whatever the driver has of them: they
// are not asked again.
func (d *Doctor) markSilent() {
	for i := range d.t.Cluster.Nodes {
		n := &d.t.Cluster.Nodes[i]
		n.Up = n.Up &&
			!slices.ContainsFunc(
				d.answers,
				func(a doctor.Answer) bool { return a.ID == n.ID && a.Err != nil },
			)
	}
}

// command is the last check: all that the command itself does before it begins.
func (d *Doctor) command() doctor.Check {
	env := d.env
	env.Warn = d.said.add
	prepare, name := func(ctx context.Context) error {
		load, err := PrepareLoad(ctx, env, *d.load)
		if err == nil {
			load.Close()
		}
		return err
	}, run.CommandLoad
	if d.scan != nil {
		prepare, name = func(ctx context.Context) error { return checkScan(ctx, env, *d.scan) }, run.CommandScan
	}
	return doctor.Check{Name: name, Look: func(ctx context.Context) []doctor.Finding {
		if err := prepare(ctx); err != nil {
			return []doctor.Finding{doctor.Fail("", "%v", oneLine(err))}
		}
		var out []doctor.Finding
		for _, text := range d.said.take() {
			out = append(out, doctor.Fine("it will say: %s", text))
		}
		return append(out, doctor.Fine("it can begin"))
	}}
}

func (d *Doctor) close() {
	if d.t != nil {
		d.t.Close()
	}
}

// connect opens a session, and asks the nodes whether they are there.
func (d *Doctor) connect(ctx context.Context) []doctor.Finding {
	session, err := driver.Connect(ctx, d.cfg)
	if err != nil {
		return unreachable(ctx, err, d.patience)
	}
	t := &table.Table{Session: session, Consistency: d.cfg.Consistency}
	err = table.AskAll(ctx, func() (err error) {
		t.Cluster, err = session.Topology(ctx)
		return err
	})
	if err != nil {
		session.Close()
		return unreachable(ctx, err, d.patience)
	}
	d.t = t
	took, errs := session.PingAll(ctx, t.Cluster.Nodes)
	for i, n := range t.Cluster.Nodes {
		d.answers = append(d.answers, doctor.Answer{Node: n, Took: took[i], Err: errs[i]})
	}
	d.markSilent()
	d.settings = sync.OnceValue(func() []map[string]string {
		settings, _ := session.SettingsOf(context.WithoutCancel(ctx), t.Cluster.Nodes)
		return settings
	})
	var out []doctor.Finding
	for _, text := range d.said.take() {
		out = append(out, doctor.Warn("", "%s", text))
	}
	return append([]doctor.Finding{doctor.Connection(d.answers, d.cfg.DC)}, out...)
}

// unreachable is what is found when there is no session: a line for each contact point.
func unreachable(ctx context.Context, err error, limit time.Duration) []doctor.Finding {
	if ctx.Err() != nil {
		err = fmt.Errorf("no session within %s", limit)
	}
	var out []doctor.Finding
	for line := range strings.Lines(err.Error()) {
		out = append(out, doctor.Fail("", "%s", strings.TrimSpace(line)))
	}
	return out
}

// oneLine is an error's text on one line.
func oneLine(err error) string {
	return strings.Join(strings.Split(strings.TrimSpace(err.Error()), "\n"), "; ")
}

// checkScan is all that a scan does before it begins, but that it makes its output.
func checkScan(ctx context.Context, env spec.Environment, settings spec.Scan) error {
	s := &Scan{env: env, spec: settings, earlier: &records.Scanned{}}
	defer s.Close()
	if err := s.plan(ctx); err != nil {
		return err
	}
	return sink.Check(s.spec.SinkOptions(env.Stdout, s.header))
}

// warnings keep what would have been told to the user, each once. They are safe for concurrent use.
type warnings struct {
	mu   sync.Mutex
	new  []string
	seen map[string]bool
}

func (w *warnings) add(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if w.seen == nil {
		w.seen = make(map[string]bool)
	}
	if !w.seen[text] {
		w.seen[text] = true
		w.new = append(w.new, text)
	}
}

// take gives those that are new.
func (w *warnings) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	texts := w.new
	w.new = nil
	return texts
}

// tell tells those that are new.
func (w *warnings) tell(to func(format string, args ...any)) {
	for _, text := range w.take() {
		to("%s", text)
	}
}
