package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spread"
)

// badHeadersShown is how many inputs an error names whose headers do not fit.
const badHeadersShown = 10

// checkHeaders plans the fields of all inputs that no earlier run has begun and that can be opened
// twice. So a header that does not fit is known before the first row is written. Several inputs are
// open at a time. A hint opens one of them again.
func (r *run) checkHeaders(ctx context.Context) error {
	if r.job.Format.Named() || !r.job.Header || len(r.job.Inputs) < 2 {
		return nil // there is none, or it is checked before anything is written
	}
	var mu sync.Mutex
	failures := map[int]error{}
	spread.Each(len(r.job.Inputs), func(i int) {
		input := r.job.Inputs[i]
		if _, completed := r.job.Journal.ResumePoint(
			i,
		); !input.Plain || completed || r.job.Journal.Seen(i) > 0 ||
			ctx.Err() != nil {
			return
		}
		if err := r.checkHeader(ctx, input); err != nil {
			mu.Lock()
			defer mu.Unlock()
			failures[i] = err
		}
	})
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	var told []error
	for _, i := range slices.Sorted(maps.Keys(failures)) {
		if len(told) == badHeadersShown {
			told = append(
				told,
				fmt.Errorf(
					"and %s that cannot be loaded",
					human.Of(len(failures)-badHeadersShown, "more input"),
				),
			)
			break
		}
		told = append(told, failures[i])
	}
	return errors.Join(told...)
}

// checkHeader returns what is wrong with the header of one input. An empty input has none.
func (r *run) checkHeader(ctx context.Context, input Input) error {
	in, err := r.job.openInput(ctx, input)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	s := r.job.Format.Split(in, format.SplitOptions{
		ChunkSize: r.job.ChunkSize,
		MaxRecord: r.job.MaxRecord,
		SkipLines: r.job.SkipLines,
		Size:      headSize(input),
	})
	if _, err := r.plan(s, input); err != nil && !errors.Is(err, io.EOF) {
		return inputError(input.Name, err)
	}
	return nil
}

// headerWindow is the number of bytes that the check of a header reads at a time.
const headerWindow = 4 << 10

// headSize returns the number of bytes that the check of a header makes room for at first.
func headSize(input Input) int64 {
	if input.Size > 0 {
		return min(input.Size, headerWindow)
	}
	return headerWindow
}

// inputError adds the name of the input to an error. An error of reading has the name already,
// deeper down and with the place.
func inputError(name string, err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if strings.HasPrefix(inner.Error(), "input "+name+": ") {
			return inner
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// plan reads the header, if there is one, and plans the fields. io.EOF: the input is
// empty.
func (r *run) plan(s format.Splitter, input Input) (*planned, error) {
	reading := r.job.Reading
	reading.Fields.ahead = sync.OnceValue(func() []byte { return r.job.ahead(input) })
	reading.Fields.before = r.job.SkipLines
	var header format.Header
	if r.job.Header {
		var err error
		if header, err = s.Header(); err != nil {
			if syntax := (*format.SyntaxError)(nil); errors.As(err, &syntax) {
				err = &MappingError{hintBroken(
					fmt.Errorf("header: %w", err),
					r.job.Table,
					header,
					r.fieldsOf(reading),
				)}
			}
			return nil, err
		}
	}
	if known := r.plans.find(header.Raw); known != nil {
		return known, nil
	}
	raw := bytes.Clone(header.Raw)
	m, err := r.mapFields(header, reading)
	if err != nil {
		return nil, err
	}
	if r.job.Header && len(reading.Columns) > 0 && r.isRow(header, reading) {
		r.rowAsHeader.Do(func() {
			r.job.Warn(
				"%s: the first line, %s, is skipped as the header, and looks like a row: "+
					"if the input has no header line, say --header=false",
				input.Name,
				shown(raw),
			)
		})
	}
	return r.plans.add(&planned{header: raw, mapping: m, seed: xxh3.Hash(raw)}), nil
}

// isRow reports whether a line that is skipped as the header has values of the given columns.
func (r *run) isRow(header format.Header, o Reading) bool {
	fields := r.fieldsOf(o)
	columns := make([]schema.Column, len(o.Columns))
	for i, name := range o.Columns {
		s, err := r.job.Table.Select(name)
		if err != nil || !s.Plain {
			return false
		}
		columns[i] = s.Column
	}
	types := fields.typedBy(columns)
	return types != nil && types.takesAll(header.Names)
}

// mapFields plans the fields, of the header line where there is one.
func (r *run) mapFields(header format.Header, o Reading) (m *Mapping, err error) {
	names, fields := o.Columns, r.fieldsOf(o)
	if len(names) == 0 && !r.job.Header {
		names = r.job.Table.Names()
	}
	if len(names) > 0 {
		m, err = MapNames(r.job.Table, names, fields)
	} else {
		if o.Latin1 {
			for i, name := range header.Names {
				header.Names[i] = string(format.AppendLatin1(nil, []byte(name)))
			}
		}
		m, err = MapHeader(r.job.Table, header, fields)
	}
	return r.suits(m, err)
}

// suits returns a mapping if its columns suit the write times of the job. err is the error of
// making the mapping. Each error is returned as a *MappingError.
func (r *run) suits(m *Mapping, err error) (*Mapping, error) {
	if err == nil {
		err = m.refuseRepeatedLists(r.job.Timestamp)
	}
	if err == nil {
		err = m.refuseHidden(r.job.Timestamp, r.job.Dropped)
	}
	if err != nil {
		return nil, &MappingError{err}
	}
	return m, nil
}

// open reads the header and plans the fields. io.EOF: the input is empty.
func (r *run) open(f *file, s format.Splitter) error {
	p, err := r.plan(s, r.job.Inputs[f.index])
	if err != nil {
		return err
	}
	if r.job.Header {
		f.header, f.seed = p.header, p.seed
		r.job.Counters.Bytes.Add(int64(len(p.header)))
	}
	if p.view == nil {
		p.view = r.newView(p.mapping, r.job.Reading)
	}
	f.views = []*view{p.view}
	return nil
}
