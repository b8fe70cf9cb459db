package stream

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/extsort"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// mostSection is from which size on a section ends, though its token range goes on.
const mostSection = 32 << 20

// partitions makes partitions of the sorted records of a stretch of tokens, section by section.
type partitions struct {
	t      *Target
	merged *atomic.Int64 // bytes of records that partitions were made of, of all stretches together
	spool  *spool
	writer *sstable.PartitionWriter
	merger *merger
	made   *ahead

	number  uint64 // the token of the row that is next
	record  []byte // the row
	merging bool   // the merger has it, and others of its clustering

	open  bool        // a partition
	key   []byte      // of the open partition
	vnode int         // of the open section
	reach token.Range // of its token range
	from  int64       // where the section begins, in the file
	keys  int64       // before it
}

// write makes partitions of all records.
func (p *partitions) write(ctx context.Context, m *extsort.Merge) error {
	var err error
	if p.writer, err = sstable.NewPartitionWriter(p.t.codec, p, nil); err != nil {
		return err
	}
	for n := 0; m.Next(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := p.add(ctx, m.Number(), m.Record()); err != nil {
			return err
		}
	}
	if m.Err() != nil {
		return m.Err()
	}
	if err := p.row(ctx); err != nil {
		return err
	}
	if err := p.endSection(ctx); err != nil {
		return err
	}
	if err := p.made.flush(ctx); err != nil {
		return err
	}
	return p.spool.end()
}

// checkEvery is how many rows are taken until it is looked whether all was called off.
const checkEvery = 4096

// add takes a record: it is merged with the one before where they are of one clustering.
func (p *partitions) add(ctx context.Context, number uint64, record []byte) error {
	p.merged.Add(int64(len(record)))
	if p.record != nil && number == p.number && p.t.compare(p.record, record) == 0 {
		if !p.merging {
			_, _, first := splitRecord(p.record)
			if err := p.merger.begin(first); err != nil {
				return err
			}
			p.merging = true
		}
		_, _, encoded := splitRecord(record)
		return p.merger.add(encoded)
	}
	if err := p.row(ctx); err != nil {
		return err
	}
	p.number, p.record = number, append(p.record[:0], record...)
	return nil
}

// Write is for the writer of partitions.
func (p *partitions) Write(b []byte) (int, error) {
	if err := p.spool.file.write(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// row writes the row that was taken last, if there is one, with all that was merged into it.
func (p *partitions) row(ctx context.Context) error {
	if p.record == nil {
		return nil
	}
	key, static, encoded := splitRecord(p.record)
	if !p.open || !bytes.Equal(key, p.key) {
		if err := p.begin(ctx, key); err != nil {
			return err
		}
	}
	if p.merging {
		p.merging = false
		var err error
		if encoded, err = p.merger.merged(); err != nil {
			return err
		}
	}
	if static {
		return p.writer.Static(encoded)
	}
	return p.writer.Row(encoded)
}

// begin begins a partition, and before it a section where one is due.
func (p *partitions) begin(ctx context.Context, key []byte) error {
	if err := p.endPartition(); err != nil {
		return err
	}
	at := token.Token{Lo: p.number}
	if p.spool.file == nil || !p.reach.Contains(at) || p.writer.Position()-p.from >= mostSection {
		if err := p.endSection(ctx); err != nil {
			return err
		}
		if _, err := p.spool.next(); err != nil {
			return err
		}
		p.vnode = p.t.o.Placement.Find(at)
		p.reach = p.t.o.Placement.Range(p.vnode)
		p.from, p.keys = p.writer.Position(), p.writer.Partitions()
	}
	p.open, p.key = true, append(p.key[:0], key...)
	return p.writer.Begin(key, sstable.Deletion{})
}

func (p *partitions) endPartition() error {
	if !p.open {
		return nil
	}
	p.open = false
	return p.writer.End()
}

// endSection hands on what was written since the last one, with the nodes it belongs to.
func (p *partitions) endSection(ctx context.Context) error {
	if err := p.endPartition(); err != nil {
		return err
	}
	length := p.writer.Position() - p.from
	if p.spool.file == nil || length == 0 {
		return nil
	}
	if err := p.writer.Flush(); err != nil {
		return err
	}
	f := p.spool.file
	replicas := p.t.o.replicas(p.vnode)
	if len(replicas) == 0 {
		return errors.New("a token range has no replica")
	}
	return p.made.add(ctx, section{file: f, from: f.size - length, to: f.size, keys: p.writer.Partitions() - p.keys}, replicas)
}
