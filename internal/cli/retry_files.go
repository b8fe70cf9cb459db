package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
)

// findKept finds out what the inputs were which are the rejects of an earlier run.
func (o *LoadOptions) findKept(c *cobra.Command, s streams, inputs []source.Input) error {
	if o.RejectsOf == "" {
		return nil
	}
	kept, err := reject.Find(o.RejectsOf)
	if err != nil {
		return err
	}
	o.kept = make(map[string]reject.Kept)
	for _, k := range kept {
		if !slices.ContainsFunc(inputs, func(in source.Input) bool { return in.Name == k.Path }) {
			continue
		}
		if k.Doubt && k.Repeats+1 >= load.MaxStampStep {
			return fmt.Errorf("%s: its rows were written again %d times: once more, they could get the timestamps of the rows after them; "+
				"cqlbulk load takes the file as new rows", k.Path, k.Repeats)
		}
		records, err := o.countRecords(c, k.Path)
		if err != nil {
			return err
		}
		if records != len(k.Stamps) {
			s.warn("%s has %d rows instead of the %d that were rejected: they are written as of now", k.Path, records, len(k.Stamps))
			k.Stamps = nil
		}
		o.kept[k.Path] = k
	}
	return nil
}

// stampsOf gives the timestamps that the rows of an input had. Those in doubt get the
// next ones: of a list that is not frozen nothing is left then of the first time.
func (o *LoadOptions) stampsOf(path string, t *schema.Table) []int64 {
	k := o.kept[path]
	if !k.Doubt || t.IsCounter() {
		return k.Stamps
	}
	later := slices.Clone(k.Stamps)
	for i := range later {
		if later[i] != 0 {
			later[i]++
		}
	}
	return later
}

// repeatsOf is how often the rows of an input were written again, this time among them.
func (o *LoadOptions) repeatsOf(path string) uint8 {
	if k := o.kept[path]; k.Doubt {
		return k.Repeats + 1
	}
	return 0
}

// countRecords counts the rows of a file of rejects.
func (o *LoadOptions) countRecords(c *cobra.Command, path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	records := 0
	options := dsv.Options{Bad: func(b dsv.Bad) error {
		if b.First {
			records++
		}
		return nil
	}}
	var next func([]byte) (dsv.Chunk, error)
	if o.Format == "json" {
		next = jsonl.NewSplitter(f, options).Next
	} else {
		format, err := o.format(c, o.Format)
		if err != nil {
			return 0, err
		}
		if _, err := o.textOptions.settle(o.Format, o.Nulls, &format); err != nil {
			return 0, err
		}
		splitter := dsv.NewSplitter(f, format, options)
		if o.Header {
			if _, err := splitter.Header(); err != nil {
				return 0, fmt.Errorf("%s: header: %w", path, err)
			}
		}
		next = splitter.Next
	}
	var buffer []byte
	for {
		c, err := next(buffer[:0])
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		buffer = c.Data
		records += c.Records
	}
}
