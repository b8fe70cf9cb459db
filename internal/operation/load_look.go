package operation

import (
	"context"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// lookAhead reads the first rows of the inputs as the doctor does. It warns of values that may be
// read as something else than they mean, or refuses the load (refuseTimes). It reads files until it
// has sample.Rows rows. If the first input is a pipe, it reads what arrives within peekTime. A
// retry does not warn: its load did.
func (l *Load) lookAhead(ctx context.Context, inputs []source.Input) error {
	var samples []doctor.Sample
	var rows int64
	enough := false // rows were read, so that it is known what is usual
	for i, in := range inputs {
		if rows >= sample.Rows || ctx.Err() != nil {
			break
		}
		if !in.Plain() {
			if i > 0 {
				break // a pipe is opened when its turn has come
			}
			p := sample.NewPeek(in)
			l.job.Inputs[i].Open = p.Open
			in, enough = p.Arrived(ctx)
		}
		s := sample.Of(ctx, in, &l.job.Job)
		rows += s.Rows
		samples = append(samples, s)
	}
	if len(samples) == 0 {
		return nil
	}
	all := doctor.Merge(samples)
	times := all.Times
	if l.retried != nil {
		// the others are rejected again, and are what they are by another setting
		times = all.RowTimes
	}
	if err := l.refuseTimes(
		all,
		times,
		enough || rows >= sample.Rows,
	); err != nil ||
		l.retried != nil {
		return err
	}
	l.mixed = make(map[string]bool)
	for i := range all.Times {
		l.mixed[all.Times[i].Column] = all.Times[i].SeveralUnits()
	}
	one := []doctor.Sample{all}
	for _, f := range append(doctor.Encoding(samples, l.job.Latin1), doctor.AsValues(one, readingOf(&l.spec))...) {
		l.noteAdvice(f)
		switch {
		case f.State == doctor.OK:
		case f.Do == "":
			l.env.Warn("%s", f.Found)
		default:
			l.env.Warn("%s: %s", f.Found, f.Do)
		}
	}
	return nil
}

// refuseTimes refuses a load that would write timestamps as other times than they are. It does not
// if --timestamp-unit is given. It refuses a column in which all or some numbers are dates without
// separators, or count days, even if these are few. It refuses a column whose numbers are all in
// January 1970 if the sample shows what is usual. The sample does if it has enough rows, or if the
// column also has numbers of seconds with a fraction.
func (l *Load) refuseTimes(s doctor.Sample, times []doctor.Times, enough bool) error {
	if l.spec.Given["timestamp-unit"] {
		return nil
	}
	for _, t := range times {
		if f, wrong := wrongTimes(&t); wrong {
			return fmt.Errorf(
				"%s: %s: nothing was written; %s, or --timestamp-unit ms if they are milliseconds",
				s.Name,
				f.Found,
				f.Do,
			)
		}
		if place, first, all := t.AllEarly(); all && (enough || s.HasSeconds(t.Column)) {
			return fmt.Errorf(
				"%s: column %q: value %s is in January 1970, and so are all others of the first %s: "+
					"nothing was written; say --timestamp-unit s if these are seconds, or --timestamp-unit ms if they are milliseconds",
				place,
				t.Column,
				first,
				human.Of(s.Rows, "row"),
			)
		}
	}
	return nil
}

// wrongTimes returns a finding if numbers of the column, however few, would be read as other times
// than they are. It returns false if there are none.
func wrongTimes(t *doctor.Times) (doctor.Finding, bool) {
	if f, wrong := t.Dated(); wrong {
		return f, true
	}
	return t.Mixed()
}

// watchDates returns where rejects go. If the table has columns of dates, the dates in rejects are
// noted first.
func (l *Load) watchDates() records.Rejects {
	o := &l.spec.Dialect
	pattern := func(name, given string) string {
		if l.readsNew(name) {
			return given
		}
		return ""
	}
	l.contrary = sample.NewRejectedDates(
		l.rejects,
		l.t.Schema.Columns,
		l.spec.Format == "json",
		pattern("datetimeformat", o.DateTimeFormat),
		pattern("dateformat", o.DateFormat),
	)
	if l.contrary == nil {
		return l.rejects
	}
	return l.contrary
}

// readsNew reports whether a setting may read rows that the load before did not read by it. If a
// retry has the pattern of its load, it says nothing new about the rows that were loaded.
func (l *Load) readsNew(name string) bool {
	return l.retried == nil ||
		slices.ContainsFunc(l.reread.Now, func(c recorded.Change) bool { return c.Name == name })
}
