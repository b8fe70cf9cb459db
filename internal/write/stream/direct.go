package stream

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/extsort"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
)

// direct returns the merges for each SSTable if sorted records can become SSTables without a spool.
// It returns nil if they cannot: rows go to different nodes, or some are left out.
func (t *Target) direct(d *delivery, merges []*extsort.Merge) [][]*extsort.Merge {
	if t.o.Whole == nil || t.batch.leftOut != nil || t.o.BatchBytes > 0 || t.o.queues() > 1 {
		return nil
	}
	size := t.batch.bytes.Load()
	parts := len(merges)
	if size <= t.o.FileBytes {
		parts = d.restTables(size)
	}
	return slices.Collect(slices.Chunk(merges, (len(merges)+parts-1)/parts))
}

// makeTables writes the records of each list of merges to SSTables, and sends those that are ready.
// It returns the number of partitions.
func (t *Target) makeTables(d *delivery, parts [][]*extsort.Merge) (total int64, err error) {
	q := d.queueOf(t.o.replicas(0), 0)
	numbers := int64(0)
	for _, m := range slices.Concat(parts...) {
		numbers += m.Numbers()
	}
	limit := t.o.FileBytes / 4 * 5 // so that what is a little more than a file leaves no small rest
	full := float64(numbers) * float64(limit) / float64(t.batch.bytes.Load())
	group, ctx := errgroup.WithContext(d.ctx)
	begun := make([]int64, len(parts))
	for i, merges := range parts {
		group.Go(func() error {
			m := &tableMaker{d: d, q: q, merges: merges, limit: limit}
			for _, merge := range merges {
				m.most += merge.Numbers()
			}
			m.keys = min(m.most, max(int64(full), fewKeys))
			m.partitions = t.newPartitions(d.codec, nil, m.count)
			for {
				more, err := m.more(ctx)
				if err != nil || !more {
					return err
				}
				if err := takeToken(ctx, q.making); err != nil {
					return err
				}
				f, err := m.next(ctx, t)
				if err != nil {
					return err
				}
				begun[i] += f.Keys
				d.group.Go(func() error {
					if err := t.verify(f, q.nodes); err != nil {
						return err
					}
					return d.sendInTurn(q, f)
				})
			}
		})
	}
	err = group.Wait()
	for _, n := range begun {
		total += n
	}
	return total, err
}

// tableMaker writes the records of some merges to SSTables, one after another.
type tableMaker struct {
	d          *delivery
	q          *queue
	merges     []*extsort.Merge // merges with records that are in no SSTable yet
	partitions *partitions
	limit      int64 // approximate size of an SSTable, in bytes
	most       int64 // approximate number of partitions of all merges
	// approximate number of partitions of the next SSTable: its filter is made for that
	keys    int64
	counted int64 // bytes of the present SSTable that the delivery has counted
}

// fewKeys is the least number of partitions at which an SSTable may end. A filter for that many
// takes next to no memory.
const fewKeys = 1024

// crowded returns the number of partitions at which an SSTable ends because its filter was made for
// fewer. A filter takes a quarter more than it was made for. So an estimate that is a little off
// ends no SSTable.
func crowded(keys int64) int64 { return max(keys, fewKeys) / 4 * 5 }

// more reports whether there are records for another SSTable.
func (m *tableMaker) more(ctx context.Context) (bool, error) {
	p := m.partitions
	for len(m.merges) > 0 && !p.held {
		if p.held = m.merges[0].Next(); !p.held {
			if err := m.merges[0].Err(); err != nil {
				return false, err
			}
			m.merges = m.merges[1:]
		}
	}
	return p.held || p.record != nil, ctx.Err()
}

// next makes the next SSTable.
func (m *tableMaker) next(ctx context.Context, t *Target) (File, error) {
	f := File{Header: m.d.codec.AppendHeader(nil)}
	m.counted = 0
	var err error
	f.Whole, err = t.writeWhole(
		m.d.codec,
		m.d.made.Add(1),
		m.keys,
		func(w *tablefile.Writer) error {
			p := m.partitions
			p.to, p.begun = w, 0
			p.full = func() bool { return w.Position() >= m.limit || p.begun >= crowded(m.keys) }
			err := m.take(ctx)
			f.Keys = p.begun
			if f.Keys >= crowded(m.keys) {
				fit := int64(float64(f.Keys) * float64(m.limit) / float64(w.Position()))
				m.keys = max(m.keys, min(fit, max(m.most, 2*m.keys)))
			}
			return err
		},
	)
	if err != nil {
		return File{}, err
	}
	f.Bytes = f.Whole.DataLength
	m.made(f.Bytes - m.counted)
	return f, nil
}

// take makes partitions until the SSTable is full, or no record is left.
func (m *tableMaker) take(ctx context.Context) error {
	p := m.partitions
	for len(m.merges) > 0 {
		if err := p.take(ctx, m.merges[0]); errors.Is(err, errFull) {
			return nil
		} else if err != nil {
			return err
		}
		m.merges = m.merges[1:]
	}
	if err := p.end(); !errors.Is(err, errFull) {
		return err
	}
	return nil
}

// count adds the bytes of records that partitions were made of.
func (m *tableMaker) count(bytes int64) {
	m.d.merged.Add(bytes)
	m.made(bytes)
}

// made adds bytes of partitions, for each of the nodes. Until an SSTable is finished, these are the
// bytes of its records.
func (m *tableMaker) made(bytes int64) {
	nodes := int64(len(m.q.nodes))
	m.counted += bytes
	m.d.queued.Add(bytes * nodes)
	m.d.prepared.Add(bytes * nodes)
	m.d.share()
}
