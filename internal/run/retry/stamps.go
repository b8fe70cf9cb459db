package retry

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
)

// This file has the rule of the timestamps of rejected rows that are loaded again:
//
//   - A row that no load has sent yet gets its timestamp of the first load. So does a row that may
//     have been written with the same text and reading: written again, it changes nothing.
//   - A row that may have been written, and whose text or reading has changed, gets a later
//     timestamp than all earlier loads of it. With the same timestamp, the greater value of a
//     column would stay (Cells.resolveRegular), and the correction could be lost.
//   - A later timestamp adds one microsecond for each retry that corrected rows. It is not the time
//     of the retry, so the row does not replace what an application wrote after the first load.
//   - Rows keep their order. If the timestamp of a row was before another's, it stays before it.
//   - If rows of a file were added or removed, its rows cannot be matched with the earlier ones.
//     They get the time of the retry, also in further retries.
//
// Journals and the reasons of rejects show whether a row may have been written. A retry records
// the rows before it sends the first of them (records.Tried). A row that a retry could not read was
// not sent. Rows in doubt are written again once, with the next timestamp; see [Rejects.Stamps].

// setTimes finds the timestamps of the rows, and what the first load is to record of them.
func (r *Rejects) setTimes() (err error) {
	if r.reading, err = r.findReading(); err != nil {
		return err
	}
	elsewhere := r.retriedElsewhere()
	var later []*records.Tried
	for _, f := range r.files {
		if f.Doubt {
			continue
		}
		if f.Stamps != nil && r.Loaded().Retried[f.name()].AsOfNow {
			r.Retimed = append(
				r.Retimed,
				fmt.Sprintf(
					"%s: an earlier retry wrote its rows as of its time, since rows were added or removed: they are written as of now",
					f.Path,
				),
			)
			f.Stamps = nil
		}
		if f.Stamps != nil {
			later = append(later, r.tryRows(f, elsewhere)...)
		}
	}
	if err := r.correct(later); err != nil {
		return err
	}
	r.keepOrder()
	return nil
}

// correct gives rows a later timestamp than all earlier loads of them.
func (r *Rejects) correct(rows []*records.Tried) error {
	if len(rows) == 0 {
		return nil
	}
	step := int(highestStep(outermost(r.load.Spec.RejectsOf))) + 1
	if step > math.MaxUint16 {
		return fmt.Errorf(
			"%s: its rows were corrected %d times: cqlbulk load takes the files in it as new rows",
			r.load.Spec.RejectsOf,
			step-1,
		)
	}
	for _, row := range rows {
		row.Step = uint16(step)
	}
	r.corrected = true
	nulls := ""
	if r.load.Spec.NullState == "unset" {
		nulls = ", except where a value is null"
	}
	n := len(rows)
	r.Retimed = append(
		r.Retimed,
		fmt.Sprintf(
			"%s may have been written before, and %s by now: %s written with a later timestamp, which replaces what an earlier load wrote%s",
			human.Of(n, "row"),
			human.Verb(n, "has another text or reading", "have another text or reading"),
			human.Verb(n, "it is", "they are"),
			nulls,
		),
	)
	return nil
}

// tryRows sets the records of the rows of a file, with the steps that the rows had so far. It
// returns those of the rows that need a later step.
func (r *Rejects) tryRows(f *file, elsewhere bool) (later []*records.Tried) {
	last, taken := r.Loaded().Retried[f.name()]
	f.tried = make(records.TriedRows, len(f.texts))
	known := taken && len(last.Rows) == len(f.texts)
	same := maps.EqualFunc(r.reading, last.Reading, slices.Equal)
	// this retry is resumed
	own := r.load.Resumed != nil && last.Run == r.load.Resumed.Manifest().Run
	var unsent []bool
	if known {
		copy(f.tried, last.Rows)
		unsent = r.unsentBy(last, f.Kept)
	}
	asRejected := !taken && len(r.reading) == 0 && r.isUnchanged(f.name())
	for i, text := range f.texts {
		row, unchanged := &f.tried[i], asRejected
		switch {
		case known:
			unchanged = same && row.Text == text
			if !own || !unchanged {
				row.Sent = row.Sent || !unsent[i]
			}
		case taken: // by a version that did not record the rows
			row.Sent = true
		default:
			// appended elements cannot be replaced
			row.Sent = f.Sent[i] && !r.load.Spec.AppendCollections
		}
		if elsewhere {
			row.Sent, unchanged = true, unchanged && own
		}
		row.Text = text
		if row.Sent && !unchanged && f.Stamps[i] != 0 {
			later = append(later, row)
		}
	}
	return later
}

