package ingest

import (
	"bytes"
	"errors"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// Reading says how the text of records is understood. The cutting of an input into records, and so
// into pieces, does not depend on it.
type Reading struct {
	// names of the fields; empty: from the header, or all of the table's columns without one
	Columns []string
	Fields  Fields   // what those names mean
	Nulls   []string // texts that stand for null besides an empty field
	Latin1  bool     // the inputs are in windows-1252 and not in UTF-8; not for JSON
}

// view is an input with its fields planned by one reading.
type view struct {
	mapping *Mapping
	intake  write.Intake
	latin1  bool
	times   []TimeNoter // by column, nil: none; empty: of all columns
}

// newView plans an input for a reading that gave the mapping.
func (r *run) newView(m *Mapping, o Reading) *view {
	v := &view{mapping: m, intake: r.intake(m.Columns), latin1: o.Latin1}
	if r.job.Times == nil {
		return v
	}
	v.times = make([]TimeNoter, len(m.Columns))
	for i, c := range m.Columns {
		v.times[i] = r.job.Times(c)
	}
	return v
}

// viewsSince returns the views for a piece that a run began with the reading of that index. They
// are that reading's view, those of later runs, and last the present one. The first view that makes
// a row of a record is the one that may have written it. So no row is written in two ways.
func (f *file) viewsSince(r *run, reading int) ([]*view, error) {
	if reading >= len(r.job.Former) {
		return f.views, nil
	}
	if f.former == nil {
		f.former = make([]*view, len(r.job.Former))
		for i, o := range r.job.Former {
			m, err := r.mapAgain(f, o)
			if unfit := (*MappingError)(nil); errors.As(err, &unfit) {
				continue // a run with that reading has loaded nothing of this input
			}
			if err != nil {
				return nil, err
			}
			f.former[i] = r.newView(m, o)
		}
	}
	views := slices.DeleteFunc(
		slices.Clone(f.former[reading:]),
		func(v *view) bool { return v == nil },
	)
	return append(views, f.views...), nil
}

// mapAgain plans the fields of an input, whose header is known, by another reading.
func (r *run) mapAgain(f *file, o Reading) (*Mapping, error) {
	if r.job.Format.Named() {
		return r.mapMembers(o)
	}
	var header format.Header
	if r.job.Header {
		var err error
		o := format.SplitOptions{MaxRecord: r.job.MaxRecord}
		s := r.job.Format.Split(bytes.NewReader(f.header), o)
		if header, err = s.Header(); err != nil {
			return nil, err
		}
	}
	return r.mapFields(header, o)
}

// idempotent reports whether rows of any of the views may be written twice.
func idempotent(views []*view) bool {
	return !slices.ContainsFunc(views, func(v *view) bool { return !v.intake.Idempotent() })
}
