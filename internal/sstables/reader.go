package sstables

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// File is an SSTable, or what a node has sent of one. Its methods are called by several goroutines
// at the same time.
type File interface {
	// Path names the file in errors.
	Path() string
	// Schema has the columns of the rows of the file.
	Schema() *sstable.Schema
	// Overlaps reports whether it may have partitions in one of the ranges.
	Overlaps(ranges []token.Range) bool
	// Within gives the partitions of the ranges, and ReadMemory is how many bytes that takes,
	// about.
	Within(ranges []token.Range) (*tablefile.Decoder, error)
	ReadMemory() int64
}

// Files are those that have the rows of token ranges.
type Files interface {
	// Of gives the files that have the rows of a range, once they are there. The range is read
	// until done is called.
	Of(ctx context.Context, within token.Range) (files []File, done func(), err error)
}

// Options say what is read.
type Options struct {
	Table     *reconcile.Table
	Selection []reconcile.Selector
	Files     Files
	Now       int64 // in seconds since the epoch: what expires then has expired
	// Tokens are the only ones that rows are wanted of, in ranges that do not overlap; nil: all.
	Tokens []token.Range
	// Holds says whether a row is wanted, by its cells and the token of its partition; nil: every
	// one is.
	Holds func(cells [][]byte, at token.Token) bool
	// Cells is how many of the selected cells are given, those in front; the others are there for
	// Holds.
	Cells int
	// Count makes a page hold numbers of rows instead of rows. A row has the cells of the partition
	// key, if the selection has those, and then a bigint: the number of rows of that partition.
	Count bool
	// PageBytes is from how many bytes on a page is full, whatever rows were asked for.
	PageBytes int
}

// Reader reads. It is a sweep.Reader, and safe for concurrent use, but for Close.
type Reader struct {
	o     Options
	pages sync.Pool

	mu   sync.Mutex
	last uint64
	// ranges that are being read, by the paging states that continue them
	cursors map[uint64]*cursor
	opened  map[token.Range]*cursor // of those that no page was asked of yet
}

// New makes a reader.
func New(o Options) *Reader {
	return &Reader{
		o:       o,
		pages:   sync.Pool{New: func() any { return &page{} }},
		cursors: make(map[uint64]*cursor),
		opened:  make(map[token.Range]*cursor),
	}
}

// cursor is a place in a range.
type cursor struct {
	rows  *reconcile.Rows
	done  func()
	ahead bool // the row that rows is at was not given yet
}

// checkEvery is the number of rows between checks for cancellation.
const checkEvery = 1024

// Open is a method of sweep.Reader: it waits for the files of a range.
func (r *Reader) Open(ctx context.Context, within token.Range) (token.Range, error) {
	c, err := r.open(ctx, within)
	var part *PartError
	switch {
	case errors.As(err, &part):
		return part.Part, nil
	case err != nil:
		return within, Classed(err)
	}
	r.mu.Lock()
	before := r.opened[within]
	r.opened[within] = c
	r.mu.Unlock()
	if before != nil {
		before.done()
	}
	return within, nil
}

