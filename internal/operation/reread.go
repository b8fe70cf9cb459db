package operation

import (
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// formerReadings returns how earlier runs of a load read its text. Records are cut by the format.
func formerReadings(specs []spec.Load, format dsv.Format) ([]ingest.Reading, error) {
	var former []ingest.Reading
	for i := range specs {
		same := format
		r, err := dialect.Reading(&specs[i], &same)
		if err == nil && same != format {
			err = errors.New("records would be cut otherwise")
		}
		if err != nil {
			return nil, fmt.Errorf("how text was read before: %w", err)
		}
		former = append(former, r)
	}
	return former, nil
}

// refuseReread refuses another reading of text where nothing is read of text.
func refuseReread(typed setting.Given) error {
	for _, name := range recorded.TextSettings {
		if typed[name] {
			return &spec.UsageError{
				Err: fmt.Errorf(
					"--%s: the run is a scan: its output goes on in the form that it was begun in",
					name,
				),
			}
		}
	}
	return nil
}

// Rereading is what a change in how text is read means for the rows of a run.
type Rereading struct {
	Settings []recorded.Change
	Loaded   int64 // rows that are in, and stay as they were read
	Rejected int64 // rows that were rejected before
	Retried  bool  // those are what is read now; else the rest of the inputs is
}

// Rereading says what this run changes in how text is read; nil: nothing.
func (l *Load) Rereading() *Rereading {
	if len(l.reread.Now) == 0 {
		return nil
	}
	r := &Rereading{Settings: l.reread.Now, Retried: l.retried != nil && !l.run.continued}
	count := func(t ingest.Tally) { r.Loaded, r.Rejected = t.Written+t.Existing, t.Rejected() }
	switch {
	case r.Retried:
		count(l.retried.Loaded().Known())
		r.Rejected = l.retried.Rows
	case l.journal != nil:
		count(l.journal.Loaded().Known())
	}
	return r
}
