// Package extsort sorts records that do not all fit into memory: sorted buffers are
// written to temporary files as runs, and merged.
//
// Each goroutine that adds records takes a [Buffer] for itself ([Sorter.Take]) and gives it
// back, so that adding takes no lock; a buffer that is full is sorted and written by the
// goroutine that fills it, so that the disk holds up those who add. When all is added,
// [Sorter.Merges] gives the records in order, several stretches of them at the same time.
//
// Records are compared by a number first, which decides for nearly all where it is a hash, and in
// memory by a second one, which spares looking at most of the others.
package extsort

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Options say how to sort.
type Options struct {
	// Memory is how many bytes all buffers may hold. A record that is longer than a buffer
	// goes to the disk at once.
	Memory int64
	// Buffers is how many there are: as many goroutines can add at once.
	Buffers int
	// Stretches is how many parts of the numbers, of one size each, are merged on their own;
	// default 1.
	Stretches int
	// Dir is the folder of the runs; empty: the system's for temporary files. Their names
	// are removed at once, so that nothing stays behind.
	Dir string
	// Compress has runs take less of the disk, and a multiple of the processor's time.
	Compress bool
	// Compare orders records of one number. It must be safe for concurrent use.
	Compare func(a, b []byte) int
	// Head returns how many of a record's first bytes Compare looks at: of large records no more
	// than these are in memory while runs are merged. Nil: all.
	Head func(record []byte) int
}

// When there are fanIn runs of one level, they become one of the next: what is joined is read and
// written once more. A compressed run takes some 200 KiB while it is read, for each stretch, so
// that fewer are read at once.
const (
	fanIn           = 256
	compressedFanIn = 64
)

// largeRecord is the length from which a record is in memory as a whole only when its turn has
// come.
const largeRecord = 16 << 10

// entryMemory is what a record takes besides its bytes and their length.
const entryMemory = 24

// Sorter sorts. It is safe for concurrent use, but for Merges and Close.
type Sorter struct {
	o      Options
	size   int      // of a buffer, in bytes
	bounds []uint64 // where each stretch begins, but the first
	empty  chan *Buffer
	sorted []*Buffer // by the first call of Merges; nil before

	mu           sync.Mutex
	runs         []*run
	joiningBytes int64      // bytes of the runs that are being joined
	numbers      []distinct // of each stretch: of records on the disk, and once there are merges of all
}

// New makes a sorter without records.
func New(o Options) *Sorter {
	s := &Sorter{
		o:       o,
		numbers: make([]distinct, max(o.Stretches, 1)),
		size:    int(o.Memory / int64(o.Buffers)),
		empty:   make(chan *Buffer, o.Buffers),
	}
	for i := 1; i < o.Stretches; i++ {
		s.bounds = append(s.bounds, uint64(i)*(math.MaxUint64/uint64(o.Stretches)))
	}
	for range o.Buffers {
		s.empty <- &Buffer{sorter: s}
	}
	return s
}

// Buffer is memory for records that were added. It belongs to the goroutine that took it,
// until that gives it back.
type Buffer struct {
	sorter  *Sorter
	records []byte // each after its length, an unsigned varint
	entries []entry
	touched atomic.Uint32 // see touch; several stretches are merged at the same time
}

// entry is a record's place in a buffer.
type entry struct {
	number, hint uint64
	at           int
}

