package operation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
)

// adviseLimit records the settings for another run of a load that a limit on errors stopped. They
// are the settings that read the rejected rows, and the one that lifts the limit. If nearly all
// rows were bad and most are read with the settings, the limit stays.
func (l *Load) adviseLimit(ctx context.Context, limit *ingest.LimitError) error {
	l.run.reread = beyondLimit(limit)
	if limit.Stage != ingest.Parse {
		return nil
	}
	settings, best, err := l.mendRejects(ctx)
	switch {
	case err != nil || len(settings) == 0:
		return err
	case limit.NearlyAll && best.Bad*2 < best.Rows:
		l.run.reread = settings
	default:
		maps.Copy(l.run.reread, settings)
	}
	return nil
}

// beyondLimit returns the setting without which a load that was stopped by a limit on errors stops
// again at once.
func beyondLimit(e *ingest.LimitError) map[string][]string {
	if e.NearlyAll {
		return map[string][]string{"keep-going": {"true"}}
	}
	return map[string][]string{fmt.Sprintf("max%serrors", e.Stage): {"-1"}}
}

// cutOtherwise returns settings of how records are cut by which the rejected rows are read, if no
// row was loaded. A resume and a retry cannot change them: the load has to be started again. nil:
// there are none.
func (l *Load) cutOtherwise(
	ctx context.Context,
	r *LoadReport,
	causes []reject.Cause,
) map[string][]string {
	if l.spec.RejectsOf != "" || l.piped || r.Written+r.Existing+r.InDoubt > 0 ||
		len(causes) == 0 {
		return nil
	}
	first := causes[0].First
	if first.Guess != "" || causes[0].Rows*2 <= r.Rejected() {
		return nil
	}
	cut := false
	for name := range first.Settings {
		cut = cut || !slices.Contains(recorded.TextSettings, name)
	}
	if !cut || !l.readsWith(ctx, first.File, first.Settings) {
		return nil
	}
	return first.Settings
}

// readsWith reports whether most of the first rows of an input are read with settings.
func (l *Load) readsWith(ctx context.Context, path string, more map[string][]string) bool {
	settings, err := l.spec.With(more)
	if err != nil {
		return false
	}
	format, err := settings.ChooseFormat(path)
	if err != nil {
		return false
	}
	job := l.job.Job
	if job.Reading, err = dialect.Reading(&settings, &format); err != nil {
		return false
	}
	job.Format, job.JSON, job.Header, job.Former, job.MaxRows, job.Explain = format, settings.Format == "json", settings.Header, nil, 0, nil
	s, err := l.tryFile(ctx, path, &job)
	return err == nil && s.Bad*2 < s.Rows
}
