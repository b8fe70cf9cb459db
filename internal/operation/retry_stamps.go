package operation

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
// not sent. Rows in doubt are written again once, with the next timestamp; see stampsOf.

// timeRejects finds the timestamps of the rows of rejects, and what the earlier run is to record of
// them.
func (l *Load) timeRejects() error {
	if l.retriedRun == nil {
		return nil
	}
	reading, err := l.readingOfRejects()
	if err != nil {
		return err
	}
	l.tried = make(map[string]records.TriedRows)
	elsewhere := l.retriedElsewhere()
	later := make(map[string][]bool)
	corrected := 0
	for _, path := range slices.Sorted(maps.Keys(l.kept)) {
		k := l.kept[path]
		if k.Doubt {
			continue
		}
		last := l.retriedRun.Loaded().Retried[filepath.Base(path)]
		if k.Stamps != nil && last.AsOfNow {
			l.retimed = append(
				l.retimed,
				fmt.Sprintf(
					"%s: an earlier retry wrote its rows as of its time, since rows were added or removed: they are written as of now",
					path,
				),
			)
			k.Stamps = nil
			l.kept[path] = k
		}
		if k.Stamps == nil {
			l.tried[path] = nil
			continue
		}
		l.tried[path], later[path] = l.tryAgain(k, reading, elsewhere)
		for _, row := range later[path] {
			if row {
				corrected++
			}
		}
	}
	if corrected == 0 {
		l.setStamps()
		return nil
	}
	step := int(highestStep(outermost(l.spec.RejectsOf))) + 1
	if step > math.MaxUint16 {
		return fmt.Errorf(
			"%s: its rows were corrected %d times: cqlbulk load takes the files in it as new rows",
			l.spec.RejectsOf,
			step-1,
		)
	}
	for path, rows := range later {
		for i, row := range rows {
			if row {
				l.tried[path][i].Step = uint16(step)
			}
		}
	}
	l.corrected = true
	nulls := ""
	if l.spec.NullState == "unset" {
		nulls = ", except where a value is null"
	}
	l.retimed = append(
		l.retimed,
		fmt.Sprintf(
			"%s may have been written before, and %s by now: %s written with a later timestamp, which replaces what an earlier load wrote%s",
			human.Of(
				corrected,
				"row",
			),
			human.Verb(corrected, "has another text or reading", "have another text or reading"),
			human.Verb(corrected, "it is", "they are"),
			nulls,
		),
	)
	l.setStamps()
	return nil
}

// warnOfRetimed warns of the rows of rejects that get other timestamps than before.
func (l *Load) warnOfRetimed() {
	for _, warning := range l.retimed {
		l.env.Warn("%s", warning)
	}
}

// tryAgain returns the records of the rows of a file with the steps that the rows had so far. It
// also reports which rows need a later step.
func (l *Load) tryAgain(
	k reject.Kept,
	reading records.Changed,
	elsewhere bool,
) (rows records.TriedRows, later []bool) {
	name, texts := filepath.Base(k.Path), l.rejectTexts[k.Path]
	last, taken := l.retriedRun.Loaded().Retried[name]
	rows, later = make(records.TriedRows, len(texts)), make([]bool, len(texts))
	known := taken && len(last.Rows) == len(texts)
	same := maps.EqualFunc(reading, last.Reading, slices.Equal)
	own := l.run.continued && last.Run == l.journal.Manifest().Run // this retry is resumed
	var unsent []bool
	if known {
		copy(rows, last.Rows)
		unsent = l.unsentBy(last, k)
	}
	untouched := !taken && len(reading) == 0 && l.asLeft(name)
	for i, text := range texts {
		row, unchanged := &rows[i], untouched
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
			row.Sent = k.Sent[i] && !l.spec.AppendCollections
		}
		if elsewhere {
			row.Sent, unchanged = true, unchanged && own
		}
		row.Text, later[i] = text, row.Sent && !unchanged && k.Stamps[i] != 0
	}
	return rows, later
}

// unsentBy reports which rows of a file the last retry never sent, since it could not read them.
func (l *Load) unsentBy(last records.Retry, k reject.Kept) []bool {
	unsent := make([]bool, len(last.Rows))
	dir := filepath.Join(l.spec.RejectsOf, last.Dir)
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

// asLeft reports whether a file of rejects is as the earlier run left it.
func (l *Load) asLeft(name string) bool {
	files := l.retriedRun.Loaded().Rejects.Files
	i := slices.IndexFunc(files, func(f reject.FileState) bool { return f.Name == name })
	return i >= 0 && files[i].Unchanged(l.spec.RejectsOf)
}

// setStamps adds the steps to the timestamps of the rows, and more where rows would lose their
// order.
func (l *Load) setStamps() {
	type place struct {
		path string
		row  int
	}
	var all []place
	for path, rows := range l.tried {
		for i := range rows {
			if l.kept[path].Stamps[i] != 0 {
				all = append(all, place{path, i})
			}
		}
	}
	was := func(p place) int64 { return l.kept[p.path].Stamps[p.row] }
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(was(a), was(b)) })
	stamps := make([]int64, len(all))
	// of all rows so far, and of those before the ones with this timestamp
	highest, before := int64(0), int64(0)
	for i, p := range all {
		if i > 0 && was(p) != was(all[i-1]) {
			before = highest
		}
		step := &l.tried[p.path][p.row].Step
		if stamps[i] = was(p) + int64(*step); stamps[i] <= before {
			stamps[i] = before + 1
			*step = uint16(stamps[i] - was(p))
		}
		highest = max(highest, stamps[i])
	}
	for i, p := range all {
		l.kept[p.path].Stamps[p.row] = stamps[i]
	}
}

// outermost returns the run directory of the first load of the rows, whose retries may have been
// retried.
func outermost(dir string) string {
	for strings.HasPrefix(filepath.Base(dir), status.RetryPrefix) && status.IsRun(filepath.Dir(dir)) {
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
func (l *Load) retriedElsewhere() bool {
	dir, run := l.spec.RejectsOf, l.retriedRun.Manifest().Run
	for strings.HasPrefix(filepath.Base(dir), status.RetryPrefix) && status.IsRun(filepath.Dir(dir)) {
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
