package operation

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// findInputs finds the inputs that the user named. It waits for lists of them until ctx ends.
func (d *Doctor) findInputs(ctx context.Context) {
	if len(d.load.Inputs) == 0 {
		return
	}
	var words source.Words
	if words, d.missing = readWords(ctx, d.env, d.load.Inputs); d.missing == nil {
		d.inputs, _, d.missing = finder(d.env).Find(words)
	}
	if d.missing == nil && len(d.inputs) == 0 {
		d.missing = errNoFile
	}
}

// lookAtInputs reads the first rows of each input. If the table is known, it reads them as the load
// does.
func (d *Doctor) lookAtInputs(ctx context.Context) []doctor.Finding {
	if d.missing != nil {
		return doctor.Failures(d.missing)
	}
	settings := *d.load // ChooseFormat sets the format in the copy
	text, err := settings.ChooseFormat(d.inputs[0].Name)
	var reading ingest.Reading
	if err == nil {
		reading, err = dialect.Reading(&settings, &text)
	}
	if err != nil {
		return []doctor.Finding{doctor.FailOf(err)}
	}
	look := sample.Look{Load: &settings, Inputs: d.inputs, Latin1: reading.Latin1}
	if d.t != nil && d.t.Plan != nil {
		l := &Load{
			env:      spec.Environment{Warn: d.said.Add},
			spec:     settings,
			t:        d.t,
			counters: new(progress.Counters),
		}
		if look.Unfit = l.makeJob(ctx, text, reading, d.inputs); look.Unfit == nil {
			look.Job = &l.job.Job
		}
	}
	return look.Findings(ctx)
}
