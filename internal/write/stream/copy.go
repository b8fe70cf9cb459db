package stream

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Copier sends partitions to their nodes unchanged: every cell with its own timestamp and expiry,
// and every deletion. They come in the order of their tokens, so nothing is sorted.
type Copier struct{ shipper }

// copyMinima are the bases of encoded times if the least times are not known before the rows come:
// the servers' own epoch. Earlier times are correct too, but longer.
var copyMinima = sstable.Minima{Timestamp: sstable.EpochTimestamp, Time: sstable.EpochTime}

// NewCopier returns a copier. It ignores the options for rows: Clock, TTL, Append, Timestamp,
// Memory, Slice and Complete.
func NewCopier(o Options) (*Copier, error) {
	c := &Copier{}
	return c, c.prepare(o, copyMinima)
}

// Schema returns the table's schema. Partitions must be encoded in it.
func (c *Copier) Schema() *sstable.Schema { return c.schema }

// Partitions are what is copied.
type Partitions interface {
	// Open returns the partitions of a token range in order, in the copier's schema. The caller
	// calls done at the end. An error of class fault.GivenUp ends only this range. Several
	// goroutines call it at the same time.
	Open(ctx context.Context, within token.Range) (from sstable.Source, done func(), err error)
}

// CopiedRange is the result for a token range. Without an error its partitions are being sent.
type CopiedRange struct {
	Range            token.Range
	Partitions, Rows int64
	Err              error // why none of them was copied
}

// rangesAhead is the number of token ranges, for each reader, that may be ready before the first
// one is.
const rangesAhead = 4

// Copy sends the partitions of token ranges to their nodes, and returns when the nodes have stored
// them. It reads at most readers ranges at the same time. One goroutine calls report for each
// range, in the order of the ring, when the range is being sent. After an error it is not known
// which nodes have what. Copying again does no harm. An error with [ErrMoved] or [ErrTruncated]
// requires it.
func (c *Copier) Copy(
	ctx context.Context,
	ranges []token.Range,
	readers int,
	from Partitions,
	report func(CopiedRange),
) (err error) {
	tidy, err := c.removeLeftovers()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tidy()) }()
	if err := c.aim(ctx); err != nil {
		return err
	}
	d := newDelivery(ctx, &c.shipper, c.codec, int64(len(ranges)))
	d.copies = true
	defer d.cancel()
	spools := make([]*spool, max(min(readers, len(ranges)), 1))
	for i := range spools {
		spools[i] = &spool{dir: c.o.Dir, size: c.o.FileBytes}
		defer spools[i].discard()
	}
	partitions, rows, err := c.copy(d, ranges, spools, from, report)
	if err == nil {
		err = d.finish()
	} else if cause := d.abandon(); cause != nil {
		err = cause
	}
	defer func() {
		if sentInVain(err) {
			c.o.Progress.Ready.Add(-rows) // they are read again
		}
	}()
	if err := c.delivered(d, Stats{Partitions: partitions}, err); err != nil {
		return err
	}
	if err := c.arrived(ctx); err != nil {
		return err
	}
	c.countSlice()
	c.o.Progress.Stage.Read()
	c.o.Progress.Rows.Add(rows)
	return nil
}

// rangeJob is a token range to read, and its result.
type rangeJob struct {
	within token.Range
	copied chan copiedSections // has one, in the end
}

type copiedSections struct {
	CopiedRange
	sections []placed
}

