package sstables

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Budget bounds how many bytes files may take that are read. pace.Budget is one.
type Budget interface {
	// Acquire waits until n bytes are free, or all where n is more than there are.
	Acquire(ctx context.Context, n int64) error
	Release(n int64)
}

// Bounded wraps files so that a range is opened only if its readers fit into a budget beside those
// that are open. With many files fewer ranges are read at once. A range that needs more than the
// whole budget is read by itself.
func Bounded(files Files, budget Budget) Files { return &bounded{files, budget} }

type bounded struct {
	files  Files
	budget Budget
}

// Of is a method of Files.
func (b *bounded) Of(ctx context.Context, within token.Range) ([]File, func(), error) {
	files, done, err := b.files.Of(ctx, within)
	if err != nil {
		return nil, nil, err
	}
	files = overlapping(files, []token.Range{within})
	var memory int64
	for _, f := range files {
		memory += f.ReadMemory()
	}
	if err := b.budget.Acquire(ctx, memory); err != nil {
		done()
		return nil, nil, fault.New(fault.Canceled, err)
	}
	return files, func() {
		b.budget.Release(memory)
		done()
	}, nil
}