// Take waits for a buffer that nobody has.
func (s *Sorter) Take(ctx context.Context) (*Buffer, error) {
	select {
	case b := <-s.empty:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Give ends the use of a buffer.
func (s *Sorter) Give(b *Buffer) { s.empty <- b }

// Add copies a record into the buffer. When there is no room, the buffer's records go to the disk
// first; only then there can be an error. Of records of one number those with a smaller hint are
// mostly before the others: where they are not, sorting takes longer.
func (b *Buffer) Add(number, hint uint64, record []byte) error {
	need := binary.MaxVarintLen64 + len(record)
	if used := len(
		b.records,
	) + entryMemory*len(
		b.entries,
	); used > 0 &&
		used+need+entryMemory > b.sorter.size {
		if err := b.spill(); err != nil {
			return err
		}
	}
	if need+entryMemory > b.sorter.size { // it makes a run of its own, and no copy
		return b.spillOne(number, record)
	}
	if b.records == nil {
		// As if all records were like this one: a slice that grows is copied to memory that was
		// never touched.
		most := max(b.sorter.size/(need+entryMemory), 1)
		b.records, b.entries = make([]byte, 0, most*need), slices.Grow(b.entries, most)
	}
	if n := len(b.records) + need; n > cap(b.records) {
		// No further than the records go before they are spilled.
		grown := make([]byte, len(b.records), max(n, min(2*cap(b.records), b.sorter.size)))
		copy(grown, b.records)
		b.records = grown
	}
	b.entries = append(b.entries, entry{number, hint, len(b.records)})
	b.records = binary.AppendUvarint(b.records, uint64(len(record)))
	b.records = append(b.records, record...)
	return nil
}

// record gives the bytes of an entry.
func (b *Buffer) record(e entry) []byte {
	length, n := binary.Uvarint(b.records[e.at:])
	from := e.at + n
	return b.records[from : from+int(length) : from+int(length)]
}

func (b *Buffer) sort() {
	compare := func(x, y entry) int { return b.sorter.o.Compare(b.record(x), b.record(y)) }
	sortEntries(b.entries, 64-radixBits, func(x, y entry) int {
		switch {
		case x.number != y.number:
			return cmp.Compare(x.number, y.number)
		case x.hint != y.hint:
			return cmp.Compare(x.hint, y.hint)
		default:
			return compare(x, y)
		}
	})
	for from := 0; from < len(b.entries); {
		to, misled := from+1, false
		for ; to < len(b.entries) && b.entries[to].number == b.entries[from].number; to++ {
			misled = misled ||
				b.entries[to-1].hint != b.entries[to].hint &&
					compare(b.entries[to-1], b.entries[to]) > 0
		}
		if misled {
			slices.SortFunc(b.entries[from:to], compare)
		}
		from = to
	}
}

// radixBits is how many bits of the numbers entries are put in order by at once, and fewBy below
// how many entries they are compared rather.
const (
	radixBits = 8
	fewBy     = 64
)

// sortEntries sorts entries whose numbers have all bits in common beyond shift+radixBits: it puts
// them into their places by those bits of the number (American flag sort: McIlroy, Bostic, McIlroy,
// "Engineering Radix Sort"), and each group by what follows. A hash is not compared that way, but
// for a few neighbors.
func sortEntries(entries []entry, shift int, compare func(x, y entry) int) {
	if len(entries) < fewBy || shift < 0 {
		slices.SortFunc(entries, compare)
		return
	}
	// of each group: the place that is filled next, and the one behind the last
	var next, end [1 << radixBits]int
	for _, e := range entries {
		end[e.number>>shift%(1<<radixBits)]++
	}
	at := 0
	for group, n := range end {
		next[group] = at
		at += n
		end[group] = at
	}
	for group := range next {
		for next[group] < end[group] {
			e := entries[next[group]]
			for to := e.number >> shift % (1 << radixBits); to != uint64(group); to = e.number >> shift % (1 << radixBits) {
				e, entries[next[to]] = entries[next[to]], e
				next[to]++
			}
			entries[next[group]] = e
			next[group]++
		}
	}
	from := 0
	for _, to := range end {
		if to > from {
			sortEntries(entries[from:to], shift-radixBits, compare)
		}
		from = to
	}
}

// below is how many records of a sorted buffer have a smaller number.
func (b *Buffer) below(number uint64) int {
	n, _ := slices.BinarySearchFunc(
		b.entries,
		number,
		func(e entry, number uint64) int { return cmp.Compare(e.number, number) },
	)
	return n
}

// spill writes the buffer to a run of its own.
func (b *Buffer) spill() error {
	b.sort()
	b.sorter.countNumbers(b.entries)
	r, err := b.sorter.newRun()
	if err != nil {
		return err
	}
	for i, e := range b.entries {
		if i%together == 0 {
			b.touch(b.entries[i:])
		}
		if err := r.add(e.number, b.record(e)); err != nil {
			return errors.Join(err, r.close())
		}
	}
	b.records, b.entries = b.records[:0], b.entries[:0]
	return b.sorter.keep(r)
}

// spillOne writes a record to a run of its own.
func (b *Buffer) spillOne(number uint64, record []byte) error {
	b.sorter.countNumbers([]entry{{number: number}})
	r, err := b.sorter.newRun()
	if err != nil {
		return err
	}
	if err := r.add(number, record); err != nil {
		return errors.Join(err, r.close())
	}
	return b.sorter.keep(r)
}

// keep takes a run over, and joins runs when there are many. Others may add runs meanwhile.
func (s *Sorter) keep(r *run) error {
	for {
		if err := r.end(); err != nil {
			return errors.Join(err, r.close())
		}
		many := s.add(r)
		if many == nil {
			return nil
		}
		var err error
		if r, err = s.join(many); err != nil {
			return err
		}
	}
}

// add adds a run. It takes out and returns all runs of its level, to be joined, when there are that
// many.
func (s *Sorter) add(r *run) (many []*run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, r)
	of := 0
	for _, other := range s.runs {
		if other.level == r.level {
			of++
		}
	}
	if of < s.fanIn() {
		return nil
	}
	s.runs = slices.DeleteFunc(s.runs, func(other *run) bool {
		if other.level != r.level {
			return false
		}
		many = append(many, other)
		s.joiningBytes += other.size()
		return true
	})
	return many
}

func (s *Sorter) fanIn() int {
	if s.o.Compress {
		return compressedFanIn
	}
	return fanIn
}

// join makes one run of those given, which are of one level, and closes them.
func (s *Sorter) join(many []*run) (out *run, err error) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range many {
			s.joiningBytes -= r.size()
			err = errors.Join(err, r.close())
		}
		if err != nil && out != nil {
			err = errors.Join(err, out.close())
		}
	}()
	if out, err = s.newRun(); err != nil {
		return nil, err
	}
	out.level = many[0].level + 1
	return out, s.mergeInto(out, many)
}

