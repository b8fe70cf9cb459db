package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// landing is a place in Data.db where a partition begins, according to an index.
type landing struct {
	position uint64
	token    token.Token
	key      []byte // nil: the index has only the token
	by       string // the component that has it
}

// neighbors are two partitions of an index: the last one at a token or before it, and the next one.
// A partition that does not exist or is not known is nil.
type neighbors struct{ before, after *landing }

// locate finds where the partitions behind a token begin. It uses Summary.db and Index.db. If one
// of them is missing, or the summary is not that of the index, it uses a sample of the partitions.
func (r *Reader) locate(t token.Token) (neighbors, error) {
	if s := r.summary(); s != nil {
		n, err := s.around(t)
		if !errors.Is(err, errSummary) {
			return n, r.damaged(component.IndexDB, err)
		}
	}
	sample, err := r.sample()
	if err != nil {
		return neighbors{}, err
	}
	return sample.around(t), nil
}

// errSummary says that Summary.db does not lead to the entries of Index.db that it names.
var errSummary = fmt.Errorf("%s is not that of %s", component.SummaryDB, component.IndexDB)

// summaryLookup finds partitions by Summary.db and Index.db. It is only read once it is made.
type summaryLookup struct {
	index       io.ReaderAt
	size        int64 // of the index
	length      uint64
	partitioner token.Partitioner
	entries     []component.SummaryEntry
	first, last []byte
}

// maxSummaryEntries is the largest number of entries of a summary that are kept in memory. If there
// are more, only every n-th is kept, and more of the index is read.
const maxSummaryEntries = 1 << 16

// openSummary reads the summary; nil where there is none that can be used.
func (r *Reader) openSummary() *summaryLookup {
	if r.index == nil || r.partitioner == nil {
		return nil
	}
	b, ok, err := r.readIfThere(component.SummaryDB)
	if !ok || err != nil {
		return nil
	}
	summary, err := component.ParseSummary(b)
	if err != nil || len(summary.Entries) == 0 {
		return nil
	}
	return &summaryLookup{
		index:       r.index,
		size:        r.index.Size(),
		length:      r.plainLength(),
		partitioner: r.partitioner,
		entries: someEntries(
			summary.Entries,
			maxSummaryEntries,
		),
		first: bytes.Clone(summary.First),
		last:  bytes.Clone(summary.Last),
	}
}

// someEntries copies entries: all, or every n-th, so that there are at most most copies.
func someEntries(entries []component.SummaryEntry, most int) []component.SummaryEntry {
	step := (len(entries) + most - 1) / most
	some := make([]component.SummaryEntry, 0, min(most, len(entries)))
	for i := 0; i < len(entries); i += step {
		some = append(
			some,
			component.SummaryEntry{Key: bytes.Clone(entries[i].Key), Position: entries[i].Position},
		)
	}
	return some
}

// around reads the index from the last entry of the summary on that is not behind the token.
func (s *summaryLookup) around(t token.Token) (n neighbors, err error) {
	i := sort.Search(
		len(s.entries),
		func(i int) bool { return t.Less(s.partitioner.Hash(s.entries[i].Key)) },
	)
	if i == 0 {
		return n, nil
	}
	n.before, n.after, err = s.scan(i-1, func(l *landing) bool { return t.Less(l.token) })
	return n, err
}

// end is the last partition of the index, which must be that of the summary.
func (s *summaryLookup) end() (last *landing, err error) {
	last, _, err = s.scan(len(s.entries)-1, func(*landing) bool { return false })
	if err == nil && !bytes.Equal(last.key, s.last) {
		err = errSummary
	}
	return last, err
}

// lookupBuffer is how much of the index is read at a time.
const lookupBuffer = 8 << 10

// scan reads the partitions of the index, from an entry of the summary on, until stop returns true.
// It returns that partition and the one before. At the end of the index, at is nil.
func (s *summaryLookup) scan(entry int, stop func(*landing) bool) (before, at *landing, err error) {
	e := s.entries[entry]
	if e.Position >= uint64(s.size) {
		return nil, nil, errSummary
	}
	in := component.NewBareIndexReader(
		io.NewSectionReader(s.index, int64(e.Position), s.size-int64(e.Position)),
		e.Position,
		lookupBuffer,
	)
	order := indexOrder{partitioner: s.partitioner, length: s.length}
	if err := order.next(in); err != nil || !bytes.Equal(order.now.key, e.Key) {
		return nil, nil, errSummary
	}
	for !stop(&order.now) {
		if err := order.next(in); err == io.EOF {
			return &order.now, nil, nil
		} else if err != nil {
			return nil, nil, err
		}
	}
	return &order.before, &order.now, nil
}

// indexOrder reads the entries of an index and checks that they ascend.
type indexOrder struct {
	partitioner token.Partitioner
	length      uint64 // of the data
	now, before landing
	any         bool
}

// next reads the next entry, so that it is now; after the last it is io.EOF, and now stays.
func (o *indexOrder) next(in *component.IndexReader) error {
	e, err := in.Next()
	if err != nil {
		return err
	}
	o.now, o.before = o.before, o.now
	o.now = landing{
		position: e.Position,
		token:    o.partitioner.Hash(e.Key),
		key:      append(o.now.key[:0], e.Key...),
		by:       string(component.IndexDB),
	}
	before := &o.before
	if len(e.Key) == 0 || e.Position >= o.length ||
		o.any && (e.Position <= before.position ||
			comparePartitions(before.token, before.key, o.now.token, o.now.key) >= 0) {
		return fmt.Errorf(
			"entry at %d: key %x at %d of %d bytes does not come behind the one before",
			in.Position(),
			clip(e.Key),
			e.Position,
			o.length,
		)
	}
	o.any = true
	return nil
}
