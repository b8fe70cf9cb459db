package ingest

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// TestValuesByUse has values that a server takes in some columns and refuses in others.
func TestValuesByUse(t *testing.T) {
	desc := tabletest.Column("desc", schema.Clustering, 1, "frozen<list<decimal>>")
	desc.Desc = true
	table := schema.New("demo", "uses", []schema.Column{
		tabletest.Column(
			"k",
			schema.PartitionKey,
			0,
			"frozen<list<decimal>>",
		),
		tabletest.Column("asc", schema.Clustering, 0, "frozen<list<decimal>>"),
		desc,
		tabletest.Column(
			"s",
			schema.Static,
			0,
			"list<decimal>",
		),
		tabletest.Column("v", schema.Regular, 0, "frozen<list<decimal>>"),
		tabletest.Column("d", schema.Regular, 0, "decimal"),
	})
	m, err := NewMapping(table, table.Columns, Fields{})
	require.NoError(t, err)
	for _, c := range []struct {
		wire  string
		taken []string
	}{
		{"000000010000000500000000 05", []string{"k", "asc", "desc", "s", "v"}},
		{"0000000100000001 05", nil},
		{"00000001 ffffffff", []string{"v"}},
		{"00000001 00000000", []string{"desc", "v"}},
		{"ffffffff", []string{"desc"}},
	} {
		wire, err := hex.DecodeString(strings.ReplaceAll(c.wire, " ", ""))
		require.NoError(t, err)
		var taken []string
		for i, column := range m.Columns {
			if column.Type.Kind == cqltype.Decimal {
				continue
			}
			out, err := m.appendWire(
				[]byte("kept"),
				i,
				m.codecs[i],
				[]byte("0x"+hex.EncodeToString(wire)),
			)
			if err == nil {
				require.Equal(t, "kept"+string(wire), string(out))
				taken = append(taken, column.Name)
			} else {
				require.Equal(t, "kept", string(out))
			}
		}
		require.Equal(t, c.taken, taken, c.wire)
	}
	_, err = m.appendWire(nil, 4, m.codecs[4], []byte("0x1f"))
	require.ErrorContains(t, err, "1 bytes, where 0 or at least 4 bytes are due")
}

// BenchmarkAppendWire compares reading a text with and without the check.
func BenchmarkAppendWire(b *testing.B) {
	for _, c := range []struct{ typ, text string }{
		{"int", "12345"}, {"text", "a text of some thirty characters"}, {"list<int>", "[1, 2, 3]"}, {"map<text, int>", "{'a': 1, 'b': 2}"},
	} {
		table := schema.New(
			"demo",
			"t",
			[]schema.Column{
				tabletest.Column("k", schema.PartitionKey, 0, "int"),
				tabletest.Column("v", schema.Regular, 0, c.typ),
			},
		)
		m, err := NewMapping(table, table.Columns, Fields{})
		require.NoError(b, err)
		plain, err := cqltext.Plan(table.Columns[1].Type)
		require.NoError(b, err)
		var dst []byte
		text := []byte(c.text)
		b.Run(c.typ+"/unchecked", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = plain.AppendWire(dst[:0], text)
			}
		})
		b.Run(c.typ+"/checked", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = m.appendWire(dst[:0], 1, m.codecs[1], text)
			}
		})
	}
}

// A large text is not copied if it stands in the chunk as it is written; a bad one is still
// refused.
func TestLargeTextIsNotCopied(t *testing.T) {
	table := schema.New(
		"demo",
		"texts",
		[]schema.Column{
			tabletest.Column("k", schema.PartitionKey, 0, "int"),
			tabletest.Column("v", schema.Regular, 0, "text"),
		},
	)
	m, err := NewMapping(table, table.Columns, Fields{})
	require.NoError(t, err)
	large, small := strings.Repeat("x", largeValue), strings.Repeat("x", largeValue-1)
	for _, test := range []struct {
		name, field, want string
		copied            bool
	}{
		{"plain", large, large, false},
		{"in quotes", `"` + large + `"`, large, false},
		{"with a doubled quote", `"` + large + `"""`, large + `"`, true},
		{"small", small, small, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			data := []byte("1," + test.field + "\n")
			p := dsv.NewParser(dsv.DefaultFormat)
			p.Reset(dsv.Chunk{Data: data, Records: 1})
			require.True(t, p.Next())
			c := &chunk{}
			wire, err := m.value(c, 1, p.Record(), 1, p.Record().Fields[1].Text)
			require.NoError(t, err)
			require.Equal(t, test.want, string(wire))
			require.Equal(t, test.copied, len(c.arena) > 0)
			_ = append(wire, '#')
			require.NotContains(t, string(data), "#")
		})
	}

	data := []byte("1," + large + "\xff\n")
	p := dsv.NewParser(dsv.DefaultFormat)
	p.Reset(dsv.Chunk{Data: data, Records: 1})
	require.True(t, p.Next())
	_, err = m.value(&chunk{}, 1, p.Record(), 1, p.Record().Fields[1].Text)
	require.ErrorContains(t, err, "UTF-8")
}
