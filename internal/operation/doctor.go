package operation

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/probe"
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

// Doctor checks whether a cluster, a table and inputs are ready for a load or a scan. It writes
// neither rows nor files.
type Doctor struct {
	env  spec.Environment
	load *spec.Load // the load that is checked; nil: a scan is
	scan *spec.Scan // the scan that is checked; nil: a load is
	// alone is set if the user named no command. Then only what any command would meet is checked.
	alone bool

	name     spec.TableName // zero: none is named
	plan     plan.Options
	offline  bool // no cluster is asked
	patience time.Duration
	command  probe.Command // for which the cluster is probed

	inputs  []source.Input
	missing error // why there are no inputs

	cluster  *probe.Cluster // nil: there is no connection
	t        *table.Table   // of the cluster, or of files if offline; nil: it is not known
	tableErr error          // why the table is not known
	said     doctor.Warnings
}

// PrepareDoctor checks the settings of a doctor run over a cluster, a table if one is named, and
// inputs if there are any.
func PrepareDoctor(
	ctx context.Context,
	env spec.Environment,
	settings spec.Load,
) (*Doctor, error) {
	return prepareLoadDoctor(ctx, env, settings, true)
}

// PrepareLoadCheck checks the settings of a doctor run that checks a load.
func PrepareLoadCheck(
	ctx context.Context,
	env spec.Environment,
	settings spec.Load,
) (*Doctor, error) {
	if len(settings.Inputs) == 0 {
		return nil, errNoInput
	}
	return prepareLoadDoctor(ctx, env, settings, false)
}

func prepareLoadDoctor(
	ctx context.Context,
	env spec.Environment,
	settings spec.Load,
	alone bool,
) (*Doctor, error) {
	d := &Doctor{
		env:      env,
		load:     &settings,
		alone:    alone,
		name:     settings.TableName,
		offline:  settings.Offline(),
		patience: settings.Patience,
	}
	if err := settings.Check(false); err != nil {
		return nil, err
	}
	planning := settings.Planning()
	if err := d.prepare(&settings.Connection, &planning); err != nil {
		return nil, err
	}
	d.findInputs(ctx)
	if err := ctx.Err(); err != nil {
		return nil, fault.New(fault.Canceled, err)
	}
	d.command.Unknown = alone && len(d.inputs) == 0
	return d, nil
}

// PrepareScanCheck checks the settings of a doctor run that checks a scan.
func PrepareScanCheck(env spec.Environment, settings spec.Scan) (*Doctor, error) {
	d := &Doctor{
		env:      env,
		scan:     &settings,
		name:     settings.TableName,
		offline:  settings.FromFiles(),
		patience: settings.Patience,
	}
	looked := settings // what is found in it is found again by the scan
	if _, err := looked.Check(false); err != nil {
		return nil, err
	}
	return d, d.prepare(&settings.Connection, &settings.Planning)
}

func (d *Doctor) prepare(connection *spec.Connection, planning *spec.Planning) (err error) {
	d.command = probe.Command{
		Env:        d.env,
		Connection: connection,
		Load:       d.load,
		Scan:       d.scan,
		Patience:   d.patience,
	}
	if d.plan, err = planning.Options(d.name); err != nil || d.offline {
		return err
	}
	cfg := &d.command.Config
	*cfg, err = connection.Config(d.env)
	cfg.Warnf = d.said.Add
	// A node that hangs must be given up before a check that also asks other nodes ends.
	cfg.Timeout, cfg.AskTimeout = min(cfg.Timeout, d.patience/3), min(mostAsk, d.patience/5)
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

// Run checks, and calls its argument with each finding as soon as it is known, in order. A failed
// check is no error; the end of the context is.
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

// stages runs the checks in stages: the connection, then all checks that depend on it, then the
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
		// The checks that run side by side depend on the description of the table.
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
	for _, text := range d.said.Take() { // checks have reported it in their own words
		d.env.Logf("%s", text)
	}
	if d.alone || r.Count(doctor.Failure) > 0 {
		return nil
	}
	return doctor.Run(ctx, d.patience, []doctor.Check{d.lastCheck()}, found)
}

// checks returns the checks that run side by side.
func (d *Doctor) checks() []doctor.Check {
	var checks []doctor.Check
	if !d.offline {
		checks = d.command.Checks(d.cluster, d.plan, d.inputBytes())
	}
	switch {
	case d.name == (spec.TableName{}):
	case d.t != nil && d.t.Plan != nil:
		checks = append(checks, d.command.TableChecks(d.cluster, d.t)...)
	case d.tableErr != nil: // else there is no connection
		checks = append(checks, doctor.One("table", func(context.Context) doctor.Finding {
			return doctor.FailOf(d.tableErr)
		}))
	}
	if len(d.inputs) > 0 || d.missing != nil {
		checks = append(checks, doctor.Check{Name: "inputs", Look: d.lookAtInputs})
	}
	return checks
}

// inputBytes returns the size of all inputs; 0: it is not known.
func (d *Doctor) inputBytes() (bytes int64) {
	for _, in := range d.inputs {
		bytes += max(in.Size, 0)
	}
	return bytes
}

// describe finds out what the table is.
func (d *Doctor) describe(ctx context.Context) error {
	if d.offline {
		t, err := table.OpenOffline(spec.Environment{Warn: d.said.Add}, d.load, d.plan)
		d.t = t
		return err
	}
	return d.cluster.Describe(ctx, d.name, d.plan)
}

// lastCheck is the last check: all that the command itself does before it begins.
func (d *Doctor) lastCheck() doctor.Check {
	env := d.env
	env.Warn = d.said.Add
	name := run.CommandLoad
	if d.scan != nil {
		name = run.CommandScan
	}
	return doctor.Check{Name: name, Look: func(ctx context.Context) []doctor.Finding {
		if err := d.rehearse(ctx, env); err != nil {
			return []doctor.Finding{doctor.FailOf(err)}
		}
		var out []doctor.Finding
		for _, text := range d.said.Take() {
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

// connect opens a session, and pings the nodes.
func (d *Doctor) connect(ctx context.Context) []doctor.Finding {
	c, err := probe.Connect(ctx, &d.command)
	if err != nil {
		return doctor.Failures(err)
	}
	d.cluster, d.t = c, c.Table
	out := []doctor.Finding{doctor.Connection(c.Answers, d.command.Config.DC)}
	for _, text := range d.said.Take() {
		out = append(out, doctor.Warn("", "%s", text))
	}
	return out
}

// rehearse does all that the command does before it begins.
func (d *Doctor) rehearse(ctx context.Context, env spec.Environment) error {
	if d.scan != nil {
		return checkScan(ctx, env, *d.scan)
	}
	load, err := PrepareLoad(ctx, env, *d.load)
	if err == nil {
		load.Close()
	}
	return err
}

// checkScan is all that a scan does before it begins, but that it makes its output.
func checkScan(ctx context.Context, env spec.Environment, settings spec.Scan) error {
	s := &Scan{env: env, spec: settings, earlier: &records.Scanned{}}
	defer s.Close()
	if err := s.plan(ctx); err != nil {
		return err
	}
	options, err := s.sinkOptions()
	if err != nil {
		return err
	}
	return sink.Check(options)
}
