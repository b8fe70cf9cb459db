package stream

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/cqlbulk/cqlbulk/internal/extsort"
)

// mostStretches is how many stretches of tokens are made partitions of at the same time, at most:
// each takes memory for all sorted runs.
const mostStretches = 4

// stretches is how many there are: one for each processor.
func stretches() int { return min(runtime.GOMAXPROCS(0), mostStretches) }

// makePartitions makes partitions of sorted records, of all stretches at the same time, and gives
// them to a delivery in the order of their tokens. It returns how many there are.
func (t *Target) makePartitions(
	d *delivery,
	merges []*extsort.Merge,
	spools []*spool,
) (total int64, err error) {
	group, ctx := errgroup.WithContext(d.ctx)
	all := make([]*ahead, len(merges))
	for i, m := range merges {
		made := &ahead{
			ready: make(chan []placed, t.o.FileBytes/handedOn+1),
			room:  semaphore.NewWeighted(t.o.FileBytes),
			limit: t.o.FileBytes,
		}
		all[i] = made
		group.Go(func() error {
			defer close(made.ready)
			return t.makeSections(ctx, d, m, spools[i], made)
		})
	}
	group.Go(func() error {
		for _, made := range all {
			n, err := made.deliver(d)
			if err != nil {
				return err
			}
			total += n
		}
		return nil
	})
	err = group.Wait()
	return total, err
}

// makeSections makes partitions of the records of a stretch, section by section.
func (t *Target) makeSections(
	ctx context.Context,
	d *delivery,
	m *extsort.Merge,
	to *spool,
	made *ahead,
) error {
	s := &sections{
		o:     &t.o,
		spool: to,
		made:  func(s section, replicas []string) error { return made.add(ctx, s, replicas) },
	}
	if err := s.start(d.codec); err != nil {
		return err
	}
	p := t.newPartitions(d.codec, s, func(bytes int64) { d.merged.Add(bytes) })
	if err := p.take(ctx, m); err != nil {
		return err
	}
	if err := p.end(); err != nil {
		return err
	}
	if err := s.endSection(); err != nil {
		return err
	}
	if err := made.flush(ctx); err != nil {
		return err
	}
	return to.end()
}

// ahead is what was made of a stretch and is not delivered yet: those behind the first wait for
// their turn. They may be ahead by the size of a file, so that not all that is sorted stands on the
// disk once more.
type ahead struct {
	ready chan []placed
	room  *semaphore.Weighted // in bytes, of limit
	limit int64
	next  []placed // to be handed on
	bytes int64    // of them
}

// placed is a section that belongs to some nodes. It holds its file.
type placed struct {
	section
	replicas []string
}

// handedOn is how many bytes of sections are handed on together, about.
const handedOn = 1 << 20

// add takes a section.
func (a *ahead) add(ctx context.Context, s section, replicas []string) error {
	if len(a.next) > 0 && a.next[len(a.next)-1].file != s.file {
		if err := a.flush(ctx); err != nil {
			return err
		}
	}
	s.file.hold()
	a.next = append(a.next, placed{s, replicas})
	if a.bytes += s.bytes(); a.bytes < handedOn {
		return nil
	}
	return a.flush(ctx)
}

// flush hands on the sections that were taken, all of one file, to be read by others.
func (a *ahead) flush(ctx context.Context) error {
	if len(a.next) == 0 {
		return nil
	}
	if err := a.next[0].file.flush(); err != nil {
		return err
	}
	if err := a.room.Acquire(ctx, min(a.bytes, a.limit)); err != nil {
		return context.Cause(ctx)
	}
	select {
	case a.ready <- a.next:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	a.next, a.bytes = nil, 0
	return nil
}

// deliver gives all sections to a delivery, and returns how many partitions they have.
func (a *ahead) deliver(d *delivery) (keys int64, err error) {
	for sections := range a.ready {
		var bytes int64
		for _, s := range sections {
			bytes += s.bytes()
			if s.part == 0 {
				keys += s.keys
			}
			if err := d.put(s.section, s.replicas); err != nil {
				return keys, err
			}
			if err := s.file.release(); err != nil {
				return keys, err
			}
		}
		a.room.Release(min(bytes, a.limit))
	}
	return keys, nil
}
