package simcluster

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// rowReader makes mutations of a file that was streamed to a node.
type rowReader struct {
	cluster    *Cluster
	node       int
	table      *table
	schema     *sstable.Table // of the file
	partitions []token.Token
	mutations  []*mutation
}

func (r *rowReader) file(f *internodetest.File) error {
	for _, t := range r.cluster.schema.list() {
		if f.Head.Table == internode.UUID(t.id) {
			r.table = t
		}
	}
	if r.table == nil {
		return fmt.Errorf("no table %s", f.Head.Table)
	}
	if f.Parts != nil {
		return r.whole(f)
	}
	table, minima, err := sstable.DecodeHeader(f.Head.Header)
	if err != nil {
		return err
	}
	schema, err := sstable.Plan(table)
	if err != nil {
		return err
	}
	version, err := component.ParseVersion(f.Head.Version)
	if err != nil {
		return err
	}
	codec, err := sstable.NewCodec(schema, version, minima)
	if err != nil {
		return err
	}
	return r.rows(sstable.NewDecoder(codec, bytes.NewReader(f.Plain), sstable.MaxRowBytes), schema)
}

// whole reads the components of an SSTable.
func (r *rowReader) whole(f *internodetest.File) error {
	version, err := component.ParseVersion(f.Head.Version)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "streamed")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	d := component.Descriptor{Version: version, ID: "1"}
	for name, b := range f.Parts {
		if err := os.WriteFile(
			filepath.Join(dir, d.Name(component.Kind(name))),
			b,
			0o600,
		); err != nil {
			return err
		}
	}
	reader, err := tablefile.Open(tablefile.Folder(dir, d))
	if err != nil {
		return err
	}
	return errors.Join(r.rows(reader.Decoder(), reader.Codec().Schema()), reader.Close())
}

// rows reads all partitions. Deletions that no INSERT leaves are refused.
func (r *rowReader) rows(d sstable.Source, schema *sstable.Schema) error {
	r.schema = schema.Table()
	var last []byte
	for {
		item, err := d.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch item {
		case sstable.PartitionStart:
			at := token.Murmur3.Hash(d.Key())
			if n := len(
				r.partitions,
			); n > 0 &&
				cmp.Or(r.partitions[n-1].Compare(at), bytes.Compare(last, d.Key())) >= 0 {
				return fmt.Errorf("partition 0x%x out of order", d.Key())
			}
			owned := r.cluster.layout.Load().everOwned(r.node, at)
			if d.Deletion().Set || !owned {
				return fmt.Errorf(
					"partition 0x%x is deleted: %t; of this node: %t",
					d.Key(),
					d.Deletion().Set,
					owned,
				)
			}
			r.partitions = append(r.partitions, at)
			last = bytes.Clone(d.Key())
		case sstable.StaticRow, sstable.RegularRow:
			if err := r.row(last, d.Row()); err != nil {
				return err
			}
		case sstable.RangeMarker:
			return errors.New("a range of rows that is deleted")
		}
	}
}

// row makes a mutation of the row's being there, and one of each of its columns.
func (r *rowReader) row(key []byte, row *sstable.Row) error {
	if row.Deletion.Set {
		return errors.New("a row that is deleted")
	}
	columns := r.schema.Regulars
	if row.Static {
		columns = r.schema.Statics
	} else if row.Liveness.Set {
		live := cell{
			timestamp: row.Liveness.Timestamp,
			ttl:       int(row.Liveness.TTL),
			expires:   row.Liveness.Expiry,
		}
		if err := r.mutate(key, row, live, ""); err != nil {
			return err
		}
	}
	values := make([]cell, len(columns))
	for _, d := range row.Deletions {
		if d.Set {
			// What is deleted is what is older than what is written with it.
			values[d.Column] = cell{timestamp: d.Timestamp + 1, written: true}
		}
	}
	for i := 0; i < len(row.Cells); {
		n := i + 1
		for n < len(row.Cells) && row.Cells[n].Column == row.Cells[i].Column {
			n++
		}
		values[row.Cells[i].Column] = joined(columns[row.Cells[i].Column].Type, row.Cells[i:n])
		i = n
	}
	for i, v := range values {
		if !v.written {
			continue
		}
		if err := r.mutate(key, row, v, columns[i].Name); err != nil {
			return err
		}
	}
	return nil
}

// joined makes one value of the cells of a column: of the elements, where it is not frozen.
func joined(t *cqltype.Type, cells []sstable.Cell) cell {
	first := cells[0]
	c := cell{timestamp: first.Timestamp, ttl: int(first.TTL), written: true}
	if c.ttl > 0 {
		c.expires = first.Time
	}
	collection := !t.Frozen &&
		(t.Kind == cqltype.List || t.Kind == cqltype.Set || t.Kind == cqltype.Map)
	if !collection {
		if first.Kind != sstable.Tombstone {
			c.value = append([]byte{}, first.Value...)
		}
		return c
	}
	c.value = cqlwire.AppendCount(nil, len(cells))
	for _, e := range cells {
		if t.Kind != cqltype.List {
			c.value = cqlwire.AppendElem(c.value, e.Path)
		}
		if t.Kind != cqltype.Set {
			c.value = cqlwire.AppendElem(c.value, e.Value)
		}
	}
	return c
}

// mutate adds a mutation of one column; without a name it is that the row is there.
func (r *rowReader) mutate(key []byte, row *sstable.Row, v cell, name string) error {
	b := newBuilder(r.table, v.timestamp)
	b.m.ttl, b.m.expires, b.m.inserts = v.ttl, v.expires, name == ""
	parts, err := keyParts(key, len(r.table.keys()))
	if err != nil {
		return err
	}
	found := name == ""
	for i, c := range r.table.cols {
		switch {
		case c.kind == PartitionKey:
			b.set(i, parts[c.slot])
		case c.kind == Clustering && !row.Static:
			b.set(i, bytes.Clone(row.Clustering[c.slot]))
		case name != "" && c.name == name && (c.kind == Static) == row.Static:
			b.set(i, v.value)
			found = true
		}
	}
	if !found {
		return fmt.Errorf("no column %q", name)
	}
	m, err := b.done()
	if err != nil {
		return err
	}
	r.mutations = append(r.mutations, m)
	return nil
}

// keyParts takes a partition key of n columns apart.
func keyParts(key []byte, n int) ([][]byte, error) {
	if n == 1 {
		return [][]byte{key}, nil
	}
	var parts [][]byte
	for range n {
		if len(key) < 3 || len(key) < 3+int(binary.BigEndian.Uint16(key)) {
			return nil, errors.New("a partition key that is cut off")
		}
		length := int(binary.BigEndian.Uint16(key))
		parts = append(parts, key[2:2+length])
		key = key[3+length:]
	}
	return parts, nil
}
