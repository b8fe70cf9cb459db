package format

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// planOf plans columns as the fields of delimited text.
func planOf(t testing.TB, columns []schema.Column) *delimitedPlan {
	o := PlanOptions{Columns: columns, Width: len(columns)}
	for i := range columns {
		o.Fields = append(o.Fields, i)
	}
	p, err := CSV.Plan(o)
	require.NoError(t, err)
	return p.(*delimitedPlan)
}

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
	p := planOf(t, table.Columns)
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
		for i, column := range p.Columns {
			if column.Type.Kind == cqltype.Decimal {
				continue
			}
			out, err := p.checks[i].appendWire(
				[]byte("kept"),
				p.codecs[i],
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
	_, err := p.checks[4].appendWire(nil, p.codecs[4], []byte("0x1f"))
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
		p := planOf(b, table.Columns)
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
				dst, _ = p.checks[1].appendWire(dst[:0], p.codecs[1], text)
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
	p := planOf(t, table.Columns)
	read := func(data []byte) (*Values, *Fault) {
		r, v := CSV.NewReader(), &Values{}
		r.Reset(Chunk{Data: data, Records: 1}, p)
		require.True(t, r.Next())
		return v, r.AppendRow(v, nil)
	}
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
			v, fault := read(data)
			require.Nil(t, fault)
			wire := v.Cells[1].Bytes
			require.Equal(t, test.want, string(wire))
			require.Equal(t, test.copied, len(v.Arena) > 4) // behind the key
			_ = append(wire, '#')
			require.NotContains(t, string(data), "#")
		})
	}

	_, fault := read([]byte("1," + large + "\xff\n"))
	require.ErrorContains(t, fault.Err, "UTF-8")
}
