package stream

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/extsort"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// partitions makes partitions of the sorted records of a stretch of tokens, section by section.
type partitions struct {
	sections
	t      *Target
	merged *atomic.Int64 // bytes of records that partitions were made of, of all stretches together
	added  int64         // those that are not in merged yet
	merger *merger
	ahead  *ahead

	number  uint64 // the token of the row that is next
	record  []byte // the row
	merging bool   // the merger has it, and others of its clustering
	key     []byte // of the open partition
}

// write makes partitions of all records.
func (p *partitions) write(ctx context.Context, m *extsort.Merge) error {
	p.made = func(s section, replicas []string) error { return p.ahead.add(ctx, s, replicas) }
	if err := p.start(p.t.codec); err != nil {
		return err
	}
	for n := 0; m.Next(); n++ {
		if n%checkEvery == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			p.tell()
		}
		if err := p.add(m.Number(), m.Record()); err != nil {
			return err
		}
	}
	if m.Err() != nil {
		return m.Err()
	}
	p.tell()
	if err := p.row(); err != nil {
		return err
	}
	if err := p.endSection(); err != nil {
		return err
	}
	if err := p.ahead.flush(ctx); err != nil {
		return err
	}
	return p.spool.end()
}

// checkEvery is how many rows are taken until it is looked whether all was called off, and others see how many there were.
const checkEvery = 4096

// tell adds to what all stretches count together.
func (p *partitions) tell() {
	p.merged.Add(p.added)
	p.added = 0
}

// add takes a record: it is merged with the one before where they are of one clustering.
func (p *partitions) add(number uint64, record []byte) error {
	p.added += int64(len(record))
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
	if err := p.row(); err != nil {
		return err
	}
	p.number, p.record = number, append(p.record[:0], record...)
	return nil
}

// row writes the row that was taken last, if there is one, with all that was merged into it.
func (p *partitions) row() error {
	if p.record == nil {
		return nil
	}
	key, static, encoded := splitRecord(p.record)
	if !p.open || !bytes.Equal(key, p.key) {
		if err := p.begin(token.Token{Lo: p.number}, key, sstable.Deletion{}); err != nil {
			return err
		}
		p.key = append(p.key[:0], key...)
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
