package files

import (
	"context"
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Partitions reads the partitions of the files, merged, for a clone of the table: it is a
// stream.Partitions. It is safe for concurrent use.
type Partitions struct {
	files sstables.Files
	table *reconcile.Table
	ring  *board.Ring // that shows what is read; nil: none
}

// Partitions returns the partitions of the files. It reads no more files at the same time than the
// memory allows.
func (f *Files) Partitions(memory setting.Size, ring *board.Ring) *Partitions {
	return &Partitions{f.bounded(memory), f.Merged, ring}
}

// Open merges the SSTables that have rows of a token range. The caller calls the function when it
// has read them.
func (p *Partitions) Open(
	ctx context.Context,
	within token.Range,
) (sstable.Source, func(), error) {
	list, done, err := p.files.Of(ctx, within)
	if err != nil {
		return nil, nil, sstables.Classed(err)
	}
	merged, err := sstables.Merge(p.table, list, []token.Range{within})
	if err != nil {
		done()
		return nil, nil, sstables.Classed(err)
	}
	read := p.ring.Begin(within)
	return merged, func() {
		read()
		done()
	}, nil
}

// Agree returns an error if SSTables in folders have other columns than the table that they are
// merged for. Those that nodes send are checked when they come.
func (f *Files) Agree() error { return sstables.Agree(f.Merged, f.Whole) }

// Damaged returns the path of the damaged component of an SSTable that is the cause of an error. It
// is empty if there is another cause.
func Damaged(err error) string {
	var component *component.Error
	if !errors.As(err, &component) {
		return ""
	}
	return component.Path
}
