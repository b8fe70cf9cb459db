package operation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor/misread"
	"github.com/cqlbulk/cqlbulk/internal/doctor/probe"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/load/fromspec"
	"github.com/cqlbulk/cqlbulk/internal/memory"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/run/retry"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/mutation"
)

// Load is a load that is ready to run.
type Load struct {
	env         spec.Environment
	spec        spec.Load
	t           *table.Table
	counters    *progress.Counters
	of          fromspec.Load // that the job is made of
	job         *load.Job
	delivery    *delivery.Delivery // nil: rows go by CQL
	check       *misread.Check     // of how the inputs are read
	board       *board.Board       // nil: the run is not shown
	words       []string           // that the inputs were found by; none is a list
	explained   *Explained         // nil: the load does not explain
	countsTwice bool               // rows that are written twice count twice

	run     runDirectory
	journal *records.Load     // nil: none is kept, or a new load has not begun
	rejects *reject.Dir       // nil until the load begins
	retried *retry.Rejects    // the inputs are rejects; nil: they are no rejects
	reread  recorded.Readings // how text was read before; of a resumed load, or of rejects
	dropped records.Drops     // of the table before the load; nil: not known
	// of the table before this run, which may resume a load; nil: not known
	truncated records.Truncations

	// Of a new load that keeps a journal:
	inputs *records.Inputs // as they are now; nil once the load has begun
	piped  bool            // one of the inputs is the standard input

	// Of a resumed load: inputs that were changed before any of their rows was loaded.
	replacedInputs []string
}

// earlierRuns is what a load has of earlier runs.
type earlierRuns struct {
	readings recorded.Readings // how they read the text
	resumed  *records.Load     // the run that the load resumes; nil: it is new
	// the run whose rejects the inputs are; nil: they are no rejects, or a resumed load of them
	rejected *records.Load
}

var (
	errNoInput = errors.New(
		`no input given: name files after the table, or "-" for the standard input`,
	)
	errNoFile = errors.New("no input given: there is no file to load in what was named")
)

// PrepareLoad checks, finds the inputs, and connects.
func PrepareLoad(ctx context.Context, env spec.Environment, settings spec.Load) (*Load, error) {
	return prepareLoad(ctx, env, settings, earlierRuns{})
}

