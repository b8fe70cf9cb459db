package stream

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/cqlbulk/cqlbulk/internal/extsort"
)

// mostStretches is the number of stretches of tokens, at most, that are merged at the same time.
// Each takes memory for all sorted runs.
const mostStretches = 4

// stretches returns the number of stretches: one for each processor.
func stretches() int { return min(runtime.GOMAXPROCS(0), mostStretches) }

// makePartitions makes partitions of the sorted records of all stretches at the same time. It adds
// them to a delivery in the order of their tokens, and returns their number.
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

// ahead is the sections of a stretch that are not delivered yet. Stretches after the first wait for
// their turn. They may be ahead by the size of a file, so that not all sorted records are on the
// disk twice.
type ahead struct {
	ready chan []placed
	room  *semaphore.Weighted // in bytes, limit in all
	limit int64
	next  []placed // sections to pass on
	bytes int64    // of next
}

// placed is a section and the nodes that it belongs to. It holds its file.
type placed struct {
	section
	replicas []string
}

// handedOn is the approximate number of bytes of sections that are passed on together.
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

// flush passes on the sections that were added, all of one file.
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

// deliver adds all sections to a delivery, and returns the number of their partitions.
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