// newMerge makes a merge of a stretch of runs.
func (s *Sorter) newMerge(runs []*run, stretch int) *Merge {
	m := &Merge{compare: s.o.Compare}
	buffer := s.readBuffer(len(runs))
	for _, r := range runs {
		m.sources = append(m.sources, r.read(stretch, buffer))
	}
	return m
}

func (s *Sorter) mergeInto(out *run, runs []*run) error {
	var record []byte
	for stretch := range len(s.bounds) + 1 {
		m := s.newMerge(runs, stretch)
		for m.Next() {
			var err error
			if record, err = m.AppendRecord(record[:0]); err != nil {
				return err
			}
			if err := out.add(m.Number(), record); err != nil {
				return err
			}
		}
		if m.Err() != nil {
			return m.Err()
		}
	}
	return nil
}

// readMemory is what the buffers that runs are read through take together, in bytes, where there
// are many of them.
const readMemory = 16 << 20

// readBuffer is how much of each of some runs is read at once, in bytes, where all stretches are
// read at the same time.
func (s *Sorter) readBuffer(runs int) int {
	return min(runBuffer, max(readMemory/(max(runs, 1)*(len(s.bounds)+1)), leastReadBuffer))
}

// Merges begins to give all records in order: a merge for each stretch, in their order. All buffers
// must have been given back, and no record may be added any more. Each call begins with the first.
func (s *Sorter) Merges() []*Merge {
	buffers := s.sortedBuffers()
	merges := make([]*Merge, len(s.bounds)+1)
	for i := range merges {
		merges[i] = s.newMerge(s.runs, i)
		merges[i].numbers = s.numbers[i].count()
		for _, b := range buffers {
			from, to := 0, len(b.entries)
			if i > 0 {
				from = b.below(s.bounds[i-1])
			}
			if i < len(s.bounds) {
				to = b.below(s.bounds[i])
			}
			merges[i].sources = append(
				merges[i].sources,
				&bufferSource{buffer: b, entries: b.entries[from:to]},
			)
		}
	}
	return merges
}

// countNumbers counts the numbers of sorted records in the estimates of their stretches.
func (s *Sorter) countNumbers(entries []entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stretch := 0
	for _, e := range entries {
		for stretch < len(s.bounds) && e.number >= s.bounds[stretch] {
			stretch++
		}
		s.numbers[stretch].add(e.number)
	}
}

// sortedBuffers takes all buffers for good, and sorts them.
func (s *Sorter) sortedBuffers() []*Buffer {
	if s.sorted != nil {
		return s.sorted
	}
	s.sorted = make([]*Buffer, s.o.Buffers)
	var sorting sync.WaitGroup
	for i := range s.sorted {
		s.sorted[i] = <-s.empty
		sorting.Go(s.sorted[i].sort)
	}
	sorting.Wait()
	for _, b := range s.sorted {
		s.countNumbers(b.entries)
	}
	return s.sorted
}

// Spilled is how many bytes of records went to the disk, as they stand there.
func (s *Sorter) Spilled() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.joiningBytes
	for _, r := range s.runs {
		n += r.size()
	}
	return n
}

// Close gives up the runs. The sorter cannot be used any more.
func (s *Sorter) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var failures []error
	for _, r := range s.runs {
		failures = append(failures, r.close())
	}
	s.runs = nil
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("sorted runs: %w", err)
	}
	return nil
}
