package ingest

import (
	"bytes"
	"errors"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Reading says how the text of records is understood. Where an input is cut into records, and
// so into pieces, does not depend on it.
type Reading struct {
	// names of the fields; empty: from the header, or all of the table's columns without one
	Columns []string
	Fields  Fields   // what those names mean
	Nulls   []string // texts that stand for null besides an empty field
	Latin1  bool     // the inputs are in windows-1252 and not in UTF-8; not for JSON
}

// view is an input as one reading has it.
type view struct {
	mapping *Mapping
	intake  write.Intake
	nulls   [][]byte
	latin1  bool
	times   []TimeNoter // by column, nil: none; empty: of all columns
}

// newView plans an input for a reading that gave the mapping.
func (r *run) newView(m *Mapping, o Reading) *view {
	v := &view{mapping: m, intake: r.intake(m.Columns), latin1: o.Latin1}
	for _, n := range o.Nulls {
		v.nulls = append(v.nulls, []byte(n))
	}
	if r.job.Times == nil {
		return v
	}
	v.times = make([]TimeNoter, len(m.Columns))
	for i, c := range m.Columns {
		v.times[i] = r.job.Times(c)
	}
	return v
}

// since gives the views that a piece is read by which was begun by the reading of that index:
// that one, those of the runs after it, and last the present one. The first by which a record
// makes a row is the one that it may have been written by, so that no row is written in two ways.
func (f *file) since(r *run, reading int) ([]*view, error) {
	if reading >= len(r.job.Former) {
		return f.views, nil
	}
	if f.former == nil {
		f.former = make([]*view, len(r.job.Former))
		for i, o := range r.job.Former {
			m, err := r.mapAgain(f, o)
			if unfit := (*MappingError)(nil); errors.As(err, &unfit) {
				continue // a run that read so has taken nothing of this input
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
	if r.job.JSON {
		return r.mapMembers(o)
	}
	var line dsv.Record
	if r.job.Header {
		var err error
		if line, err = dsv.NewSplitter(bytes.NewReader(f.header), r.job.Format, dsv.Options{MaxRecord: r.job.MaxRecord}).
			Header(); err != nil {
			return nil, err
		}
	}
	return r.mapFields(line, o)
}

// idempotent says whether rows by any of the views may be written twice.
func idempotent(views []*view) bool {
	return !slices.ContainsFunc(views, func(v *view) bool { return !v.intake.Idempotent() })
}
