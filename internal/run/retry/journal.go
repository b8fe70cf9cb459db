package retry

import (
	"path/filepath"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Journal returns the journal of this load, with one addition. Before the first piece begins, the
// first load records this load of its rejects. The run directory of this load is dir.
func (r *Rejects) Journal(own *records.Load, dir string) ingest.Journal {
	return recordingJournal{own, sync.OnceValue(func() error {
		r.Recorded = true
		by := r.retry(own, dir)
		for _, f := range r.files {
			if f.Doubt {
				continue
			}
			by.AsOfNow = f.tried == nil
			if err := r.first.RetryRows(f.name(), f.tried, by); err != nil {
				return err
			}
		}
		by.AsOfNow = false
		return r.first.Retry(r.names(), by)
	})}
}

// recordingJournal is a journal that records something elsewhere before its first piece begins.
type recordingJournal struct {
	ingest.Journal
	record func() error // which does it once
}

// Begin implements ingest.Journal.
func (j recordingJournal) Begin(pieces ...ingest.Piece) error {
	if err := j.record(); err != nil {
		return err
	}
	return j.Journal.Begin(pieces...)
}

// RecordDone records in the journal of the first load that this load has loaded all of its rejects.
// The run directory of this load is dir.
func (r *Rejects) RecordDone(own *records.Load, dir string) error {
	by := r.retry(own, dir)
	by.Done = true // the rows are in the record of the beginning
	return r.first.Retry(r.names(), by)
}

// retry returns what the first load records of this load.
func (r *Rejects) retry(own *records.Load, dir string) records.Retry {
	return records.Retry{
		Run:     own.Manifest().Run,
		Dir:     filepath.Base(dir),
		Reading: r.reading,
	}
}

// names returns the names of the files.
func (r *Rejects) names() []string {
	names := make([]string, 0, len(r.files))
	for _, f := range r.files {
		names = append(names, f.name())
	}
	return names
}

// findReading returns how this load reads the rejects otherwise than the first load did at its end.
// If this run resumes a load of the rejects, what it changed is only a part of that.
func (r *Rejects) findReading() (records.Changed, error) {
	options, err := recorded.Read(r.first.Manifest())
	if err != nil {
		return nil, err
	}
	then, _, err := options.Reread(r.first.Loaded().Readings, setting.Changes{})
	if err != nil {
		return nil, err
	}
	reading := records.Changed{}
	for _, change := range recorded.Changes(&then, r.load.Spec) {
		reading[change.Name] = change.Now
	}
	return reading, nil
}
