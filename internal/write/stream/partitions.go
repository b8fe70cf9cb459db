package stream

import (
	"bytes"
	"context"
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/extsort"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// partitions makes partitions of the sorted records of a stretch of tokens.
type partitions struct {
	t       *Target
	as      *sstable.Codec // the codec that nodes read the rows by
	capped  bool           // some rows expire later than as can store: see Target.outlives
	refused refusals       // rows that are left out; nil: none
	some    bool           // only partitions of refused rows are made
	to      sstable.Sink
	merger  *merger
	count   func(bytes int64) // adds the bytes of records that partitions were made of
	added   int64             // bytes that count has not added yet
	begun   int64             // partitions since to was set
	// reports, before each partition but the first, whether it goes to another sink; may be nil
	full func() bool
	// the merge is at a record that was not taken because the sink was full
	held bool

	number  uint64 // the token of the row that is next
	record  []byte // the row
	other   []byte // memory for another row of its clustering
	merging bool   // the merger has the row, and others of its clustering
	key     []byte // of the open partition
	rebased []byte // see rebase
	room    sstable.Row
}

// errFull means that the next record goes to another sink. The caller sets one and calls again.
var errFull = errors.New("the sink is full")

// take makes partitions of all records of a merge.
func (p *partitions) take(ctx context.Context, m *extsort.Merge) error {
	for n := 0; p.held || m.Next(); n++ {
		p.held = false
		if n%checkEvery == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			p.report()
		}
		if err := p.add(m); err != nil {
			p.held = errors.Is(err, errFull)
			return err
		}
	}
	return m.Err()
}

// end ends the last partition.
func (p *partitions) end() error {
	p.report()
	if err := p.row(); err != nil {
		return err
	}
	p.record = nil
	if p.begun == 0 {
		return nil
	}
	return p.to.End()
}

// checkEvery is the number of rows between checks for cancellation and updates of the progress
// counters.
const checkEvery = 4096

func (p *partitions) report() {
	p.count(p.added)
	p.added = 0
}

// add takes the record that a merge is at. If the one before has the same clustering, they are
// merged.
func (p *partitions) add(m *extsort.Merge) (err error) {
	number, head := m.Number(), m.Head()
	var left []byte // the record, if it may be left out
	if p.refused != nil {
		key, _, _ := splitRecord(head)
		if p.refused[string(key)] == nil && p.some {
			p.added += int64(len(head))
			return nil
		}
		if left, err = m.AppendRecord(nil); err != nil {
			return err
		}
		p.added += int64(len(left))
		if out, err := p.refused.has(left, p.t.codec, &p.room); out || err != nil {
			return err
		}
	}
	appendRecord := func(dst []byte) ([]byte, error) {
		if left != nil {
			return append(dst, left...), nil
		}
		from := len(dst)
		dst, err := m.AppendRecord(dst)
		p.added += int64(len(dst) - from)
		return dst, err
	}
	if p.record != nil && number == p.number && p.t.compare(p.record, head) == 0 {
		if !p.merging {
			_, _, first := splitRecord(p.record)
			if err := p.merger.begin(first); err != nil {
				return err
			}
			p.merging = true
		}
		if p.other, err = appendRecord(p.other[:0]); err != nil {
			return err
		}
		_, _, encoded := splitRecord(p.other)
		return p.merger.add(encoded)
	}
	if err := p.row(); err != nil {
		return err
	}
	p.number = number
	p.record, err = appendRecord(p.record[:0])
	return err
}

// row writes the last row, if there is one, with all that was merged into it.
func (p *partitions) row() error {
	if p.record == nil {
		return nil
	}
	key, static, encoded := splitRecord(p.record)
	begins := p.begun == 0 || !bytes.Equal(key, p.key)
	if begins && p.begun > 0 {
		if err := p.to.End(); err != nil {
			return err
		}
		if p.full != nil && p.full() {
			return errFull
		}
	}
	if p.merging {
		p.merging = false
		var err error
		if encoded, err = p.merger.merged(); err != nil {
			return err
		}
	}
	if begins {
		p.begun++
		deletion, err := p.deletion(encoded)
		if err != nil {
			return err
		}
		if err := p.to.Begin(key, deletion); err != nil {
			return err
		}
		p.key = append(p.key[:0], key...)
		if deletion.Set {
			return nil
		}
	}
	if p.t.deletesRanges() {
		return p.rows(encoded)
	}
	encoded, err := p.rebase(encoded)
	if err != nil {
		return err
	}
	if static {
		return p.to.Static(encoded)
	}
	return p.to.Row(encoded)
}

// rows deletes the rows with the first clustering values of a row that stands for them. All ranges
// of a partition have the same number of values, so that no two of them touch.
func (p *partitions) rows(encoded []byte) error {
	if err := p.as.DecodeRow(encoded, &p.room); err != nil {
		return err
	}
	values, deletion := p.room.Clustering[:p.t.o.DeleteBy], p.room.Deletion
	start := sstable.Marker{Kind: sstable.InclusiveStart, Values: values, Started: deletion}
	if err := p.to.Marker(&start); err != nil {
		return err
	}
	end := sstable.Marker{Kind: sstable.InclusiveEnd, Values: values, Ended: deletion}
	return p.to.Marker(&end)
}

// deletion returns the deletion of a partition whose row stands for it: see
// sstable.InsertOptions.Delete.
func (p *partitions) deletion(encoded []byte) (sstable.Deletion, error) {
	if !p.t.deletesPartitions() {
		return sstable.Deletion{}, nil
	}
	err := p.as.DecodeRow(encoded, &p.room)
	return p.room.Deletion, err
}

// rebase encodes a row again if the codec that reads it would read it differently. If collections
// are replaced, each of them has a deletion, so only expiries can be the reason.
func (p *partitions) rebase(encoded []byte) ([]byte, error) {
	if !p.capped && (!p.t.o.Append || !sstable.NeedsRebase(encoded)) {
		return encoded, nil
	}
	var err error
	p.rebased, err = p.as.AppendRebased(p.rebased[:0], encoded, p.t.codec, &p.room)
	return p.rebased, err
}

// newPartitions returns partitions whose rows a node reads by a codec of stamped.
func (t *Target) newPartitions(
	as *sstable.Codec,
	to sstable.Sink,
	count func(bytes int64),
) *partitions {
	return &partitions{
		t:       t,
		as:      as,
		capped:  t.outlives(as),
		refused: t.batch.leftOut,
		some:    t.batch.some,
		to:      to,
		merger:  newMerger(t.codec),
		count:   count,
	}
}
