package sstable_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// An INSERT becomes a row in the bytes of a Data.db, which are decoded again.
func Example() {
	schema, err := sstable.Plan(&sstable.Table{
		Key:      []sstable.Column{{Name: "k", Type: &cqltype.Type{Kind: cqltype.Int}}},
		Regulars: []sstable.Column{{Name: "v", Type: &cqltype.Type{Kind: cqltype.Text}}},
	})
	if err != nil {
		panic(err)
	}
	minima := sstable.Minima{Timestamp: 1_500_000_000_000_000, Time: sstable.EpochTime}
	codec, err := sstable.NewCodec(schema, component.NB, minima)
	if err != nil {
		panic(err)
	}
	var data bytes.Buffer
	if err := encode(codec, &data); err != nil {
		panic(err)
	}
	if err := decode(codec, &data); err != nil {
		panic(err)
	}
	// Output:
	// key 7: hello at 1500000000000000
}

// encode writes the partition of INSERT INTO t (k, v) VALUES (7, 'hello').
func encode(codec *sstable.Codec, out io.Writer) error {
	inserter, err := sstable.NewInserter(codec, []string{"k", "v"}, sstable.InsertOptions{})
	if err != nil {
		return err
	}
	values := []sstable.Value{
		{State: sstable.Set, Bytes: binary.BigEndian.AppendUint32(nil, 7)},
		{State: sstable.Set, Bytes: []byte("hello")},
	}
	key, err := inserter.AppendKey(nil, values)
	if err != nil {
		return err
	}
	_, row, err := inserter.Insert(
		sstable.Insert{Values: values, Timestamp: 1_500_000_000_000_000, Now: 1_500_000_000},
	)
	if err != nil {
		return err
	}
	encoded, err := codec.AppendRow(nil, row)
	if err != nil {
		return err
	}
	w, err := sstable.NewPartitionWriter(codec, out, nil)
	if err != nil {
		return err
	}
	return errors.Join(w.Begin(key, sstable.Deletion{}), w.Row(encoded), w.End(), w.Flush())
}

// decode prints the rows of a Data.db that is not compressed.
func decode(codec *sstable.Codec, data io.Reader) error {
	partitions := sstable.NewDecoder(codec, data, sstable.MaxRowBytes)
	for {
		item, err := partitions.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case item == sstable.RegularRow:
			key, cell := binary.BigEndian.Uint32(partitions.Key()), &partitions.Row().Cells[0]
			fmt.Printf("key %d: %s at %d\n", key, cell.Value, cell.Timestamp)
		}
	}
}