// Page is a method of sweep.Reader. Each paging state can be continued from once.
func (r *Reader) Page(
	ctx context.Context,
	_ string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	c, err := r.at(ctx, within, state)
	if err != nil {
		return nil, Classed(err)
	}
	p := r.pages.Get().(*page)
	p.begin(r)
	more, err := r.fill(ctx, c, p, max(rows, 1))
	if err != nil {
		p.Close()
		c.done()
		return nil, Classed(err)
	}
	if !more {
		c.done()
		return p, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.cursors[r.last] = c
	p.state = binary.BigEndian.AppendUint64(p.state, r.last)
	return p, nil
}

// Classed gives an error the class that it has for a sweep: what is broken stays so.
func Classed(err error) error {
	var known *fault.Error
	if errors.As(err, &known) || fault.ClassOf(err) == fault.Canceled {
		return err
	}
	return fault.New(fault.GivenUp, err)
}

// at returns the place that a paging state stands for, or the beginning of a range.
func (r *Reader) at(ctx context.Context, within token.Range, state []byte) (*cursor, error) {
	if len(state) == 0 {
		if c := r.takeOpened(within); c != nil {
			return c, nil
		}
		return r.open(ctx, within)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id := binary.BigEndian.Uint64(state)
	c := r.cursors[id]
	if c == nil {
		return nil, fault.New(fault.Permanent, errors.New("a page was asked for twice"))
	}
	delete(r.cursors, id)
	return c, nil
}

// takeOpened is the beginning of a range that was opened; nil: it was not.
func (r *Reader) takeOpened(within token.Range) *cursor {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.opened[within]
	delete(r.opened, within)
	return c
}

// open begins a range.
func (r *Reader) open(ctx context.Context, within token.Range) (*cursor, error) {
	wanted := []token.Range{within}
	if r.o.Tokens != nil {
		wanted = token.Intersections(within, r.o.Tokens)
	}
	files, done, err := r.o.Files.Of(ctx, within)
	if len(wanted) == 0 && !errors.As(err, new(*PartError)) && ctx.Err() == nil {
		if err == nil {
			done() // a piece counts it among its ranges
		}
		files, done, err = nil, func() {}, nil // whether they can be had does not matter
	}
	if err != nil {
		return nil, err
	}
	rows, err := r.merge(files, wanted)
	if err != nil {
		done()
		return nil, err
	}
	return &cursor{rows: rows, done: done}, nil
}

// merge begins to make one of what files have of a range.
func (r *Reader) merge(files []File, within []token.Range) (*reconcile.Rows, error) {
	merger, err := Merge(r.o.Table, overlapping(files, within), within)
	if err != nil {
		return nil, err
	}
	return reconcile.NewRows(merger, r.o.Selection, r.o.Now)
}

// fill reads the next page, and reports whether there is more behind it.
func (r *Reader) fill(ctx context.Context, c *cursor, p *page, rows int) (more bool, err error) {
	for looked := 0; ; looked++ {
		if looked%checkEvery == 0 && ctx.Err() != nil {
			return false, fault.New(fault.Canceled, context.Cause(ctx))
		}
		if !c.ahead {
			if err := c.rows.Next(); errors.Is(err, io.EOF) {
				p.endCount()
				return false, nil
			} else if err != nil {
				return false, err
			}
		}
		c.ahead = false
		cells := c.rows.Cells()
		if r.o.Holds != nil && !r.o.Holds(cells, c.rows.Token()) {
			continue
		}
		if p.full(rows) && !(r.o.Count && p.counts(cells[:r.o.Cells])) {
			c.ahead = true
			p.endCount()
			return true, nil
		}
		if r.o.Count {
			p.count(cells[:r.o.Cells])
		} else {
			p.add(cells[:r.o.Cells])
		}
	}
}

// Close lets go of ranges that were not read to their end. It gives no error.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, c := range r.cursors {
		c.done()
		delete(r.cursors, id)
	}
	for within, c := range r.opened {
		c.done()
		delete(r.opened, within)
	}
	return nil
}

// Fixed are files that are all present. Each may have rows of any range.
type Fixed []File

// Of is a method of Files.
func (f Fixed) Of(context.Context, token.Range) ([]File, func(), error) { return f, func() {}, nil }

// Table is an SSTable on the disk.
type Table struct {
	*tablefile.Reader
	path string
}

// Open opens the SSTable of that name in a folder.
func Open(folder string, d component.Descriptor) (*Table, error) {
	r, err := tablefile.Open(tablefile.Folder(folder, d))
	if err != nil {
		return nil, err
	}
	return &Table{r, filepath.Join(folder, d.Name(component.DataDB))}, nil
}

// OpenDamaged opens an SSTable whose partitions cannot be read, as tablefile.OpenDamaged does.
func OpenDamaged(
	folder string,
	d component.Descriptor,
	p token.Partitioner,
	damage *tablefile.DamagedError,
) (*Table, error) {
	r, err := tablefile.OpenDamaged(tablefile.Folder(folder, d), p, damage)
	if err != nil {
		return nil, err
	}
	return &Table{r, filepath.Join(folder, d.Name(component.DataDB))}, nil
}

// OpenStreamed opens what a node sent of an SSTable, as tablefile.OpenSections does.
func OpenStreamed(
	file tablefile.RandomReader,
	node string,
	d component.Descriptor,
	header []byte,
	of tablefile.Sections,
) (*Table, error) {
	r, err := tablefile.OpenSections(file, node, d, header, of)
	if err != nil {
		return nil, err
	}
	return &Table{r, node + "/" + d.Name(component.DataDB)}, nil
}

// Path is a method of File.
func (t *Table) Path() string { return t.path }

// Schema is a method of File.
func (t *Table) Schema() *sstable.Schema { return t.Codec().Schema() }
