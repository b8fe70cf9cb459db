package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Within returns a Decoder of the partitions whose tokens are in the ranges, in the order of the
// file. It decodes nothing else, and reads little else. Ranges may come in any order and
// overlap; those whose Start is not before their End hold nothing.
//
// Nothing is read before the first call of Next. Next finds the beginning of a range with
// Summary.db and Index.db. If the summary is missing or is not that of the index, Next uses only
// the index. If there is no index, as in the versions DA, MS and MT, it uses a sample of the
// partitions. The index or Data.db is then read whole, once for all Decoders, and some 32 bytes are
// kept for each 64 KiB of data.
//
// A place that an index gives is compared with the key that stands there. A partition before the
// range is checked as well, so that the index of another file is an error and leaves nothing out.
// Keys that do not ascend are an error.
//
// It fails where the file's partitioner is not one of package token. Within may be called by any
// number of goroutines, and each Decoder be used by one of its own, until Close.
func (r *Reader) Within(ranges []token.Range) (*Decoder, error) {
	switch {
	case r.damage != nil:
		return nil, r.damage
	case r.partitioner == nil:
		return nil, r.partitionerError()
	}
	in := r.plain()
	d := sstable.NewDecoder(r.codec, in, sstable.MaxRowBytes)
	// If there are very many small files, each takes little memory.
	d.SetReadSize(int(min(sstable.ReadBytes, r.Length()+1)))
	return &Decoder{
		Decoder: d,
		path:    r.path(component.DataDB),
		walk:    &rangeWalk{table: r, ranges: token.Merge(ranges)},
	}, nil
}

// partitionerError says that tokens are not known.
func (r *Reader) partitionerError() error {
	_, err := token.ByClass(r.statistics.Partitioner)
	return fmt.Errorf("%s: %w", r.path(component.StatisticsDB), err)
}

// rangeWalk leads a Decoder from one partition to the next that is in one of the ranges.
type rangeWalk struct {
	table  *Reader
	ranges []token.Range // that are not done with, ascending and apart

	located bool // route leads to the first of the ranges
	route   []*landing
	expect  *landing // what is to be found at the next partition

	any  bool // a partition was read
	last token.Token
	key  []byte // of the partition before
}

// next finds the next partition that is in a range.
func (w *rangeWalk) next(d *sstable.Decoder) error {
	if !w.any && len(w.ranges) > 0 {
		// The least token has no partitions: a range from there on begins with the file.
		if w.located = w.ranges[0].Start == w.table.partitioner.Min(); !w.located {
			if err := w.lead(d); err != nil {
				return err
			}
		}
	}
	for len(w.ranges) > 0 {
		err := d.NextPartition()
		if errors.Is(err, io.EOF) {
			return w.ended()
		}
		if err != nil {
			return err
		}
		if err := w.check(d); err != nil {
			return err
		}
		for len(w.ranges) > 0 && w.ranges[0].End.Less(w.last) {
			w.ranges, w.located, w.route = w.ranges[1:], false, nil
		}
		if len(w.ranges) == 0 {
			break
		}
		if w.ranges[0].Start.Less(w.last) {
			return nil
		}
		if err := w.lead(d); err != nil {
			return err
		}
	}
	return io.EOF
}

// lead brings the Decoder, which is at a partition before the first of the ranges or at none,
// nearer to it.
func (w *rangeWalk) lead(d *sstable.Decoder) error {
	if !w.located {
		w.located = true
		n, err := w.table.locate(w.ranges[0].Start)
		if err != nil {
			return err
		}
		for _, l := range []*landing{n.before, n.after} {
			if l != nil {
				w.route = append(w.route, l)
			}
		}
	}
	for len(w.route) > 0 {
		l := w.route[0]
		w.route = w.route[1:]
		if !w.any || l.position > uint64(d.Offset()) {
			w.expect = l
			return d.SkipTo(int64(min(l.position, math.MaxInt64)))
		}
	}
	return nil
}

// check holds a partition against the one before, and against what is known of it.
func (w *rangeWalk) check(d *sstable.Decoder) error {
	at := w.table.partitioner.Hash(d.Key())
	if l := w.expect; l != nil && (l.token != at || l.key != nil && !bytes.Equal(l.key, d.Key())) {
		return fmt.Errorf(
			"partition %x is here, where %s has another one: are they of one file?",
			clip(d.Key()),
			l.by,
		)
	}
	w.expect = nil
	if d.Offset() == 0 {
		first, by, err := w.table.knownFirst()
		if err != nil {
			return err
		}
		if first != nil && !bytes.Equal(first, d.Key()) {
			return fmt.Errorf(
				"partition %x is the first, where %s has %x: are they of one file?",
				clip(d.Key()),
				by,
				clip(first),
			)
		}
	}
	if w.any && comparePartitions(w.last, w.key, at, d.Key()) >= 0 {
		return fmt.Errorf("partition %x does not come behind %x", clip(d.Key()), clip(w.key))
	}
	w.any, w.last, w.key = true, at, append(w.key[:0], d.Key()...)
	return nil
}

// ended checks that the partition before is the last one, where that is known; then it is io.EOF.
func (w *rangeWalk) ended() error {
	if !w.any {
		return errors.New("there is no partition")
	}
	last, by, err := w.table.knownLast()
	if err != nil {
		return err
	}
	if last != nil && !bytes.Equal(last, w.key) {
		return fmt.Errorf(
			"ends behind partition %x, where %s has %x as the last",
			clip(w.key),
			by,
			clip(last),
		)
	}
	w.ranges = nil
	return io.EOF
}
