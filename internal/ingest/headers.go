package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// badHeadersShown is how many inputs an error names whose headers do not fit.
const badHeadersShown = 10

// checkHeaders plans the fields of all inputs of which nothing was taken yet, as far as
// they may be opened twice: a header that does not fit shall be known before the first
// row is written. There is one input open at a time, the second time for a hint.
func (r *run) checkHeaders(ctx context.Context) error {
	if r.job.JSON || !r.job.Header || len(r.job.Inputs) < 2 {
		return nil // there is none, or it is looked at before anything is written
	}
	var failures []error
	bad := 0
	for i, input := range r.job.Inputs {
		if _, settled := r.job.Journal.Left(i); !input.Plain || settled || r.job.Journal.Seen(i) > 0 {
			continue
		}
		err := r.checkHeader(ctx, input)
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		if err == nil {
			continue
		}
		if bad++; bad <= badHeadersShown {
			failures = append(failures, err)
		}
	}
	if bad > badHeadersShown {
		failures = append(failures, fmt.Errorf("and %s that cannot be loaded", amount.Of(bad-badHeadersShown, "more input")))
	}
	return errors.Join(failures...)
}

// checkHeader says what is wrong with the header of one input. One that is empty has
// none.
func (r *run) checkHeader(ctx context.Context, input Input) error {
	in, err := openInput(ctx, input)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	s := dsv.NewSplitter(in, r.job.Format, dsv.Options{ChunkSize: r.job.ChunkSize, MaxRecord: r.job.MaxRecord})
	if _, _, err := r.plan(s, input); err != nil && !errors.Is(err, io.EOF) {
		return inputError(input.Name, err)
	}
	return nil
}

// inputError has an error say which input it is of. One of reading names it by itself,
// deeper down, with the place.
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
func (r *run) plan(s *dsv.Splitter, input Input) (header []byte, m *Mapping, err error) {
	reading := r.job.Reading
	reading.Fields.ahead = sync.OnceValue(input.ahead)
	var line dsv.Record
	if r.job.Header {
		if line, err = s.Header(); err != nil {
			if syntax := (*dsv.SyntaxError)(nil); errors.As(err, &syntax) {
				fields := reading.Fields
				fields.format = r.job.Format
				err = &MappingError{hintBroken(fmt.Errorf("header: %w", err), r.job.Table, line, fields)}
			}
			return nil, nil, err
		}
		header = append([]byte(nil), line.Raw...)
	}
	m, err = r.mapFields(line, reading)
	return header, m, err
}

// mapFields plans the fields, of the header line where there is one.
func (r *run) mapFields(line dsv.Record, o Reading) (m *Mapping, err error) {
	names := o.Columns
	if len(names) == 0 && !r.job.Header {
		names = r.job.Table.Names()
	}
	if len(names) > 0 {
		m, err = MapNames(r.job.Table, names, o.Fields)
	} else {
		if o.Latin1 {
			for i := range line.Fields {
				line.Fields[i].Text = appendLatin1(nil, line.Fields[i].Text)
			}
		}
		fields := o.Fields
		fields.format = r.job.Format
		m, err = MapHeader(r.job.Table, line, fields)
	}
	if err != nil {
		return nil, &MappingError{err}
	}
	return m, nil
}

// open reads the header and plans the fields. io.EOF: the input is empty.
func (r *run) open(f *file, s *dsv.Splitter) error {
	header, m, err := r.plan(s, r.job.Inputs[f.index])
	if err != nil {
		return err
	}
	if r.job.Header {
		f.header, f.seed = header, xxh3.Hash(header)
		r.job.Counters.Bytes.Add(int64(len(header)))
	}
	f.views = []*view{r.newView(m, r.job.Reading)}
	return nil
}
