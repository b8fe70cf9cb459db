package sstables

import (
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// overlapping are those of some files that may have partitions in token ranges.
func overlapping(files []File, within []token.Range) (some []File) {
	for _, f := range files {
		if f.Overlaps(within) {
			some = append(some, f)
		}
	}
	return some
}

// Agree refuses files that have other columns than the table, as Merge does when it begins.
func Agree(t *reconcile.Table, files []File) error {
	var inputs []reconcile.Input
	for _, f := range files {
		inputs = append(inputs, reconcile.Input{Name: f.Path(), Schema: f.Schema()})
	}
	_, err := reconcile.NewMerger(t, inputs)
	return err
}

// Merge begins to make one of what files have of token ranges: what was deleted and has expired is
// in it.
func Merge(t *reconcile.Table, files []File, within []token.Range) (*reconcile.Merger, error) {
	var inputs []reconcile.Input
	for _, f := range files {
		d, err := f.Within(within)
		if err != nil && !errors.As(err, new(*component.Error)) {
			err = fmt.Errorf("%s: %w", f.Path(), err)
		}
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, reconcile.Input{Name: f.Path(), Source: d, Schema: f.Schema()})
	}
	return reconcile.NewMerger(t, inputs)
}