// copy reads all ranges, and adds their partitions to a delivery in order. It returns the numbers
// of partitions and rows.
func (c *Copier) copy(
	d *delivery,
	ranges []token.Range,
	spools []*spool,
	from Partitions,
	report func(CopiedRange),
) (partitions, rows int64, err error) {
	group, ctx := errgroup.WithContext(d.ctx)
	jobs, order := make(chan *rangeJob), make(chan *rangeJob, rangesAhead*len(spools))
	group.Go(func() error {
		defer close(jobs)
		defer close(order)
		for _, r := range ranges {
			job := &rangeJob{r, make(chan copiedSections, 1)}
			for _, to := range []chan *rangeJob{order, jobs} {
				select {
				case to <- job:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
		}
		return nil
	})
	for _, s := range spools {
		group.Go(func() error {
			for job := range jobs {
				copied, err := c.copyRange(ctx, job.within, s, from)
				if err != nil {
					return err
				}
				job.copied <- copied
			}
			return s.end()
		})
	}
	group.Go(func() error {
		for job := range order {
			select {
			case one := <-job.copied:
				if err := one.deliver(d); err != nil {
					return err
				}
				partitions, rows = partitions+one.Partitions, rows+one.Rows
				c.o.Progress.Ready.Add(one.Rows)
				report(one.CopiedRange)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	err = group.Wait()
	return partitions, rows, err
}

// deliver adds the sections of a range to a delivery.
func (s *copiedSections) deliver(d *delivery) error {
	for _, one := range s.sections {
		if err := d.put(one.section, one.replicas); err != nil {
			return err
		}
		if err := one.file.release(); err != nil {
			return err
		}
	}
	d.merged.Add(1)
	d.share()
	return nil
}

// copyRange writes the partitions of a range into a spool. The error ends the copy; an error of
// only the range is in the result.
func (c *Copier) copyRange(
	ctx context.Context,
	within token.Range,
	s *spool,
	from Partitions,
) (copied copiedSections, err error) {
	copied.Range = within
	source, done, err := from.Open(ctx, within)
	switch {
	case err == nil:
		defer done()
	case fault.ClassOf(err) == fault.GivenUp:
		copied.Err = err
		return copied, nil
	default:
		return copied, err
	}
	reading := &copiedSource{
		Source:  source,
		ctx:     ctx,
		table:   c.o.Table,
		schema:  c.schema,
		version: c.o.Version,
	}
	to := &copySink{
		sections: sections{o: &c.o, spool: s, made: func(one section, replicas []string) error {
			one.file.hold()
			copied.sections = append(copied.sections, placed{one, replicas})
			return nil
		}},
	}
	if err := to.start(c.codec); err != nil {
		return copied, err
	}
	err = sstable.Copy(to, c.codec, reading)
	if err == nil {
		err = to.noted(to.endSection())
	}
	copied.Partitions, copied.Rows = to.sections.Partitions()-to.parts, reading.rows
	switch {
	case ctx.Err() != nil:
		return copied, context.Cause(ctx)
	case err == nil && s.file != nil:
		return copied, s.file.flush()
	case err == nil:
		return copied, nil
	case to.failed != nil:
		return copied, to.failed
	}
	for _, one := range copied.sections {
		if err := one.file.release(); err != nil {
			return copied, err
		}
	}
	return copiedSections{CopiedRange: CopiedRange{Range: within, Err: err}}, nil
}

// copySink takes the partitions of a range. It is a sstable.Sink.
type copySink struct {
	sections
	failed error // of the spool
}

func (s *copySink) Begin(key []byte, d sstable.Deletion) error {
	return s.noted(s.sections.Begin(key, d))
}

func (s *copySink) Static(encoded []byte) error { return s.noted(s.sections.Static(encoded)) }

func (s *copySink) Row(encoded []byte) error { return s.noted(s.sections.Row(encoded)) }

func (s *copySink) Marker(m *sstable.Marker) error { return s.noted(s.sections.Marker(m)) }

func (s *copySink) End() error { return s.noted(s.sections.End()) }

// noted records an error of the spool, to distinguish it from errors of the source.
func (s *copySink) noted(err error) error {
	if err != nil {
		s.failed = err
	}
	return err
}

// copiedSource reads what is copied. It refuses times that the SSTable version cannot store, and
// values that a server would refuse.
type copiedSource struct {
	sstable.Source
	ctx     context.Context
	table   fmt.Stringer
	schema  *sstable.Schema
	version component.Version
	items   int
	rows    int64 // rows, without those of static columns
}

// Next is a method of sstable.Source.
func (s *copiedSource) Next() (sstable.Item, error) {
	if s.items++; s.items%checkEvery == 0 && s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	item, err := s.Source.Next()
	switch {
	case err != nil:
		return item, err
	case item == sstable.PartitionStart:
		return item, errors.Join(s.refuseLate(s.Deletion()), s.refused(s.schema.CheckKey(s.Key())))
	case item == sstable.RangeMarker:
		return item, errors.Join(s.refuseLate(s.Marker().Ended), s.refuseLate(s.Marker().Started),
			s.refused(s.schema.CheckMarker(s.Marker())))
	case item == sstable.RegularRow:
		s.rows++
	}
	if item == sstable.RegularRow || item == sstable.StaticRow {
		if err = s.refuseRow(s.Row()); err == nil {
			err = s.refused(s.schema.CheckValues(s.Row()))
		}
	}
	return item, err
}

// refused adds the advice to the error about a value that no server takes. A node with such a value
// fails when it reads the value, and for good once it has compacted it.
func (s *copiedSource) refused(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(
		"%s: partition 0x%x: %w; no server takes this value through CQL, and a table that has it may become unreadable: "+
			"overwrite or delete it where it is cloned from, then clone again",
		s.table,
		s.Key(),
		err,
	)
}

// refuseRow refuses a row with a time that is too late.
func (s *copiedSource) refuseRow(r *sstable.Row) error {
	if err := s.refuseTime(r.Liveness.Expiry); err != nil {
		return err
	}
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Kind != sstable.Live {
			if err := s.refuseTime(c.Time); err != nil {
				return err
			}
		}
	}
	for i := range r.Deletions {
		if err := s.refuseLate(r.Deletions[i].Deletion); err != nil {
			return err
		}
	}
	return s.refuseLate(r.Deletion)
}

func (s *copiedSource) refuseLate(d sstable.Deletion) error {
	if !d.Set {
		return nil
	}
	return s.refuseTime(d.Time)
}

// refuseTime refuses a second that the version cannot store. The second after the last one, which
// stands for none, is in some old files.
func (s *copiedSource) refuseTime(second int64) error {
	if second <= s.version.MaxExpiry()+1 {
		return nil
	}
	return fmt.Errorf(
		"partition %x has a cell that expires, or a deletion, %d seconds after 1970, and SSTables of version %s store no time after %d",
		s.Key(),
		second,
		s.version,
		s.version.MaxExpiry(),
	)
}
