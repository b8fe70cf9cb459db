package misread

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// RepeatedRejects are rows that a retry rejects again, of those that were tried.
type RepeatedRejects struct {
	Rows  int64
	Of    int64  // rows that were tried
	All   bool   // these are all rejected rows
	File  string // that has the first of the rows
	First doctor.Cause
}

// triedRejects is what the first rejected rows are by some settings.
type triedRejects struct {
	doctor.Sample
	file  string // that has the first row that no setting mends
	first doctor.Cause
	// settings for numbers that would be read as other times: a retry is refused without them
	wrong map[string][]string
}

// again returns the rows that are rejected again; nil: there is none.
func (t *triedRejects) again() *RepeatedRejects {
	if t.Bad == 0 {
		return nil
	}
	return &RepeatedRejects{Rows: t.Bad, Of: t.Rows, All: t.Whole, File: t.file, First: t.first}
}

// Mending is what a retry needs to read rejected rows.
type Mending struct {
	Settings map[string][]string // that read most of the rows; nil: none help, or none are needed
	Edit     []string            // names of the files to edit if no row is read; else none
	Again    *RepeatedRejects    // rows that a retry rejects again; nil: none are known
}

// Mend finds out what a retry needs to read the rejected rows. It reads the first of them by
// several settings, and writes nothing.
func (c *Check) Mend(ctx context.Context) (Mending, error) {
	settings, best, err := c.mendRejects(ctx)
	if err != nil || best.Bad == 0 && len(settings) == 0 {
		return Mending{}, err
	}
	m := Mending{Settings: settings, Again: best.again()}
	if best.Bad == best.Rows {
		for _, path := range c.rejects.Rejected() {
			m.Edit = append(m.Edit, filepath.Base(path))
		}
	}
	return m, nil
}

// mendRejects returns the settings by which most of the first rejected rows are read, and what the
// rows are by them.
func (c *Check) mendRejects(ctx context.Context) (map[string][]string, *triedRejects, error) {
	if err := c.rejects.Sync(); err != nil {
		return nil, nil, err
	}
	best, err := c.tryRejects(ctx, nil)
	if err != nil || best.Bad == 0 {
		return nil, best, err
	}
	settings := c.mendingSettings(best.Sample)
	if len(settings) > 0 {
		if best, settings, err = c.tryEach(ctx, best, settings); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if slices.Contains(settingsOfMeaning, name) {
			continue
		}
		fewer := maps.Clone(settings)
		delete(fewer, name)
		if tried, err := c.tryRejects(
			ctx,
			fewer,
		); err == nil && best.Whole &&
			tried.Bad == best.Bad {
			settings = fewer
		}
	}
	return settings, best, nil
}

// tryEach tries all settings together. If they load no more rows than none do, it tries each alone.
// A column may have dates in two forms, and the remaining rows may have that of the format. It
// returns the settings that help; nil: none do.
func (c *Check) tryEach(
	ctx context.Context,
	best *triedRejects,
	settings map[string][]string,
) (*triedRejects, map[string][]string, error) {
	tries := []map[string][]string{settings}
	if len(settings) > 1 {
		for _, name := range slices.Sorted(maps.Keys(settings)) {
			tries = append(tries, map[string][]string{name: settings[name]})
		}
	}
	for i := 0; i < len(tries); i++ {
		tried, err := c.tryRejects(ctx, tries[i])
		if err != nil {
			return nil, nil, err
		}
		if tried.Bad < best.Bad {
			return tried, tries[i], nil
		}
		if tried.wrong != nil && i < mostTries {
			further := maps.Clone(tries[i])
			maps.Copy(further, tried.wrong)
			tries = append(tries, further)
		}
	}
	return best, nil, nil
}

// mostTries is the number of tries that may each lead to a further one.
const mostTries = 10

// settingsOfMeaning say what a value is: without them it may be read all the same, as another one,
// such as 20240301 as milliseconds.
var settingsOfMeaning = []string{
	"datetimeformat",
	"dateformat",
	"decimalsep",
	"thousandssep",
	"encoding",
	"timestamp-unit",
}

// mendingSettings returns the settings that warnings named, those that the values of rejected rows
// need, and words for null among them. If the rejected rows have dates, it leaves out a date
// pattern that the first rows of the inputs seemed to need. The dates of the rejected rows are
// better evidence.
func (c *Check) mendingSettings(rejects doctor.Sample) map[string][]string {
	c.dates.AddTo(&rejects, c.job.Table.Columns)
	for _, d := range rejects.Dates {
		delete(c.named, d.Setting())
	}
	for _, f := range c.findings([]doctor.Sample{rejects}, rejects) {
		c.noteSettings(f)
	}
	all := maps.Clone(c.named)
	if words := c.nullWordsIn(rejects); words != nil {
		if all == nil {
			all = make(map[string][]string)
		}
		all["null-string"] = words
	}
	return all
}

// tryRejects reads the first rejected rows as a retry with settings does, and writes nothing. A row
// that is too long to be held is taken for a bad one.
func (c *Check) tryRejects(
	ctx context.Context,
	settings map[string][]string,
) (*triedRejects, error) {
	spec, text := *c.spec, format.Delimiters(c.job.Format)
	for name, texts := range settings {
		if err := spec.Settings().Set(name, texts...); err != nil {
			return nil, err
		}
	}
	reading, err := c.reading(&spec, &text)
	if err != nil {
		return nil, err
	}
	job := *c.job
	job.Reading, job.Former, job.MaxRows, job.Explain, job.Times = reading, nil, 0, nil, nil
	job.Format, job.SkipLines = job.Format.Rejected(), 0
	t := &triedRejects{}
	t.Whole = true
	var samples []doctor.Sample
	for _, path := range c.rejects.Rejected() {
		if t.Rows >= sample.Rows {
			t.Whole = false
			break
		}
		s, err := c.tryFile(ctx, path, &job)
		if err != nil {
			return nil, err
		}
		t.Rows, t.Bad, t.Whole = t.Rows+s.Rows, t.Bad+s.Bad, t.Whole && s.Whole
		if len(s.Why) > 0 && t.file == "" {
			t.file, t.first = path, s.Why[0]
		}
		samples = append(samples, s)
	}
	if len(samples) > 0 {
		rows, bad, whole := t.Rows, t.Bad, t.Whole
		t.Sample = doctor.Merge(samples)
		t.Rows, t.Bad, t.Whole = rows, bad, whole
	}
	for i := range t.RowTimes {
		if f, wrong := wrongTimes(
			&t.RowTimes[i],
		); wrong && !c.spec.Given["timestamp-unit"] &&
			settings["timestamp-unit"] == nil {
			t.Bad, t.wrong = t.Rows, f.Settings
		}
	}
	return t, nil
}

// tryFile reads the first rows of a file of rejects.
func (c *Check) tryFile(ctx context.Context, path string, job *ingest.Job) (doctor.Sample, error) {
	if c.rejects.IsLong(path) {
		why := doctor.Cause{Rows: 1, Line: 1, Reason: "the row is too long"}
		return doctor.Sample{
			Name:  path,
			Rows:  1,
			Bad:   1,
			Whole: true,
			Why:   []doctor.Cause{why},
		}, nil
	}
	inputs, _, err := source.Find([]string{path}, nil)
	if err != nil {
		return doctor.Sample{}, err
	}
	if len(inputs) != 1 {
		return doctor.Sample{}, fmt.Errorf("rejects: %s is no file", path)
	}
	s := sample.Of(ctx, inputs[0], job)
	if s.Err != nil {
		return s, s.Err
	}
	return s, s.Fit
}