// unsentBy reports which rows of a file the last retry never sent, since it could not read them.
func (r *Rejects) unsentBy(last records.Retry, k reject.Kept) []bool {
	unsent := make([]bool, len(last.Rows))
	dir := filepath.Join(r.load.Spec.RejectsOf, last.Dir)
	status, loaded, err := records.ReadLoad(dir)
	if err != nil || status.Manifest.Run != last.Run || len(loaded.Retried) > 0 {
		return unsent
	}
	unread, err := reject.Unsent(dir, filepath.Base(k.Path))
	if err != nil {
		return unsent
	}
	stamp := func(i int) int64 { return k.Stamps[i] + int64(last.Rows[i].Step) }
	all := make(map[int64]int)
	for i := range last.Rows {
		all[stamp(i)]++
	}
	for i := range last.Rows {
		// several rows have one timestamp with --timestamp
		unsent[i] = unread[stamp(i)] == all[stamp(i)]
	}
	return unsent
}

// isUnchanged reports whether a file of rejects is as the first load left it.
func (r *Rejects) isUnchanged(name string) bool {
	files := r.first.Loaded().Rejects.Files
	i := slices.IndexFunc(files, func(f reject.FileState) bool { return f.Name == name })
	return i >= 0 && files[i].Unchanged(r.load.Spec.RejectsOf)
}

// keepOrder adds the steps to the timestamps of the rows, and more where rows would lose their
// order.
func (r *Rejects) keepOrder() {
	type row struct {
		stamp *int64
		tried *records.Tried
	}
	var all []row
	for _, f := range r.files {
		for i := range f.tried {
			if f.Stamps[i] != 0 {
				all = append(all, row{&f.Stamps[i], &f.tried[i]})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(*a.stamp, *b.stamp) })
	// of all rows so far, and of those before the ones with this timestamp
	highest, before := int64(0), int64(0)
	was := int64(0) // the timestamp of the row before, as it was
	for _, row := range all {
		if *row.stamp != was {
			before = highest
		}
		was = *row.stamp
		stamp := was + int64(row.tried.Step)
		if stamp <= before {
			stamp = before + 1
			row.tried.Step = uint16(stamp - was)
		}
		highest = max(highest, stamp)
		*row.stamp = stamp
	}
}

// isRetry reports whether a run directory is that of a retry. It is then inside the run directory
// whose rejects the retry loaded.
func isRetry(dir string) bool {
	return strings.HasPrefix(filepath.Base(dir), status.RetryPrefix) &&
		status.IsRun(filepath.Dir(dir))
}

// outermost returns the run directory of the first load of the rows, whose retries may have been
// retried.
func outermost(dir string) string {
	for isRetry(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// highestStep returns the largest step that a retry of a run has given to a row, retries of retries
// included. A run directory that cannot be read counts as none.
func highestStep(dir string) uint16 {
	var step uint16
	if _, loaded, err := records.ReadLoad(dir); err == nil {
		step = loaded.Step
	}
	for _, try := range status.Retries(dir) {
		step = max(step, highestStep(try))
	}
	return step
}

// retriedElsewhere reports whether the rows are the rejects of a retry, and another retry of the
// same rows has begun in a run directory outside.
func (r *Rejects) retriedElsewhere() bool {
	dir, run := r.load.Spec.RejectsOf, r.first.Manifest().Run
	for isRetry(dir) {
		dir = filepath.Dir(dir)
		status, loaded, err := records.ReadLoad(dir)
		if err != nil {
			return true
		}
		for _, by := range loaded.Retried {
			if by.Run != run {
				return true
			}
		}
		run = status.Manifest.Run
	}
	return false
}
