package stream

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// WholeOptions are the table's options for SSTables that are made here and sent as they are.
type WholeOptions struct {
	FilterChance  float64
	IndexInterval int
	Compression   component.Compression
}

// Whole is a complete SSTable on the disk that was read back and verified.
type Whole struct {
	tablefile.Written
	folder string
}

// Path returns the path of a component.
func (w *Whole) Path(c component.Kind) string { return filepath.Join(w.folder, w.Name(c)) }

// remove removes the SSTable from the disk, if there is one.
func (w *Whole) remove() {
	if w != nil {
		_ = os.RemoveAll(w.folder) // what cannot be removed stays in a folder that is the run's
	}
}

// Size returns the bytes of the file that are sent, before compression on the way.
func (f File) Size() int64 {
	if f.Whole == nil {
		return f.Bytes
	}
	var n int64
	for _, size := range f.Whole.Sizes {
		n += size
	}
	return n
}

// makeWhole makes the SSTable of a file from the bytes of in, and verifies it.
func (c *shipper) makeWhole(
	codec *sstable.Codec,
	in io.Reader,
	f File,
	nodes []string,
	number int64,
) (whole *Whole, err error) {
	f.Whole, err = c.writeWhole(codec, number, f.Keys, func(w *tablefile.Writer) error {
		return w.Take(sstable.NewDecoder(codec, in, sstable.MaxRowBytes))
	})
	if err != nil {
		return nil, err
	}
	return f.Whole, c.verify(f, nodes)
}

// writeWhole writes an SSTable of about that many partitions in a folder named by its number. write
// adds the partitions.
func (c *shipper) writeWhole(
	codec *sstable.Codec,
	number, keys int64,
	write func(*tablefile.Writer) error,
) (*Whole, error) {
	folder := filepath.Join(c.folder, strconv.FormatInt(number, 10))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("SSTable: %w", err)
	}
	written, err := c.writeTable(codec, folder, keys, write)
	if err != nil {
		return nil, fmt.Errorf("SSTable: %w", errors.Join(err, os.RemoveAll(folder)))
	}
	return &Whole{*written, folder}, nil
}

// verify reads the SSTable of a file back, and removes it if it is wrong. Nodes barely check entire
// SSTables. A fault would show as rows that are not found, or as a node that does not start.
func (c *shipper) verify(f File, nodes []string) error {
	check := tablefile.Check{
		Schema:        c.schema,
		Ranges:        c.o.rangesOf(nodes),
		IndexInterval: c.o.Whole.IndexInterval,
	}
	verified, err := tablefile.Verify(tablefile.Folder(f.Whole.folder, f.Whole.Descriptor), check)
	// The same rows, by the same codec, have the same bytes.
	if err == nil && (verified.Partitions != f.Keys || verified.DataLength != f.Bytes) {
		err = fmt.Errorf(
			"it has %d partitions in %d bytes, not %d in %d",
			verified.Partitions,
			verified.DataLength,
			f.Keys,
			f.Bytes,
		)
	}
	if err != nil {
		return fmt.Errorf(
			"internal check failed: an SSTable that was made is wrong, and not sent: %w",
			errors.Join(err, os.RemoveAll(f.Whole.folder)),
		)
	}
	return nil
}

// writeTable writes the components.
func (c *shipper) writeTable(
	codec *sstable.Codec,
	folder string,
	keys int64,
	write func(*tablefile.Writer) error,
) (written *tablefile.Written, err error) {
	out := &tablefile.FolderOutput{Path: folder, Volatile: true}
	w, err := tablefile.Create(out, codec, tablefile.Options{
		ID:            "1",
		Keys:          keys,
		FilterChance:  c.o.Whole.FilterChance,
		IndexInterval: c.o.Whole.IndexInterval,
		Compression:   c.o.Whole.Compression,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	if err := write(w); err != nil {
		return nil, err
	}
	return w.Commit()
}

// rangesOf lists the ranges that all of the nodes have.
func (o *Options) rangesOf(nodes []string) []token.Range {
	var ranges []token.Range
	for i := range o.Placement.Len() {
		replicas := o.replicas(i)
		if !slices.ContainsFunc(
			nodes,
			func(n string) bool { return !slices.Contains(replicas, n) },
		) {
			ranges = append(ranges, o.Placement.Range(i))
		}
	}
	return ranges
}
