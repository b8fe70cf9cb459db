package sstable

import (
	"encoding/binary"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// BenchmarkEncode makes rows of INSERT statements, encodes them and writes each as a partition.
func BenchmarkEncode(b *testing.B) {
	b.Run("emp", func(b *testing.B) {
		benchmarkEncode(b, &Table{
			Key: []Column{
				column(b, "id", "int"),
			},
			Regulars: []Column{column(b, "name", "text"), column(b, "salary", "bigint")},
		}, []string{"id", "name", "salary"}, []byte("employee 123456"), make([]byte, 8))
	})
	b.Run("blobs", func(b *testing.B) {
		names := []string{"id", "b1", "b2", "b3", "b4", "b5", "b6"}
		t := &Table{Key: []Column{column(b, "id", "int")}}
		for _, name := range names[1:] {
			t.Regulars = append(t.Regulars, column(b, name, "blob"))
		}
		blob := make([]byte, 64)
		benchmarkEncode(b, t, names, blob, blob, blob, blob, blob, blob)
	})
}

func benchmarkEncode(b *testing.B, t *Table, names []string, values ...[]byte) {
	c := mustCodec(b, t, component.NB, Minima{Timestamp: stamp, Time: EpochTime})
	in, err := NewInserter(c, names, InsertOptions{})
	require.NoError(b, err)
	w, err := NewPartitionWriter(c, io.Discard, nil)
	require.NoError(b, err)
	st := Insert{Values: make([]Value, 1+len(values)), Now: now}
	id := make([]byte, 4)
	st.Values[0] = Value{Bytes: id, State: Set}
	for i, v := range values {
		st.Values[i+1] = Value{Bytes: v, State: Set}
	}
	var key, encoded []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		binary.BigEndian.PutUint32(id, uint32(i))
		st.Timestamp = stamp + int64(i)
		if key, err = in.AppendKey(key[:0], st.Values); err != nil {
			b.Fatal(err)
		}
		_, row, err := in.Insert(st)
		if err != nil {
			b.Fatal(err)
		}
		if encoded, err = c.AppendRow(encoded[:0], row); err != nil {
			b.Fatal(err)
		}
		if err := writePartition(w, key, encoded); err != nil {
			b.Fatal(err)
		}
	}
}

// writePartition writes a partition of one row.
func writePartition(w *PartitionWriter, key, encoded []byte) error {
	if err := w.Begin(key, Deletion{}); err != nil {
		return err
	}
	if err := w.Row(encoded); err != nil {
		return err
	}
	return w.End()
}

// BenchmarkDecode reads the rows of a partition with clusterings.
func BenchmarkDecode(b *testing.B) {
	for _, g := range goldens(b) {
		if g.name != "wide" {
			continue
		}
		d := NewDecoder(g.codec, &looped{data: g.data}, MaxRowBytes)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.Next(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
