package tablefile_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
)

// An INSERT becomes a row of an SSTable, which is written with all of its components and read.
func Example() {
	folder, err := os.MkdirTemp("", "sstable")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // it is a temporary folder
	written, err := write(folder)
	if err != nil {
		panic(err)
	}
	fmt.Println(written.Name(component.DataDB), written.Rows)
	if err := read(folder, written.Descriptor); err != nil {
		panic(err)
	}
	// Output:
	// nb-1-big-Data.db 1
	// key 7: hello at 1500000000000000
}

// write writes an SSTable of the table (k int PRIMARY KEY, v text).
func write(folder string) (*tablefile.Written, error) {
	schema, err := sstable.Plan(&sstable.Table{
		Key:      []sstable.Column{{Name: "k", Type: &cqltype.Type{Kind: cqltype.Int}}},
		Regulars: []sstable.Column{{Name: "v", Type: &cqltype.Type{Kind: cqltype.Text}}},
	})
	if err != nil {
		return nil, err
	}
	minima := sstable.Minima{Timestamp: 1_500_000_000_000_000, Time: sstable.EpochTime}
	codec, err := sstable.NewCodec(schema, component.NB, minima)
	if err != nil {
		return nil, err
	}
	inserter, err := sstable.NewInserter(codec, []string{"k", "v"}, sstable.InsertOptions{})
	if err != nil {
		return nil, err
	}
	values := []sstable.Value{
		{State: sstable.Set, Bytes: binary.BigEndian.AppendUint32(nil, 7)},
		{State: sstable.Set, Bytes: []byte("hello")},
	}
	key, err := inserter.AppendKey(nil, values)
	if err != nil {
		return nil, err
	}
	_, row, err := inserter.Insert(
		sstable.Insert{Values: values, Timestamp: 1_500_000_000_000_000, Now: 1_500_000_000},
	)
	if err != nil {
		return nil, err
	}
	encoded, err := codec.AppendRow(nil, row)
	if err != nil {
		return nil, err
	}

	options := tablefile.Options{ID: "1", Keys: 1, FilterChance: 0.01, IndexInterval: 128}
	w, err := tablefile.Create(&tablefile.FolderOutput{Path: folder}, codec, options)
	if err != nil {
		return nil, err
	}
	err = errors.Join(w.Begin(key, sstable.Deletion{}), w.Row(encoded), w.End())
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	written, err := w.Commit()
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return written, nil
}

// read prints the rows of an SSTable.
func read(folder string, d component.Descriptor) error {
	table, err := tablefile.Open(tablefile.Folder(folder, d))
	if err != nil {
		return err
	}
	defer table.Close()
	partitions := table.Decoder()
	for {
		item, err := partitions.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case item == sstable.RegularRow:
			key, row := binary.BigEndian.Uint32(partitions.Key()), partitions.Row()
			fmt.Printf(
				"key %d: %s at %d\n",
				key,
				row.Cells[0].Value,
				row.Cells[0].Timestamp,
			)
		}
	}
}
