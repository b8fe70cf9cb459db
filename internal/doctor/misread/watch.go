package misread

import (
	"encoding/binary"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Watch has the job note its timestamps while it runs. It returns the place for the rejects of the
// load, which adds them to dir, and notes the dates in them.
func (c *Check) Watch(dir *reject.Dir) records.Rejects {
	c.watchTimes()
	c.rejects = dir
	o := &c.spec.Dialect
	pattern := func(name string, given []string) string {
		if c.readsNew(name) {
			return sample.OnlyPattern(given)
		}
		return ""
	}
	c.dates = sample.NewRejectedDates(
		dir,
		c.job.Table.Columns,
		c.spec.Format == "json",
		pattern("datetimeformat", o.DateTimeFormats),
		pattern("dateformat", o.DateFormats),
	)
	if c.dates == nil {
		return dir
	}
	return c.dates
}

// WarnOfDates warns if dates of rejects are read in another order of day and month than that of the
// pattern. It returns the number of their rows.
func (c *Check) WarnOfDates() int64 { return c.dates.Warn(c.warn) }

// timesOfColumn notes the timestamps that a load reads in a column. It warns once if the column
// mixes numbers of several units, or dates without separators and other numbers.
type timesOfColumn struct {
	*doctor.Late
	warn func(format string, args ...any)
}

// watchTimes has the job note its timestamps. Timestamps in collections are checked in the first
// rows only.
func (c *Check) watchTimes() {
	c.times = make(map[string]*timesOfColumn)
	unit := sample.UnitName(c.job.Fields.TimestampUnit)
	for _, column := range c.job.Table.Columns {
		if column.Type.Kind == cqltype.Timestamp {
			late := doctor.NewLate(column.Name, unit, c.mixed[column.Name])
			c.times[column.Name] = &timesOfColumn{late, c.warn}
		}
	}
	c.job.Times = c.timesOf
}

// timesOf returns what notes the values of a column; nil: they are no timestamps.
func (c *Check) timesOf(column schema.Column) ingest.TimeNoter {
	if times := c.times[column.Name]; times != nil {
		return times
	}
	return nil
}

// NoteTime implements ingest.TimeNoter.
func (t *timesOfColumn) NoteTime(wire, text []byte, file string, line int64) {
	if len(wire) != 8 || !t.Note(int64(binary.BigEndian.Uint64(wire)), text, file, line) {
		return
	}
	if f, mixed := t.Finding(); mixed {
		t.warn("%s: %s", f.Found, f.Do)
	}
}

// OtherUnits returns the number of timestamps that seem to be of another unit than others of their
// column.
func (c *Check) OtherUnits() (n int64) {
	for _, t := range c.times {
		n += t.Odd()
	}
	return n
}
