package reconcile

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// stamp is a timestamp that the tests count from, second a time in seconds.
const (
	stamp  = 1700000000000000
	second = 1700000000
)

// num is an int in the CQL wire format.
func num(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(int32(n))) }

// columnOf makes a column of a type in CQL, with " desc" behind it where it is descending. The user
// type two has fields a int and b text, and two3 is the same type with a third one, c int.
func columnOf(t testing.TB, name, typ string) sstable.Column {
	t.Helper()
	typ, desc := strings.CutSuffix(typ, " desc")
	parsed, err := cqltype.Parse(typ, func(name string) (*cqltype.Type, error) {
		udt := &cqltype.Type{
			Kind: cqltype.UDT, Keyspace: "ks", Name: "two", FieldNames: []string{"a", "b"},
			Elems: []*cqltype.Type{{Kind: cqltype.Int}, {Kind: cqltype.Text}},
		}
		if name == "two3" {
			udt.FieldNames = append(udt.FieldNames, "c")
			udt.Elems = append(
				udt.Elems,
				&cqltype.Type{Kind: cqltype.Int},
			)
		}
		return udt, nil
	})
	require.NoError(t, err)
	return sstable.Column{Name: name, Type: parsed, Desc: desc}
}

// columnsOf makes columns of "name type; name type".
func columnsOf(t testing.TB, text string) []sstable.Column {
	t.Helper()
	var out []sstable.Column
	for _, c := range strings.Split(text, ";") {
		if name, typ, ok := strings.Cut(strings.TrimSpace(c), " "); ok {
			out = append(out, columnOf(t, name, typ))
		}
	}
	return out
}

// schemaOf plans a table of such columns.
func schemaOf(t testing.TB, key, clustering, statics, regulars string) *sstable.Schema {
	t.Helper()
	s, err := sstable.Plan(&sstable.Table{
		Key: columnsOf(t, key), Clustering: columnsOf(t, clustering),
		Statics: columnsOf(t, statics), Regulars: columnsOf(t, regulars),
	})
	require.NoError(t, err)
	return s
}

// columnAt is the place of a column among the static or the regular ones of a schema.
func columnAt(t testing.TB, s *sstable.Schema, name string) int {
	t.Helper()
	for _, list := range [][]sstable.Column{s.Table().Statics, s.Table().Regulars} {
		if i := slices.IndexFunc(
			list,
			func(c sstable.Column) bool { return c.Name == name },
		); i >= 0 {
			return i
		}
	}
	t.Fatalf("no column %s", name)
	return 0
}

// partition is one of a file that a test makes. Its items are *sstable.Row and *sstable.Marker, the
// static row first.
type partition struct {
	key      []byte
	deletion sstable.Deletion
	items    []any
}

// file is a Data.db.
type file struct {
	codec *sstable.Codec
	data  []byte
}

// fileOf writes partitions, which it sorts by token.
func fileOf(t testing.TB, s *sstable.Schema, v component.Version, partitions ...partition) file {
	t.Helper()
	codec, err := sstable.NewCodec(s, v, sstable.Minima{Timestamp: stamp, Time: second})
	require.NoError(t, err)
	slices.SortFunc(partitions, func(a, b partition) int {
		return token.Murmur3.Hash(a.key).Compare(token.Murmur3.Hash(b.key))
	})
	var out bytes.Buffer
	w, err := sstable.NewPartitionWriter(codec, &out, nil)
	require.NoError(t, err)
	for _, p := range partitions {
		require.NoError(t, w.Begin(p.key, p.deletion))
		for _, item := range p.items {
			switch item := item.(type) {
			case *sstable.Marker:
				require.NoError(t, w.Marker(item))
			case *sstable.Row:
				encoded, err := codec.AppendRow(nil, item)
				require.NoError(t, err)
				if item.Static {
					require.NoError(t, w.Static(encoded))
				} else {
					require.NoError(t, w.Row(encoded))
				}
			}
		}
		require.NoError(t, w.End())
	}
	require.NoError(t, w.Flush())
	return file{codec: codec, data: out.Bytes()}
}

// input makes a source of a file, whose bytes can be read no longer than a Decoder promises.
func (f file) input() Input {
	d := sstable.NewDecoder(f.codec, bytes.NewReader(f.data), sstable.MaxRowBytes)
	return Input{Source: &fleeting{Decoder: d}, Schema: f.codec.Schema()}
}

// fleeting is a Decoder whose bytes are others after the next call of Next, or with the next
// partition its key.
type fleeting struct {
	*sstable.Decoder
	item sstable.Item
	lent [][]byte
	key  []byte
}

