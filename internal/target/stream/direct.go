package stream

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/extsort"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// direct says whether SSTables can be made of sorted records as they are merged, without a spool between: where all rows go to the
// same nodes, as one file or a few, and it is known how many partitions there are: rows that are left out may be all of one. It gives the records of each SSTable, and
// about how many partitions they have.
func (t *Target) direct(d *delivery, merges []*extsort.Merge) (tables [][]*extsort.Merge, keys []int64) {
	size := t.batch.bytes.Load()
	if t.o.Whole == nil || t.batch.leftOut != nil || t.o.BatchBytes > 0 || t.o.queues() > 1 || size > t.o.FileBytes {
		return nil, nil
	}
	count := d.restTables(size)
	for part := range slices.Chunk(merges, (len(merges)+count-1)/count) {
		var all int64
		for _, m := range part {
			n, known := m.Numbers()
			if !known {
				return nil, nil
			}
			all += n
		}
		if all > 0 {
			tables, keys = append(tables, part), append(keys, all)
		}
	}
	return tables, keys
}

// makeTables makes an SSTable of the records of each of some merges, and has them sent as they are ready. It returns how many partitions
// there are.
func (t *Target) makeTables(d *delivery, tables [][]*extsort.Merge, keys []int64) (total int64, err error) {
	q := d.queueOf(t.o.replicas(0), 0)
	group, ctx := errgroup.WithContext(d.ctx)
	begun := make([]int64, len(tables))
	for i, merges := range tables {
		group.Go(func() error {
			if err := take(ctx, q.making); err != nil {
				return err
			}
			f, err := t.makeTable(ctx, d, q, merges, keys[i])
			if err != nil {
				return err
			}
			begun[i] = f.Keys
			d.group.Go(func() error { return d.carry(q, f) })
			return nil
		})
	}
	err = group.Wait()
	for _, n := range begun {
		total += n
	}
	return total, err
}

// makeTable makes an SSTable of records.
func (t *Target) makeTable(ctx context.Context, d *delivery, q *queue, merges []*extsort.Merge, keys int64) (File, error) {
	f := File{Header: d.codec.AppendHeader(nil)}
	nodes := int64(len(q.nodes))
	told := int64(0)
	made := func(bytes int64) { // of partitions, for each of the nodes; as many bytes as the records have, until it is known
		told += bytes
		d.queued.Add(bytes * nodes)
		d.prepared.Add(bytes * nodes)
		d.share()
	}
	var err error
	f.Whole, err = t.writeWhole(d.codec, d.made.Add(1), keys, func(w *sstable.TableWriter) error {
		p := t.newPartitions(d.codec, w, func(bytes int64) {
			d.merged.Add(bytes)
			made(bytes)
		})
		for _, m := range merges {
			if err := p.take(ctx, m); err != nil {
				return err
			}
		}
		err := p.end()
		f.Keys = p.begun
		return err
	})
	if err != nil {
		return File{}, err
	}
	f.Bytes = f.Whole.DataLength
	made(f.Bytes - told)
	return f, t.verify(f, q.nodes)
}
