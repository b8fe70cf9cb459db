package load

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// readAll cuts every input into chunks, in order.
func (r *run) readAll(ctx context.Context) error {
	for _, input := range r.job.Inputs {
		if err := r.readInput(ctx, input); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) readInput(ctx context.Context, input Input) error {
	in, err := input.Open()
	if err != nil {
		return err
	}
	reader := newInterruptible(ctx, in)
	defer reader.close()
	f := &file{name: input.Name}
	s := dsv.NewSplitter(reader, r.job.Format, dsv.Options{
		ChunkSize: r.job.ChunkSize,
		MaxRecord: r.job.MaxRecord,
		Bad:       func(b dsv.Bad) error { return r.bad(f, b) },
	})
	if err := r.open(f, s); err != nil {
		if errors.Is(err, io.EOF) {
			r.job.Warn("%s is empty: nothing to load from it", f.name)
			return nil
		}
		return fmt.Errorf("%s: %w", f.name, err)
	}
	records := 0
	for {
		var c *chunk
		select {
		case c = <-r.free:
		case <-ctx.Done():
			return ctx.Err()
		}
		c.Chunk, err = s.Next(c.buffer[:0])
		if err != nil {
			r.free <- c
			if !errors.Is(err, io.EOF) {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			if records == 0 && r.job.Header {
				r.job.Warn("%s holds a header and no rows", f.name)
			} else if records == 0 {
				r.job.Warn("%s is empty: nothing to load from it", f.name)
			}
			return nil
		}
		records += c.Records
		c.buffer, c.file, c.stamp = c.Data, f, r.clock.reserve(c.Records)
		r.read.Add(int64(c.Records))
		c.pending.Store(1)
		select {
		case r.chunks <- c:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// open reads the header and plans the fields. io.EOF: the input is empty.
func (r *run) open(f *file, s *dsv.Splitter) error {
	columns := r.job.Columns
	if len(columns) == 0 {
		columns = r.job.Table.Columns
	}
	var err error
	if r.job.Header {
		var header dsv.Record
		if header, err = s.Header(); err != nil {
			if syntax := (*dsv.SyntaxError)(nil); errors.As(err, &syntax) {
				err = &MappingError{fmt.Errorf("header: %w", err)}
			}
			return err
		}
		f.header = append([]byte(nil), header.Raw...)
		r.pass(len(header.Raw))
		if len(r.job.Columns) == 0 {
			f.mapping, err = MapHeader(r.job.Table, header)
			if err == nil {
				columns = f.mapping.Columns
			}
		}
	}
	if err == nil && f.mapping == nil {
		f.mapping, err = NewMapping(r.job.Table, columns)
	}
	if err != nil {
		return &MappingError{err}
	}
	f.writer = r.writer(columns)
	return nil
}

// bad takes a line that no record can be made of, in pieces when it is long.
func (r *run) bad(f *file, b dsv.Bad) error {
	if b.First {
		r.read.Add(1)
	}
	r.pass(len(b.Piece))
	rej := Reject{
		File: f.name, Header: f.header, Raw: b.Piece, Line: b.Line, Offset: b.Offset, Field: b.Column, Reason: b.Reason, Stage: Parse,
	}
	if b.First && b.Last {
		return r.reject(rej)
	}
	if b.First {
		r.rejected.Add(1)
		r.job.Counters.Rejected.Add(1)
	}
	if err := r.job.Rejects.AddPiece(rej, b.First, b.Last); err != nil || !b.Last {
		return err
	}
	return r.parseErrors.add()
}
