package operation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/reject"
	"github.com/cqlbulk/cqlbulk/internal/resume"
)

// adviseLimit notes the settings that a load needs which was stopped by a limit on errors: those that read the rejected rows,
// and the one that lifts the limit, unless hardly a row is bad without it.
func (l *Load) adviseLimit(ctx context.Context, limit *ingest.LimitError) error {
	l.run.reread = beyondLimit(limit)
	if limit.Stage != ingest.Parse {
		return nil
	}
	settings, best, err := l.mendRejects(ctx)
	switch {
	case err != nil || len(settings) == 0:
		return err
	case limit.Hopeless && best.Bad*2 < best.Rows:
		l.run.reread = settings
	default:
		maps.Copy(l.run.reread, settings)
	}
	return nil
}

// beyondLimit returns the setting without which a load that was stopped by a limit on errors stops again at once.
func beyondLimit(e *ingest.LimitError) map[string][]string {
	if e.Hopeless {
		return map[string][]string{"keep-going": {"true"}}
	}
	return map[string][]string{fmt.Sprintf("max%serrors", e.Stage): {"-1"}}
}

// readsOtherwise reports whether settings change how the text of records is read. Others only lift a limit.
func readsOtherwise(settings map[string][]string) bool {
	return slices.ContainsFunc(rereadable, func(name string) bool { return len(settings[name]) > 0 })
}

// cutOtherwise returns settings of how records are cut by which the rejected rows are read, if no row was loaded. A resume and
// a retry cannot change them: the load has to begin anew. nil: there are none.
func (l *Load) cutOtherwise(ctx context.Context, r *LoadReport, causes []reject.Cause) map[string][]string {
	if l.outer != nil || l.spec.RejectsOf != "" || l.piped || r.Written+r.Existing+r.InDoubt > 0 || len(causes) == 0 {
		return nil
	}
	first := causes[0].First
	if first.Guess != "" || causes[0].Rows*2 <= r.Rejected() {
		return nil
	}
	cut := false
	for name := range first.Settings {
		cut = cut || !slices.Contains(rereadable, name)
	}
	if !cut || !l.readsWith(ctx, first.File, first.Settings) {
		return nil
	}
	return first.Settings
}

// readsWith reports whether most of the first rows of an input are read with settings.
func (l *Load) readsWith(ctx context.Context, path string, settings map[string][]string) bool {
	spec, err := l.spec.with(settings)
	if err != nil {
		return false
	}
	format, err := spec.chooseFormat(path)
	if err != nil {
		return false
	}
	job := l.job.Job
	if job.Reading, err = spec.reading(&format); err != nil {
		return false
	}
	job.Format, job.JSON, job.Header, job.Former, job.MaxRows, job.Explain = format, spec.Format == "json", spec.Header, nil, 0, nil
	s, err := l.tryFile(ctx, path, &job)
	return err == nil && s.Bad*2 < s.Rows
}

// with returns the spec with settings that count as given.
func (o LoadSpec) with(settings map[string][]string) (LoadSpec, error) {
	o.Given = maps.Clone(o.Given)
	for name, texts := range settings {
		if err := o.Settings().Set(name, texts...); err != nil {
			return o, err
		}
		o.Given[name] = true
	}
	return o, nil
}

// anew returns the command that loads all inputs anew, with settings besides those of the spec.
func (o LoadSpec) anew(dir, table string, settings map[string][]string) (Next, error) {
	spec, err := o.with(settings)
	if err != nil {
		return Next{}, err
	}
	s := spec.suggestion(table, spec.typed(""))
	return Next{Command: commandLoad, RunDir: dir, Anew: &s}, nil
}

// suggestion is the load of a spec's inputs with settings.
func (o *LoadSpec) suggestion(table string, settings setting.Values) Suggestion {
	inputs := o.Inputs
	switch {
	case len(inputs) <= mostInputs:
	case len(o.Named) > 0:
		inputs = o.Named
	default:
		inputs = []string{"INPUTS"}
	}
	return Suggestion{Args: append([]string{table}, inputs...), Settings: o.textsOf(settings)}
}

// Line is the load as one types it.
func (s *Suggestion) Line() string {
	line := strings.Join(s.Words(), " ")
	if slices.Contains(s.Args[1:], resume.Standard) {
		line = "... | " + line
	}
	return line
}

// beginsAnew returns the command that loads the inputs of a run anew, with settings that its end has; nil: it has none.
func (r *StatusReport) beginsAnew(m journal.Manifest, l *resume.Loaded) (*Next, error) {
	if l.End == nil || len(l.End.Anew) == 0 {
		return nil, nil
	}
	options, err := recordedIn(m)
	if err != nil {
		return nil, err
	}
	if err := options.addInputs(r.RunDir, m); err != nil {
		return nil, err
	}
	spec, _, err := options.reread(l.Readings, setting.Changes{})
	if err != nil {
		return nil, err
	}
	next, err := spec.anew(r.RunDir, r.Table, l.End.Anew)
	return &next, err
}
