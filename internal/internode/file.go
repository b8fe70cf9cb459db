package internode

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// File becomes at least one SSTable of a table on the node. It has partitions row by row, or the
// components of an entire SSTable.
type File struct {
	Table UUID
	// Keys is the number of partitions. The node sizes its bloom filter by it.
	Keys int64
	// Header is the component HEADER of Statistics.db: minima, types and columns.
	Header []byte

	// Length is the number of bytes of the partitions. These are end to end, in the order of their
	// tokens, as in an SSTable of version nb. Open returns a reader of them. It is called once in a
	// session, by a goroutine of the session. One goroutine reads and closes the reader. If the
	// reader ends before or after Length, the session fails before it can be complete.
	Length int64
	Open   func() (io.ReadCloser, error)

	// Whole is an entire SSTable instead of partitions. Length and Open are not used then.
	Whole *Whole
}

// Whole is an entire SSTable of the format big. Nodes check next to nothing of it.
type Whole struct {
	Version  string // such as nb: a version that the node itself writes
	FirstKey []byte // key of its first partition
	// Components are Data.db, Index.db, Statistics.db, and any others except TOC.txt.
	Components []Component
}

// Component is a part of an entire SSTable. Open is called and read like that of a File.
type Component struct {
	Name string // such as Data.db
	Size int64
	Open func() (io.ReadCloser, error)
}

func (w *Whole) manifest() Manifest {
	m := make(Manifest, len(w.Components))
	for i, c := range w.Components {
		m[i] = ManifestEntry{Name: c.Name, Size: c.Size}
	}
	return m
}

// weigh returns the number of files that the protocol counts this one for, and their bytes.
func (f *File) weigh() (files int, bytes int64) {
	if f.Whole == nil {
		return 1, f.Length
	}
	for _, c := range f.Whole.Components {
		bytes += c.Size
	}
	return len(f.Whole.Components), bytes
}

func (f *File) check() error {
	if err := checkHeader(f.Header); err != nil {
		return err
	}
	if f.Keys < 1 {
		return fmt.Errorf("a file of %d partitions", f.Keys)
	}
	if f.Whole == nil {
		if f.Length < 1 || f.Open == nil {
			return fmt.Errorf("a file of %d bytes", f.Length)
		}
		return nil
	}
	if n := len(f.Whole.FirstKey); n < 1 || n > math.MaxUint16 {
		return fmt.Errorf("a first key of %d bytes", n)
	}
	if len(f.Whole.Version) != 2 {
		return fmt.Errorf("SSTable version %.20q", f.Whole.Version)
	}
	return f.Whole.manifest().check()
}

// summarize returns the session's summaries, one for each table, and the number of each file among
// those of its table.
func summarize(files []File) (all []Summary, sequence []int, err error) {
	if len(files) == 0 {
		return nil, nil, errors.New("a session of no file")
	}
	at := make(map[UUID]int)
	count := make(map[UUID]int)
	sequence = make([]int, len(files))
	for i := range files {
		f := &files[i]
		if err := f.check(); err != nil {
			return nil, nil, fmt.Errorf("file %d: %w", i, err)
		}
		n, seen := at[f.Table]
		if !seen {
			n = len(all)
			at[f.Table] = n
			all = append(all, Summary{Table: f.Table})
		}
		sequence[i] = count[f.Table]
		count[f.Table]++
		parts, bytes := f.weigh()
		all[n].Files += parts
		all[n].Bytes += bytes
	}
	return all, sequence, nil
}
