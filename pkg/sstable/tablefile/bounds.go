package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Bound is the first or the last partition of a file.
type Bound struct {
	Key   []byte
	Token token.Token
}

// Bounds returns the first and the last partition of the file. The caller must not change them. The
// first call reads a chunk of Data.db and the statistics, or the end of Index.db. If these are
// missing, it reads what Within would read. It fails where Within does.
func (r *Reader) Bounds() (first, last Bound, err error) {
	b, err := r.bounds()
	return b[0], b[1], err
}

// Overlaps reports whether the file may have partitions in one of the ranges. If it returns false,
// there are none. If the file is damaged at one end, Overlaps uses its other components, so that
// only the ranges of the damage cannot be read.
func (r *Reader) Overlaps(ranges []token.Range) bool {
	s := r.span()
	for _, g := range ranges {
		if g.Start.Less(g.End) && (s.last == nil || g.Start.Less(*s.last)) &&
			(s.first == nil || !g.End.Less(*s.first)) {
			return true
		}
	}
	return false
}

// span is the tokens of the first and the last partition; nil: not known.
type span struct{ first, last *token.Token }

// readSpan finds the span by the bounds. If these cannot be read, it uses keys that two components
// agree on, or those of Statistics.db, which has checksums where it has keys. So a changed bit in
// one component leaves no partition out.
func (r *Reader) readSpan() span {
	if r.partitioner == nil {
		return span{}
	}
	if b, err := r.bounds(); err == nil {
		return span{&b[0].Token, &b[1].Token}
	}
	s := span{r.tokenOf(r.agreedFirst()), r.tokenOf(r.agreedLast())}
	if s.first != nil && s.last != nil && s.last.Less(*s.first) {
		return span{}
	}
	return s
}

// tokenOf is the token of a key; nil of no key.
func (r *Reader) tokenOf(key []byte) *token.Token {
	if len(key) == 0 {
		return nil
	}
	t := r.partitioner.Hash(key)
	return &t
}

// agreedFirst is the key of the first partition that is beyond doubt; nil: there is none.
func (r *Reader) agreedFirst() []byte {
	if key := r.statistics.Stats.FirstKey; len(key) > 0 {
		return key
	}
	var keys [][]byte
	if r.damage == nil {
		d := sstable.NewDecoder(r.codec, r.plain(), sstable.MaxRowBytes)
		if d.NextPartition() == nil {
			keys = append(keys, d.Key())
		}
	}
	if r.index != nil {
		if key, err := r.indexFirst(); err == nil {
			keys = append(keys, key)
		}
	}
	if s := r.summary(); s != nil {
		keys = append(keys, s.first)
	}
	for i, key := range keys {
		if slices.ContainsFunc(
			keys[:i],
			func(other []byte) bool { return bytes.Equal(key, other) },
		) {
			return key
		}
	}
	return nil
}

// agreedLast is the key of the last partition that is beyond doubt; nil: there is none.
func (r *Reader) agreedLast() []byte {
	if key := r.statistics.Stats.LastKey; len(key) > 0 {
		return key
	}
	if r.damage == nil && r.index != nil {
		if key, err := r.indexLast(); err == nil {
			return key
		}
	}
	if s := r.summary(); s != nil {
		if last, err := s.end(); err == nil { // it is also the last one of the summary
			return last.key
		}
	}
	return nil
}

// readBounds finds the bounds.
func (r *Reader) readBounds() (bounds [2]Bound, err error) {
	if r.partitioner == nil {
		return bounds, r.partitionerError()
	}
	d, err := r.Within([]token.Range{token.Whole(r.partitioner)})
	if err == nil {
		_, err = d.Next()
	}
	if err != nil {
		return bounds, err
	}
	bounds[0] = Bound{Key: d.Key(), Token: d.walk.last}
	last, _, err := r.knownLast()
	if err == nil && last == nil {
		var s *sample
		if s, err = r.sample(); err == nil {
			last = s.last.key
		}
	}
	if err != nil {
		return bounds, err
	}
	bounds[1] = Bound{Key: last, Token: r.partitioner.Hash(last)}
	if comparePartitions(bounds[0].Token, bounds[0].Key, bounds[1].Token, last) > 0 {
		err = r.damaged(
			component.DataDB,
			fmt.Errorf("first key %x comes behind the last, %x", clip(bounds[0].Key), clip(last)),
		)
	}
	return bounds, err
}

// noPartition is the error where a partition should be.
func noPartition(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("there is no partition")
	}
	return err
}

// knownFirst returns the key of the first partition and its source; nil: it is not known.
func (r *Reader) knownFirst() (key []byte, by string, err error) {
	if key := r.statistics.Stats.FirstKey; len(key) > 0 {
		return key, string(component.StatisticsDB), nil
	}
	if r.index == nil {
		return nil, "", nil
	}
	key, err = r.indexFirst()
	return key, string(component.IndexDB), err
}

// readIndexFirst finds the first partition of Index.db.
func (r *Reader) readIndexFirst() ([]byte, error) {
	e, err := component.NewBareIndexReader(
		io.NewSectionReader(r.index, 0, r.index.Size()),
		0,
		lookupBuffer,
	).Next()
	if err == nil && e.Position != 0 {
		err = fmt.Errorf("has the first partition at %d", e.Position)
	}
	if err == io.EOF {
		err = errNoPartitions
	}
	return bytes.Clone(e.Key), r.damaged(component.IndexDB, err)
}

// knownLast returns the key of the last partition and its source. It does not read the whole
// Data.db; nil: the key is not known. A key of an index was compared with Data.db.
func (r *Reader) knownLast() (key []byte, by string, err error) {
	if key := r.statistics.Stats.LastKey; len(key) > 0 {
		return key, string(component.StatisticsDB), nil
	}
	if r.index == nil {
		return nil, "", nil
	}
	key, err = r.indexLast()
	return key, string(component.IndexDB), err
}

// readIndexLast finds the last partition of Index.db, and holds it against Data.db. Where the
// summary does not have the same one, Data.db must end behind it.
func (r *Reader) readIndexLast() ([]byte, error) {
	var last *landing
	err := errSummary
	if s := r.summary(); s != nil {
		last, err = s.end()
	}
	alone := errors.Is(err, errSummary)
	if alone {
		var sample *sample
		if sample, err = r.sample(); err == nil {
			last = &sample.last
		}
	}
	if err != nil {
		return nil, r.damaged(component.IndexDB, err)
	}
	d := sstable.NewDecoder(r.codec, r.plain(), sstable.MaxRowBytes)
	if err = d.SkipTo(int64(min(last.position, math.MaxInt64))); err == nil {
		err = d.NextPartition()
	}
	if err == nil && !bytes.Equal(d.Key(), last.key) {
		err = fmt.Errorf(
			"partition %x is here, where %s has %x",
			clip(d.Key()),
			component.IndexDB,
			clip(last.key),
		)
	}
	if err == nil && alone {
		err = r.endsWith(d)
	}
	if err != nil {
		return nil, r.damaged(component.DataDB, d.AtOffset(noPartition(err)))
	}
	return last.key, nil
}

// endsWith fails unless the data ends behind the partition of a decoder, the last one of Index.db.
func (r *Reader) endsWith(d *sstable.Decoder) error {
	if err := d.NextPartition(); err == nil {
		return r.damaged(
			component.IndexDB,
			fmt.Errorf(
				"ends before partition %x at %d of %s",
				clip(d.Key()),
				d.Offset(),
				component.DataDB,
			),
		)
	} else if err != io.EOF {
		return err
	}
	return nil
}
