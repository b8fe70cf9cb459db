// Package extsort sorts records that do not all fit into memory. It writes sorted buffers to
// temporary files, called runs, and merges them.
//
// Each goroutine that adds records takes a [Buffer] ([Sorter.Take]) and gives it back, so that
// adding takes no lock. The goroutine that fills a buffer sorts it and writes it, so that a slow
// disk slows those that add. At the end, [Sorter.Merges] returns the records in order, in several
// stretches at the same time.
//
// Records have a number, which is compared first. If it is a hash, it decides for nearly all of
// them. In memory, a second number, the hint, avoids reading most of the others.
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

// Options are the settings of a sorter.
type Options struct {
	// Memory is the size of all buffers together, in bytes. A record that is longer than a buffer
	// is written to disk at once.
	Memory int64
	// Buffers is the number of buffers. That many goroutines can add at the same time.
	Buffers int
	// Stretches is the number of equal parts of the numbers that are merged separately; default 1.
	Stretches int
	// Dir is the folder of the runs; empty: the system's for temporary files. The files have no
	// names, so nothing of them remains.
	Dir string
	// Compress compresses runs. They need less of the disk, and several times the processor time.
	Compress bool
	// Compare orders records with the same number. It must be safe for concurrent use.
	Compare func(a, b []byte) int
	// Head returns how many of a record's first bytes Compare reads. While runs are merged, only
	// these bytes of large records are in memory. Nil: all.
	Head func(record []byte) int
}

// When there are fanIn runs of one level, the sorter merges them into one of the next level. It
// reads and writes their records once more for that. A compressed run takes about 200 KiB per
// stretch while it is read, so fewer of them are read at once.
const (
	fanIn           = 256
	compressedFanIn = 64
)

// largeRecord is the length in bytes from which a record is completely in memory only when it is
// the current one.
const largeRecord = 16 << 10

// entryMemory is the memory of a record besides its bytes and their length.
const entryMemory = 24

// Sorter sorts records. It is safe for concurrent use, except for Merges and Close.
type Sorter struct {
	o      Options
	size   atomic.Int64 // of a buffer, in bytes; see SetMemory
	bounds []uint64     // where each stretch begins, except for the first
	empty  chan *Buffer
	sorted []*Buffer // set by the first call of Merges

	mu           sync.Mutex
	runs         []*run
	joiningBytes int64      // bytes of the runs that are being merged
	numbers      []distinct // by stretch: of records on disk, and after Merges of all
}

// New makes an empty sorter.
func New(o Options) *Sorter {
	s := &Sorter{
		o:       o,
		numbers: make([]distinct, max(o.Stretches, 1)),
		empty:   make(chan *Buffer, o.Buffers),
	}
	s.SetMemory(o.Memory)
	for i := 1; i < o.Stretches; i++ {
		s.bounds = append(s.bounds, uint64(i)*(math.MaxUint64/uint64(o.Stretches)))
	}
	for range o.Buffers {
		s.empty <- &Buffer{sorter: s}
	}
	return s
}

// SetMemory changes the size of all buffers together, in bytes. A buffer that has more records than
// that writes them to disk when the next one is added, and frees its memory. SetMemory is safe for
// concurrent use.
func (s *Sorter) SetMemory(bytes int64) { s.size.Store(bytes / int64(s.o.Buffers)) }

// Buffer is memory for added records. It belongs to the goroutine that took it, until that gives it
// back.
type Buffer struct {
	sorter  *Sorter
	records []byte // each with its length before it, an unsigned varint
	entries []entry
	touched atomic.Uint32 // see touch; several stretches are merged at the same time
}

// entry is a record's place in a buffer.
type entry struct {
	number, hint uint64
	at           int
}

// Take waits for a free buffer.
func (s *Sorter) Take(ctx context.Context) (*Buffer, error) {
	select {
	case b := <-s.empty:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Give gives a buffer back.
func (s *Sorter) Give(b *Buffer) { s.empty <- b }

// Add copies a record into the buffer. If it is full, its records are written to disk first; only
// that can fail. Among records with the same number, those with a smaller hint should mostly come
// first. Where they do not, sorting takes longer.
func (b *Buffer) Add(number, hint uint64, record []byte) error {
	size, need := int(b.sorter.size.Load()), binary.MaxVarintLen64+len(record)
	used := len(b.records) + entryMemory*len(b.entries)
	if used > 0 && used+need+entryMemory > size {
		if err := b.spill(); err != nil {
			return err
		}
		if cap(b.records) > size {
			b.records, b.entries = nil, nil
		}
	}
	if need+entryMemory > size { // the record makes a run of its own, without a copy
		return b.spillOne(number, record)
	}
	if b.records == nil {
		// As if all records were like this one: growing a slice copies it to memory that was never
		// used.
		most := max(size/(need+entryMemory), 1)
		b.records, b.entries = make([]byte, 0, most*need), slices.Grow(b.entries, most)
	}
	if n := len(b.records) + need; n > cap(b.records) {
		// no larger than the records get before they are written to disk
		grown := make([]byte, len(b.records), max(n, min(2*cap(b.records), size)))
		copy(grown, b.records)
		b.records = grown
	}
	b.entries = append(b.entries, entry{number, hint, len(b.records)})
	b.records = binary.AppendUvarint(b.records, uint64(len(record)))
	b.records = append(b.records, record...)
	return nil
}

// record returns the bytes of an entry.
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

// radixBits is the number of bits that entries are sorted by at once. Fewer than fewBy entries are
// sorted by comparison.
const (
	radixBits = 8
	fewBy     = 64
)

// sortEntries sorts entries whose numbers have all bits above shift+radixBits in common. It moves
// them to their places by the next bits of the number, and sorts each group by the bits after
// those. This is American flag sort (McIlroy, Bostic, McIlroy, "Engineering Radix Sort"). So hashes
// are hardly ever compared.
func sortEntries(entries []entry, shift int, compare func(x, y entry) int) {
	if len(entries) < fewBy || shift < 0 {
		slices.SortFunc(entries, compare)
		return
	}
	// of each group: the next place to fill, and the end
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
			for {
				to := e.number >> shift % (1 << radixBits)
				if to == uint64(group) {
					break
				}
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

// below returns the number of records in a sorted buffer with a smaller number.
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

// keep adds a finished run, and merges runs if there are many. Others may add runs meanwhile.
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

// add adds a run. If there are many runs of its level, it removes and returns them, to be merged.
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

// join merges runs of one level into one, and closes them.
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

// readMemory is the memory of all read buffers together, in bytes, if there are many runs.
const readMemory = 16 << 20

// readBuffer returns the size of the read buffer of each run, in bytes, if all stretches are read
// at the same time.
func (s *Sorter) readBuffer(runs int) int {
	return min(runBuffer, max(readMemory/(max(runs, 1)*(len(s.bounds)+1)), leastReadBuffer))
}

// Merges returns all records in order: a merge for each stretch, in their order. All buffers must
// have been given back, and no record may be added any more. Each call begins again with the first
// record.
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

// countNumbers adds the numbers of sorted records to the estimates of their stretches.
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

// Spilled returns the number of bytes on disk.
func (s *Sorter) Spilled() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.joiningBytes
	for _, r := range s.runs {
		n += r.size()
	}
	return n
}

// Close removes the runs. The sorter cannot be used afterwards.
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
