package misread

import (
	"context"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// Inputs reads the first rows of the inputs as the doctor does. It warns of values that may be read
// as something else than they mean. It returns an error if timestamps would be read as other times.
// It reads files until it has sample.Rows rows. If the first input is a pipe, it reads what
// arrives in a short time, and sets Open of the job's input. A retry does not warn: its load did.
func (c *Check) Inputs(ctx context.Context, inputs []source.Input) error {
	samples, enough := c.readFirst(ctx, inputs)
	if len(samples) == 0 {
		return nil
	}
	all := doctor.Merge(samples)
	if c.retry {
		// the others are rejected again, and are what they are by another setting
		return c.refuseTimes(all, all.RowTimes, enough)
	}
	if err := c.refuseTimes(all, all.Times, enough); err != nil {
		return err
	}
	c.mixed = make(map[string]bool)
	for i := range all.Times {
		c.mixed[all.Times[i].Column] = all.Times[i].SeveralUnits()
	}
	for _, f := range c.findings(samples, all) {
		c.noteSettings(f)
		switch {
		case f.State == doctor.OK:
		case f.Do == "":
			c.warn("%s", f.Found)
		default:
			c.warn("%s: %s", f.Found, f.Do)
		}
	}
	return nil
}

// readFirst reads the first rows of the inputs. It reports whether these are enough to know what is
// usual.
func (c *Check) readFirst(
	ctx context.Context,
	inputs []source.Input,
) (samples []doctor.Sample, enough bool) {
	var rows int64
	for i, in := range inputs {
		if rows >= sample.Rows || ctx.Err() != nil {
			break
		}
		if !in.Plain() {
			if i > 0 {
				break // a pipe is opened when its turn has come
			}
			p := sample.NewPeek(in)
			c.job.Inputs[i].Open = p.Open
			in, enough = p.Arrived(ctx, c.job.Format)
		}
		s := sample.Of(ctx, in, c.job)
		rows += s.Rows
		samples = append(samples, s)
	}
	return samples, enough || rows >= sample.Rows
}

// refuseTimes refuses a load that would write timestamps as other times than they are. It does not
// if --timestamp-unit is given. It refuses a column in which all or some numbers are dates without
// separators, or count days, even if these are few. It refuses a column whose numbers are all in
// January 1970 if the sample shows what is usual. The sample does if it has enough rows, or if the
// column also has numbers of seconds with a fraction.
func (c *Check) refuseTimes(s doctor.Sample, times []doctor.Times, enough bool) error {
	if c.spec.Given["timestamp-unit"] {
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
