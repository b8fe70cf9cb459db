package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/human"
)

// readAll cuts every input into chunks, in order. It reads until the context until ends, and passes
// on what it has read until ctx ends.
func (r *run) readAll(ctx, until context.Context) error {
	r.group.ctx = ctx
	ahead := r.fetchAhead(until)
	defer ahead.close()
	defer r.warnRowless()
	for i, input := range r.job.Inputs {
		if r.enough() {
			break
		}
		got, err := ahead.next(until, i)
		if err == nil {
			err = r.readInput(until, i, input, got)
		}
		if err != nil {
			return err
		}
	}
	return r.sendGroup()
}

// rowless counts inputs without rows. There may be thousands.
type rowless struct {
	inputs int
	first  string
}

func (w *rowless) add(name string) {
	if w.inputs++; w.inputs == 1 {
		w.first = name
	}
}

// names returns the first input, and the number of the others.
func (w *rowless) names() string {
	if w.inputs == 1 {
		return w.first
	}
	return fmt.Sprintf("%s and %s", w.first, human.Of(w.inputs-1, "more input"))
}

// warnRowless warns of inputs without rows, once for each kind.
func (r *run) warnRowless() {
	if r.headed.inputs > 0 {
		r.job.Warn(
			"%s %s a header and no rows",
			r.headed.names(),
			human.Verb(r.headed.inputs, "holds", "hold"),
		)
	}
	switch {
	case r.blank.inputs > 0 && r.job.SkipLines > 0:
		r.job.Warn(
			"%s %s nothing behind the first %s: nothing to load",
			r.blank.names(),
			human.Verb(r.blank.inputs, "holds", "hold"),
			human.Of(int(r.job.SkipLines), "line"),
		)
	case r.blank.inputs > 0:
		r.job.Warn(
			"%s %s empty: nothing to load from %s",
			r.blank.names(),
			human.Verb(r.blank.inputs, "is", "are"),
			human.Verb(r.blank.inputs, "it", "them"),
		)
	}
}

// readInput reads one input; got is what was read of it ahead, or nil.
func (r *run) readInput(until context.Context, index int, input Input, got *fetched) error {
	from, completed := r.job.Journal.ResumePoint(index)
	whole := r.job.readsWhole(input)
	if completed && !whole {
		return nil
	}
	in, reader, read, err := r.openText(until, input, got)
	if err != nil {
		return err
	}
	defer reader.close()
	f := &file{index: index, name: input.Name, repeats: input.Repeats, size: input.Size}
	meter := newMeter(in, read)
	s, err := r.split(f, reader)
	if err != nil {
		if errors.Is(err, io.EOF) && r.job.Journal.Seen(index) > 0 {
			return fmt.Errorf(
				"%s is empty, and the run had read %d bytes of it: it is not the same",
				f.name,
				r.job.Journal.Seen(index),
			)
		}
		if errors.Is(err, io.EOF) {
			r.blank.add(f.name)
			return nil
		}
		return inputError(f.name, err)
	}
	if r.job.Explain != nil {
		r.job.Explain(f.name, f.views[0].mapping.explain(r.job.Table))
	}
	if !whole {
		if s, err = r.skipTo(f, s, in, reader, from); err != nil {
			return inputError(f.name, err)
		}
		part := leftOut{-r.job.left[index].text, -r.job.left[index].stored}
		if f.end > 0 {
			meter.skip(f.end)
			part.text, part.stored = part.text+f.end-int64(len(f.header)), part.stored+f.end
		}
		r.countEarlierPart(part)
	}
	for !r.enough() {
		c, err := r.takeChunk(until, got != nil)
		if err != nil {
			return err
		}
		if err := r.reserveForLarge(until, c); err != nil {
			r.recycle(c)
			return err
		}
		c.Chunk, err = s.Next(c.buffer[:0])
		if err != nil {
			r.job.Counters.Done.Add(meter.advance(*read))
			r.recycle(c)
			if !errors.Is(err, io.EOF) {
				return inputError(f.name, err)
			}
			if seen := r.job.Journal.Seen(f.index); seen > f.end {
				return fmt.Errorf(
					"%s: the input ends after %d bytes, and the run had read %d of it: it is not the same",
					f.name,
					f.end,
					seen,
				)
			}
			if f.records == 0 && f.header != nil {
				r.headed.add(f.name)
			} else if f.records == 0 {
				r.blank.add(f.name)
			}
			return nil
		}
		if failed := s.Failed(); failed != nil && r.journaled {
			// Read again, the input is cut elsewhere: a later run takes it all.
			r.recycle(c)
			return inputError(f.name, failed)
		}
		c.buffer, c.file, c.views = c.Data, f, f.views
		r.selectRecords(c)
		f.end = c.Offset + int64(len(c.Data))
		p := &pieceTracker{
			run:     r,
			chunk:   c,
			file:    f,
			repeats: f.repeats,
			text:    int64(len(c.Data)),
			stored:  meter.advance(f.end),
		}
		c.tracker = p
		completed, err := r.resumePiece(c)
		p.views = c.views
		if given := input.Stamps; f.records < len(given) {
			c.stamps.given = given[f.records:min(f.records+c.Records, len(given))]
		}
		f.records += c.Records
		if err != nil {
			return err
		}
		if completed {
			r.job.Counters.Before.Add(p.stored)
			r.countCompleted(p)
			r.recycle(c)
			continue
		}
		p.tally = Tally{Read: int64(c.count)}
		p.open.Store(1)
		c.held.Store(1)
		if err := r.addToGroup(c); err != nil {
			return err
		}
	}
	return nil
}

