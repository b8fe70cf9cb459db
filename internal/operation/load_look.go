package operation

import (
	"context"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// lookAhead reads the first rows of the inputs as the doctor does, and warns of values that may not
// mean what they will be read as. It refuses a load whose first timestamps are all in January 1970, or all dates without
// separators, unless --timestamp-unit is given. It reads files until it has sampledRows rows, and of a pipe, if
// that is the first input, what arrives within peekTime.
func (l *Load) lookAhead(ctx context.Context, inputs []source.Input) error {
	var samples []doctor.Sample
	var rows int64
	enough := false // rows were looked at, to tell what is usual in them
	for i, in := range inputs {
		if rows >= sampledRows || ctx.Err() != nil {
			break
		}
		if !in.Plain() {
			if i > 0 {
				break // a pipe is opened when its turn has come
			}
			p := newPeek(in)
			l.job.Inputs[i].Open = p.open
			in, enough = p.arrived(ctx)
		}
		s := sampleOf(ctx, in, &l.job.Job)
		rows += s.Rows
		samples = append(samples, s)
	}
	if len(samples) == 0 {
		return nil
	}
	all := doctor.Merge(samples)
	if enough || rows >= sampledRows {
		if err := l.refuseEarly(all); err != nil {
			return err
		}
	}
	one := []doctor.Sample{all}
	for _, f := range append(doctor.Encoding(samples, l.job.Latin1), valueFindings(one, &l.spec)...) {
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

// refuseEarly refuses a load if all timestamps of a column in the rows that were looked at are numbers that are in January
// 1970, or dates without separators. They would be written without a word, and be wrong.
func (l *Load) refuseEarly(s doctor.Sample) error {
	if l.spec.Given["timestamp-unit"] {
		return nil
	}
	for _, t := range s.Times {
		if f, compact := t.Compact(); compact {
			return fmt.Errorf("%s: %s: nothing was written; %s, or --timestamp-unit ms if they are milliseconds", s.Name, f.Found, f.Do)
		}
		if place, first, all := t.AllEarly(); all {
			return fmt.Errorf("%s: column %q: value %s is in January 1970, and so are all others of the first %s: "+
				"nothing was written; say --timestamp-unit s if these are seconds, or --timestamp-unit ms if they are milliseconds",
				place, t.Column, first, amount.Of(s.Rows, "row"))
		}
	}
	return nil
}
