package sink

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
)

// Mark is a point to which the files of an output can be cut back, so that they hold exactly the
// rows written before it. It is plain data that encoding/json round-trips. Marks of one output
// share memory: they are read-only, and safe for concurrent reads.
type Mark struct {
	// Compression is that of the options.
	Compression string `json:"compression,omitempty"`
	// Series are those that have a file: one, of worker 0, when there is one file.
	Series []SeriesMark `json:"series"`
}

// SeriesMark is the files of one worker, numbered from 1: those finished, in
// order, and then perhaps one that takes more rows.
type SeriesMark struct {
	Worker int        `json:"worker"`
	Done   []FileMark `json:"done,omitempty"`
	Open   *FileMark  `json:"open,omitempty"`
}

// FileMark is what a mark vouches for in one file.
type FileMark struct {
	Number    int    `json:"number"`
	Name      string `json:"name"` // the final one, without the folder
	Rows      int64  `json:"rows"` // without the header
	TextBytes int64  `json:"text"` // before compression, header included
	Bytes     int64  `json:"bytes"`
	// Sum is that of a finished file.
	filesum.Sum
	// State is that of the sum of an unfinished file after Bytes bytes, for [filesum.Resume].
	State []byte `json:"state,omitempty"`
}

func markOf(number int, f File) FileMark {
	return FileMark{
		Number:    number,
		Name:      f.Name,
		Rows:      f.Rows,
		TextBytes: f.TextBytes,
		Bytes:     f.Bytes,
		Sum:       f.Sum,
	}
}

// Mark writes every row so far into its file, in a form that can be read from there on its own, and
// returns that point. It may be called right after Open, so that a run without rows can be resumed
// too. It does not wait for the disk: call Sync before you rely on the mark.
//
// The caller ensures that no Write runs during Mark. It costs a write for each file with new rows.
// With a compression it also ends a member in each, and every member starts with an empty history.
// With 4 MiB of text in a file between two marks, gzip, lz4 and snappy come out 0.1 to 0.3 %
// larger. Text that zstd makes 40 times smaller comes out 3 % larger. With 1 MiB it is 1.3 % for
// gzip and 16 % for zstd. If nothing is new since the last Mark, it returns the same pointer.
//
// After a failed write Mark returns an error, because the content of the files is unknown. The mark
// of a stream is nil, without an error.
func (o *Output) Mark() (*Mark, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return nil, errEnded
	}
	return o.mark()
}

// Sync syncs everything that any earlier Mark covers: the files that are open, those finished
// meanwhile, and their names in the folder. A journal may hold the mark only after Sync has
// succeeded. Sync may run beside writers, which wait for it only when they finish a file. Files
// without new bytes since the last Sync cost nothing.
//
// An error names the file. The error of a file stays, because what was lost then is not known:
// every later Sync repeats it, and Commit refuses. A file that Abort closed after it was written to
// is an error too, so the order is Mark, Sync, Abort. A stream has nothing to sync.
func (o *Output) Sync() error {
	if o.folder == "" {
		return nil
	}
	return o.group.Sync(o.syncFolder, func(name string, err error) error {
		return fmt.Errorf("output %s: %w", name, err)
	})
}

func (o *Output) mark() (*Mark, error) {
	switch {
	case o.folder == "":
		return nil, nil
	case o.completeErr != nil:
		return nil, o.completeErr
	case o.sent.failed() != nil:
		return nil, o.sent.failed()
	}
	news := o.last == nil
	for _, s := range o.series {
		if s.err != nil && !o.completed {
			return nil, s.err
		}
		news = news || s.changed
	}
	if !news {
		return o.last, nil
	}
	m := &Mark{Compression: o.options.Compression, Series: make([]SeriesMark, 0, len(o.series))}
	for _, s := range o.series {
		if s.files() == 0 {
			continue
		}
		sm, err := s.mark()
		if err != nil {
			return nil, err
		}
		m.Series = append(m.Series, sm)
	}
	for _, s := range o.series {
		s.changed = false
	}
	o.last = m
	return m, nil
}

// mark returns the mark of one series.
func (s *series) mark() (SeriesMark, error) {
	m := SeriesMark{Worker: s.worker, Done: s.done[:len(s.done):len(s.done)]}
	if !s.open {
		return m, nil
	}
	p := s.last
	if !s.changed && s.marked != nil {
		m.Open = s.marked
		return m, nil
	}
	if err := s.chain.cut(); err != nil {
		return m, s.fail(p, err)
	}
	f := markOf(len(s.done)+1, p.File)
	f.Bytes = s.chain.tally.bytes
	var err error
	if f.State, err = s.chain.tally.sum.State(); err != nil {
		return m, s.fail(p, fmt.Errorf("mark: %w", err))
	}
	m.Open, s.marked = &f, &f
	return m, nil
}