// split makes an input's splitter and plans its fields. io.EOF: the input is empty.
func (r *run) split(f *file, in io.Reader) (format.Splitter, error) {
	s := r.job.Format.Split(in, r.splitOptions(f))
	if !r.job.Format.Named() {
		return s, r.open(f, s)
	}
	m, err := r.mapMembers(r.job.Reading)
	if err != nil {
		return nil, err
	}
	f.views = []*view{r.newView(m, r.job.Reading)}
	return s, nil
}

// mapMembers plans the members of objects.
func (r *run) mapMembers(o Reading) (*Mapping, error) {
	columns := r.job.Table.Columns
	var err error
	if len(o.Columns) > 0 {
		columns, err = r.job.Table.ResolveAll(o.Columns)
	}
	var m *Mapping
	if err == nil {
		m, err = NewObjectMapping(r.job.Table, columns, r.fieldsOf(o))
	}
	return r.suits(m, err)
}

// fieldsOf returns what the fields of inputs mean by a reading.
func (r *run) fieldsOf(o Reading) Fields {
	f := o.Fields
	f.format, f.nulls, f.latin1 = r.job.Format, o.Nulls, o.Latin1
	if !r.job.Table.IsCounter() { // a counter cannot be deleted and counted up again
		f.null = r.job.Null
	}
	return f
}

// splitOptions returns the options for the splitter of an input.
func (r *run) splitOptions(f *file) format.SplitOptions {
	return format.SplitOptions{
		ChunkSize:  r.job.ChunkSize,
		MaxRecords: r.job.ChunkRecords,
		MaxRecord:  r.job.MaxRecord,
		SkipLines:  r.job.SkipLines,
		Size:       f.size,
		Bad:        func(b format.Bad) error { return r.rejectLine(f, b) },
	}
}

// Skipper is an input that can be read from a place on, without reading what is before.
type Skipper interface {
	// SkipTo makes the next Read begin at a byte of the text that was not read yet. It reports
	// whether it can. It is called between two calls of Read.
	SkipTo(offset int64) (bool, error)
}

// skip makes the next Read of an input begin at a byte of the text that was not read yet. It
// reports whether it can.
func skip(in any, offset int64) (bool, error) {
	skipper, ok := in.(Skipper)
	if !ok {
		return false, nil
	}
	return skipper.SkipTo(offset)
}

// skipTo starts to read an input at the place where an earlier run stopped, if the input can be
// read from there. Otherwise reading starts at the beginning, and completed pieces are passed over.
func (r *run) skipTo(
	f *file,
	s format.Splitter,
	in any,
	reader io.Reader,
	from Piece,
) (format.Splitter, error) {
	if from.Line == 0 {
		return s, nil
	}
	if skipped, err := skip(in, from.Offset); !skipped {
		return s, err
	}
	f.records, f.end = 1, from.Offset // at least one record stands before
	o := r.splitOptions(f)
	o.Offset, o.Line = from.Offset, from.Line
	return r.job.Format.Split(reader, o), nil
}

// selectRecords selects the records of a chunk that are loaded: not the first SkipRows of all
// inputs together, and no more than MaxRows after those.
func (r *run) selectRecords(c *chunk) {
	c.skip = int(min(int64(c.Records), r.job.SkipRows-r.skipped))
	c.count = c.Records - c.skip
	if r.job.MaxRows > 0 {
		c.count = int(min(int64(c.count), r.job.MaxRows-r.chosen))
	}
	r.skipped += int64(c.skip)
	r.chosen += int64(c.count)
}

// enough reports whether all rows to load have been read.
func (r *run) enough() bool { return r.job.MaxRows > 0 && r.chosen >= r.job.MaxRows }

// rejectLine rejects a line that is no record. A long line comes in parts.
func (r *run) rejectLine(f *file, b format.Bad) error {
	r.job.Counters.Bytes.Add(int64(len(b.Piece)))
	if b.First {
		if err := r.sendGroup(); err != nil { // the pieces before it are recorded before it
			return err
		}
		f.end = max(f.end, b.Offset+1)
		f.records++
		f.passOver = r.skipped < r.job.SkipRows || r.enough()
		if r.skipped < r.job.SkipRows {
			r.skipped++
		} else if !f.passOver {
			r.chosen++
			earlier, standing := r.job.Journal.EarlierPiece(f.index, b.Offset)
			if earlier.Bytes > 0 { // a chunk, then
				return changed(f, b.Offset, b.Offset+int64(earlier.Bytes))
			}
			f.passOver = standing == PieceCompleted
		}
	}
	if f.passOver {
		return nil
	}
	rej := Reject{
		File:   f.name,
		Header: f.header,
		Raw:    b.Piece,
		Line:   b.Line,
		Offset: b.Offset,
		Field:  b.Column,
		Broken: true,
		Reason: b.Reason,
		Stage:  Parse,
	}
	if !b.First || !b.Last {
		if err := r.job.Rejects.AddPiece(rej, b.First, b.Last); err != nil || !b.Last {
			return err
		}
		rej.Raw, rej.Long = nil, true
	}
	tally := Tally{Read: 1, ParseErrors: 1}
	r.total(tally)
	if err := r.job.Journal.Complete(
		Piece{Input: f.index, Offset: b.Offset},
		tally,
		[]Reject{rej},
	); err != nil {
		return err
	}
	hopeless := r.countBrokenLine() // the line is one of the rows read
	if err := r.countReject(Parse); err != nil {
		return err
	}
	return hopeless
}