func (f *fleeting) Next() (sstable.Item, error) {
	for _, b := range f.lent {
		for i := range b {
			b[i] = 0xee
		}
	}
	f.lent = f.lent[:0]
	var err error
	if f.item, err = f.Decoder.Next(); err != nil {
		return f.item, err
	}
	switch f.item {
	case sstable.PartitionStart:
		copy(f.key, bytes.Repeat([]byte{0xee}, len(f.key)))
		f.key = bytes.Clone(f.Decoder.Key())
	case sstable.RangeMarker:
		f.lend(f.Decoder.Marker().Values)
	case sstable.RegularRow, sstable.StaticRow:
		r := f.Decoder.Row()
		f.lend(r.Clustering)
		for i := range r.Cells {
			both := [][]byte{r.Cells[i].Path, r.Cells[i].Value}
			f.lend(both)
			r.Cells[i].Path, r.Cells[i].Value = both[0], both[1]
		}
	}
	return f.item, nil
}

func (f *fleeting) Key() []byte { return f.key }

// lend puts copies in the place of values.
func (f *fleeting) lend(values [][]byte) {
	for i, v := range values {
		values[i] = bytes.Clone(v)
		f.lent = append(f.lent, values[i])
	}
}

// mergerOf makes a merger of files.
func mergerOf(t testing.TB, table *Table, files ...file) *Merger {
	t.Helper()
	var inputs []Input
	for i, f := range files {
		in := f.input()
		in.Name = fmt.Sprintf("file %d", i)
		inputs = append(inputs, in)
	}
	m, err := NewMerger(table, inputs)
	require.NoError(t, err)
	return m
}

// write makes one file of what a merger gives.
func write(t testing.TB, m *Merger, v component.Version) file {
	t.Helper()
	codec, err := sstable.NewCodec(m.Schema(), v, sstable.Minima{Timestamp: stamp, Time: second})
	require.NoError(t, err)
	var out bytes.Buffer
	w, err := sstable.NewPartitionWriter(codec, &out, nil)
	require.NoError(t, err)
	require.NoError(t, sstable.Copy(w, codec, m))
	require.NoError(t, w.Flush())
	return file{codec: codec, data: out.Bytes()}
}

// texts are the items of a source, each as a line, to compare them.
func texts(t testing.TB, from sstable.Source) []string {
	t.Helper()
	var out []string
	for {
		item, err := from.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		switch item {
		case sstable.PartitionStart:
			out = append(out, fmt.Sprintf("partition %x %v", from.Key(), from.Deletion()))
		case sstable.StaticRow, sstable.RegularRow:
			out = append(out, rowText(from.Row()))
		case sstable.RangeMarker:
			m := from.Marker()
			out = append(
				out,
				fmt.Sprintf("marker %d %x %v %v", m.Kind, m.Values, m.Ended, m.Started),
			)
		case sstable.PartitionEnd:
			out = append(out, "end")
		}
	}
}

// rowText has all of a row but how nothing is written.
func rowText(r *sstable.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "row %t %x %v %v", r.Static, r.Clustering, r.Liveness, r.Deletion)
	for _, d := range r.Deletions {
		if d.Set {
			fmt.Fprintf(&b, " deletion of %d %v", d.Column, d.Deletion)
		}
	}
	for _, c := range r.Cells {
		fmt.Fprintf(
			&b,
			" cell %d %d ttl %d ts %d time %d path %x value %x",
			c.Column,
			c.Kind,
			c.TTL,
			c.Timestamp-stamp,
			c.Time,
			c.Path,
			c.Value,
		)
	}
	return b.String()
}

// selectAll selects all columns of a schema in the order of SELECT *, by the schema's own order of
// names. For columns that have them it also selects the write time and the time to live.
func selectAll(s *sstable.Schema) []Selector {
	var out []Selector
	t := s.Table()
	for i := range t.Key {
		out = append(out, Selector{Kind: PartitionKey, Index: i})
	}
	for i := range t.Clustering {
		out = append(out, Selector{Kind: Clustering, Index: i})
	}
	for kind, list := range map[Kind][]sstable.Column{Static: t.Statics, Regular: t.Regulars} {
		for _, c := range list {
			out = append(out, Selector{Kind: kind, Name: c.Name})
			if !c.Type.MultiCell() && c.Type.Kind != cqltype.Counter {
				out = append(
					out,
					Selector{Kind: kind, Name: c.Name, What: WriteTime},
					Selector{Kind: kind, Name: c.Name, What: TTL},
				)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Selector) int { return int(a.Kind) - int(b.Kind) })
	return out
}

// rowsOf are the rows of a selection at a moment, each as a line of hex, null as "-".
func rowsOf(t testing.TB, m *Merger, selection []Selector, now int64) []string {
	t.Helper()
	r, err := NewRows(m, selection, now)
	require.NoError(t, err)
	var out []string
	for {
		err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		require.Equal(t, token.Murmur3.Hash(r.Key()), r.Token())
		out = append(out, lineOf(r.Cells()))
	}
}

func lineOf(cells [][]byte) string {
	var words []string
	for _, c := range cells {
		if c == nil {
			words = append(words, "-")
		} else {
			words = append(words, hex.EncodeToString(c)+".")
		}
	}
	return strings.Join(words, " ")
}
