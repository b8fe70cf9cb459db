package operation

import (
	"encoding/binary"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// lateTimes records the timestamps that a load reads, by column. It warns once of each column that
// mixes numbers of several units, or dates without separators and other numbers.
type lateTimes struct {
	warn    func(format string, args ...any)
	columns map[string]*lateColumn
}

type lateColumn struct {
	*doctor.Late
	of *lateTimes
}

// watchTimes has the load record its timestamps. Timestamps in collections are checked in the first
// rows only.
func (l *Load) watchTimes() {
	l.late = &lateTimes{warn: l.env.Warn, columns: make(map[string]*lateColumn)}
	unit := sample.UnitName(l.job.Fields.TimestampUnit)
	for _, c := range l.t.Schema.Columns {
		if c.Type.Kind == cqltype.Timestamp {
			l.late.columns[c.Name] = &lateColumn{
				doctor.NewLate(c.Name, unit, l.mixed[c.Name]),
				l.late,
			}
		}
	}
	l.job.Times = l.late.of
}

// of returns what notes the values of a column; nil: they are no timestamps.
func (t *lateTimes) of(c schema.Column) ingest.TimeNoter {
	if late := t.columns[c.Name]; late != nil {
		return late
	}
	return nil
}

// NoteTime is a method of ingest.TimeNoter.
func (c *lateColumn) NoteTime(wire, text []byte, file string, line int64) {
	if len(wire) != 8 || !c.Note(int64(binary.BigEndian.Uint64(wire)), text, file, line) {
		return
	}
	if f, mixed := c.Finding(); mixed {
		c.of.warn("%s: %s", f.Found, f.Do)
	}
}

// odd is the number of timestamps that seem to be other times than they were read as, beside others
// that do not.
func (t *lateTimes) odd() (n int64) {
	if t == nil {
		return 0
	}
	for _, c := range t.columns {
		n += c.Odd()
	}
	return n
}
