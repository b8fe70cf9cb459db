package misread

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// AfterLimit returns the settings for another run of a load that a limit on errors stopped. They
// are the settings that read the rejected rows, and the one that lifts the limit. If nearly all
// rows were bad and most are read with the settings, the limit stays. With an error, the settings
// are those that lift the limit.
func (c *Check) AfterLimit(
	ctx context.Context,
	limit *ingest.LimitError,
) (map[string][]string, error) {
	lift := withoutLimit(limit)
	if limit.Stage != ingest.Parse {
		return lift, nil
	}
	settings, best, err := c.mendRejects(ctx)
	switch {
	case err != nil || len(settings) == 0:
		return lift, err
	case limit.NearlyAll && best.Bad*2 < best.Rows:
		return settings, nil
	default:
		maps.Copy(lift, settings)
		return lift, nil
	}
}

// withoutLimit returns the setting without which a load that was stopped by a limit on errors stops
// again at once.
func withoutLimit(e *ingest.LimitError) map[string][]string {
	if e.NearlyAll {
		return map[string][]string{"keep-going": {"true"}}
	}
	return map[string][]string{fmt.Sprintf("max%serrors", e.Stage): {"-1"}}
}

// CutOtherwise returns settings of how records are cut by which the rejected rows are read. A
// resume and a retry cannot change them: the load has to be started again. So they are for a load
// that has loaded no row. rejected is the number of rejected rows. nil: there are no such settings.
func (c *Check) CutOtherwise(ctx context.Context, rejected int64) map[string][]string {
	causes := c.rejects.Causes()
	if len(causes) == 0 {
		return nil
	}
	first := causes[0].First
	cut := false
	for name := range first.Settings {
		cut = cut || !slices.Contains(recorded.TextSettings, name)
	}
	if cut && first.Guess == "" && causes[0].Rows*2 > rejected &&
		c.readsWith(ctx, first.File, first.Settings) {
		return first.Settings
	}
	// With --header=false, a header may have been read as a row, and the columns in another order.
	// If most rows are read without a header, a header would take the first of them away.
	header := map[string][]string{"header": {"true"}}
	if c.spec.Header || c.readsWith(ctx, first.File, nil) ||
		!c.readsWith(ctx, first.File, header) {
		return nil
	}
	return header
}

// readsWith reports whether most of the first rows of an input are read with settings.
func (c *Check) readsWith(ctx context.Context, path string, more map[string][]string) bool {
	settings, err := c.spec.With(more)
	if err != nil {
		return false
	}
	text, err := settings.ChooseFormat(path)
	if err != nil {
		return false
	}
	job := *c.job
	if job.Reading, err = c.reading(&settings, &text); err != nil {
		return false
	}
	job.Format, job.Header = format.Of(settings.Format, text), settings.Header
	job.SkipLines = settings.Dialect.SkipLines
	job.Former, job.MaxRows, job.Explain = nil, 0, nil
	s, err := c.tryFile(ctx, path, &job)
	return err == nil && s.Bad*2 < s.Rows
}

// reading returns how the load would read its inputs with settings. A load that deletes passes over
// the same columns then.
func (c *Check) reading(o *spec.Load, text *format.TextFormat) (ingest.Reading, error) {
	r, err := dialect.Reading(o, text)
	r.Fields.Unread = c.job.Fields.Unread
	return r, err
}