// prepareLoad prepares a load. It then owns the journals of earlier runs. On an error the caller
// still owns that of the rejects.
func prepareLoad(
	ctx context.Context,
	env spec.Environment,
	settings spec.Load,
	earlier earlierRuns,
) (*Load, error) {
	l := &Load{
		env:      env,
		spec:     settings,
		counters: &progress.Counters{},
		reread:   earlier.readings,
	}
	if earlier.resumed != nil {
		l.run, l.journal = continuedIn(settings.RunDir, earlier.resumed), earlier.resumed
	}
	err := l.prepare(ctx, earlier.rejected)
	if err == nil {
		err = l.awaitReplicas(ctx)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// foundInputs are the inputs of a load, and how they are read.
type foundInputs struct {
	list    []source.Input
	notes   []string // what was skipped in folders
	text    format.TextFormat
	reading ingest.Reading
}

// prepare finds the inputs, opens the table, and makes the job. If the inputs are rejects, rejected
// is the run that they are of; nil: it is opened here.
func (l *Load) prepare(ctx context.Context, rejected *records.Load) error {
	in, err := l.findInputs(ctx)
	if err != nil {
		return err
	}
	if l.spec.RejectsOf != "" {
		of := retry.Load{Spec: &l.spec, Format: in.text, Inputs: in.list, Resumed: l.journal}
		if l.retried, err = retry.Open(of, rejected, l.env.Warn); err != nil {
			return err
		}
	}
	for _, note := range in.notes {
		l.env.Warn("%s", note)
	}
	if mistake, _ := l.spec.WriteTimeMistake(); mistake != "" && !l.run.continued {
		l.env.Warn("--timestamp %s: %s", l.spec.Timestamp, mistake)
	}
	if err := l.connect(ctx); err != nil {
		return err
	}
	l.t.WarnOfLearned(l.env)
	if err := l.refuseView(ctx); err != nil {
		return err
	}
	memory.Limit(l.spec.Memory)
	if err := l.makeJob(ctx, in.text, in.reading, in.list); err != nil {
		return err
	}
	l.check = misread.New(&l.spec, &l.job.Job, l.reread.Now, l.env.Warn)
	if l.spec.Via == spec.ViaCQL {
		l.countsTwice = l.of.ByCQL(l.job)
	} else if err := l.prepareStream(ctx); err != nil {
		return err
	}
	if l.dropped, err = l.t.Drops(ctx); err != nil {
		return l.run.refuseIfBegun(err)
	}
	if l.of.Statement == nil {
		l.job.Dropped = l.t.HiddenUntil(l.dropped)
	}
	if err := l.refuseRejects(ctx); err != nil {
		return err
	}
	if !l.spec.DryRun {
		l.truncated = l.t.Truncations(ctx)
	}
	if l.run.continued {
		return l.prepareResumed(ctx)
	}
	l.warnOfRetimed()
	if err := l.check.Inputs(ctx, in.list); err != nil {
		return err
	}
	return l.recordInputs(ctx, in.list)
}

// findInputs finds the inputs, and how they are read.
func (l *Load) findInputs(ctx context.Context) (in foundInputs, err error) {
	if len(l.spec.Inputs) == 0 {
		return in, errNoInput
	}
	if err := l.spec.Check(l.run.continued); err != nil {
		return in, err
	}
	words := source.WordsOf(l.spec.Inputs)
	if !l.run.continued && l.spec.RejectsOf == "" { // else they are paths, and no lists
		if words, err = readWords(ctx, l.env, l.spec.Inputs); err != nil {
			return in, err
		}
	}
	if in.list, in.notes, err = finder(l.env).Find(words); err != nil {
		return in, l.run.refuseIfBegun(err) // they were there
	}
	l.words = words.Texts()
	if len(in.list) == 0 {
		return in, errNoFile
	}
	memory.CollectOften(len(in.list))
	if !l.run.continued {
		if err := source.Check(in.list); err != nil {
			return in, advice.WithCommands(&l.spec, err)
		}
	}
	if in.text, err = l.spec.ChooseFormat(in.list[0].Name); err != nil {
		return in, err
	}
	in.reading, err = dialect.Reading(&l.spec, &in.text)
	return in, err
}

// finder returns what finds the inputs of a run.
func finder(env spec.Environment) source.Finder {
	return source.Finder{Stores: env.Stores, Stdin: env.Stdin}
}

// readWords returns the words that inputs were given by, with those of lists in place of the lists.
func readWords(
	ctx context.Context,
	env spec.Environment,
	inputs []string,
) (source.Words, error) {
	words, err := finder(env).ReadLists(ctx, inputs)
	if err != nil {
		return nil, err
	}
	for _, word := range words {
		if spec.IsURL(word.Text) && !stores.Remote(word.Text) {
			return nil, word.Fail(fmt.Errorf(
				"%s: only local files, s3://, http:// and https:// can be read: pipe it, and name - as the input",
				word.Text,
			))
		}
	}
	return words, nil
}

// prepareResumed refuses a load that cannot be resumed, and has the job begin where the earlier run
// ended.
func (l *Load) prepareResumed(ctx context.Context) error {
	if err := l.refuseReading(); err != nil {
		return err
	}
	if err := l.refuse(ctx); err != nil {
		return err
	}
	l.warnOfRetimed()
	l.job.Journal = l.journal
	l.job.CountEarlier() // before anything of the run is shown
	return nil
}

// makeJob makes the job. Its journal and the place for its rejects come when the load begins.
func (l *Load) makeJob(
	ctx context.Context,
	text format.TextFormat,
	reading ingest.Reading,
	inputs []source.Input,
) error {
	former, err := dialect.FormerReadings(l.reread.Former, text)
	if err != nil {
		return err
	}
	statement, err := l.statement(ctx)
	if err != nil {
		return err
	}
	l.of = fromspec.Load{
		Env:      l.env,
		Spec:     &l.spec,
		Table:    l.t,
		Counters: l.counters,
		Resumed:  l.run.continued,
		Former:   former,
		Rejects:  l.retried,
		Shown:    l.shown,

		Statement: statement,
	}
	l.job, err = l.of.Job(ctx, text, reading, inputs)
	return err
}

// statement prepares what is run for each row; nil: rows are inserted.
func (l *Load) statement(ctx context.Context) (*table.Statement, error) {
	parse, flag := l.spec.Statement, "--query"
	switch {
	case l.spec.Via != spec.ViaCQL:
		return nil, nil //nolint:nilnil // the keys of deleted rows are written as they are
	case l.spec.Deletes():
		parse, flag = l.deleteByKey, "--delete"
	}
	parsed, err := parse()
	if err != nil {
		return nil, err
	}
	if list := l.t.DeletesByIndex(parsed); list != "" && !l.run.continued {
		l.env.Warn(
			"column %s: elements are deleted by their index in the list as it is before: of several rows for one list, "+
				"most delete nothing, or another element; %s = %s - :x deletes by value",
			list, list, list,
		)
	}
	statement, err := l.t.Prepare(ctx, parsed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return statement, nil
}

// deleteByKey returns what deletes the rows of a key, or of the start of one.
func (l *Load) deleteByKey() (*mutation.Statement, error) {
	parsed, err := l.t.DeleteByKey(l.spec.DeleteBy)
	if err != nil {
		return nil, fmt.Errorf("--delete-by: %w", err)
	}
	return parsed, nil
}

// warnOfRetimed warns of the rows of rejects that get other timestamps than before.
func (l *Load) warnOfRetimed() {
	if l.retried == nil {
		return
	}
	for _, warning := range l.retried.Retimed {
		l.env.Warn("%s", warning)
	}
}

// connect opens the table, or reads what describes it.
func (l *Load) connect(ctx context.Context) error {
	if l.spec.Offline() {
		planning := l.spec.Planning()
		options, err := planning.Options(l.spec.TableName)
		if err == nil {
			l.t, err = table.OpenOffline(l.env, &l.spec, options)
		}
		return l.run.refuseIfBegun(err)
	}
	cfg, err := l.spec.Config(l.env)
	if err != nil {
		return err
	}
	// Writes that leave within a fraction of a millisecond share a packet.
	cfg.Coalesce = 200 * time.Microsecond
	cfg.Patience = l.spec.Patience
	planning := l.spec.Planning()
	options, err := planning.Options(l.spec.TableName)
	if err != nil {
		return err
	}
	if l.t, err = table.Open(
		ctx,
		cfg,
		l.spec.TableName,
		options,
		false,
	); err == nil &&
		l.spec.Via != spec.ViaCQL {
		err = l.t.AwaitKnown(ctx, "via "+l.spec.Via, l.spec.Patience)
	}
	if err != nil && l.retried != nil {
		return run.Refused(err)
	}
	return l.run.refuseIfBegun(err) // the table was there
}

// awaitReplicas waits until enough replicas are up for a load by CQL.
func (l *Load) awaitReplicas(ctx context.Context) error {
	if l.spec.Via != spec.ViaCQL || l.spec.DryRun || !l.t.Connected() {
		return nil
	}
	return probe.AwaitReplicas(ctx, l.env, l.t, &l.spec)
}

// refuseView refuses to load a materialized view: the servers refuse each of its rows.
func (l *Load) refuseView(ctx context.Context) (err error) {
	if !l.t.Connected() {
		return nil // refuseStream does it, by the schema
	}
	var base string
	err = table.AskAll(ctx, func() (err error) {
		base, err = l.t.Session.ViewOf(ctx, l.t.Schema.Keyspace, l.t.Schema.Name)
		return err
	})
	if err == nil && base != "" {
		err = fmt.Errorf("%s is a materialized view, which takes no rows: load its base table, %s",
			l.t.Schema, schema.New(l.t.Schema.Keyspace, base, nil))
	}
	return err
}

// Explain has the load call show while it runs, with the use of the fields of the first input. It
// calls show again for each input whose fields differ. Explain is for a dry run, and is called
// before Run.
func (l *Load) Explain(show func(ExplainedInput)) {
	l.explained = l.job.Explain(show)
	l.explained.Nulls, l.explained.KeysAlone = l.spec.Nulls, l.spec.Deletes()
	if l.delivery != nil {
		l.explained.Way = l.delivery.Describe()
	} else {
		l.explained.Way = l.job.Describe(l.conditional(), l.t.Consistency)
	}
}

// conditional reports whether rows are written on a condition.
func (l *Load) conditional() bool { return l.spec.IfNotExists || l.of.Statement.Conditional() }

// Table is the table's name, as CQL has it.
func (l *Load) Table() string { return l.t.Schema.String() }

// Counters are what the load has done so far.
func (l *Load) Counters() *progress.Counters { return l.job.Counters }

// Deletes says whether rows are deleted.
func (l *Load) Deletes() bool { return l.spec.Deletes() }

// DryRun says whether nothing will be written.
func (l *Load) DryRun() bool { return l.spec.DryRun }

// Linger returns how long an interrupted load keeps writing rows that it has read.
func (l *Load) Linger() time.Duration { return l.job.Linger }

// Close ends the connection and lets go of the run directories.
func (l *Load) Close() {
	if l.t != nil {
		l.t.Close()
	}
	l.run.abandon()
	l.retried.Close()
}
