package format

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// wordCodec is a codec whose only null is a word, as cqlsh's is.
type wordCodec struct{ Codec }

func (wordCodec) IsNull(text []byte) bool { return string(text) == "NULL" }

// TestRowsOfAnotherWidth has the values of each row, or the number of fields that is a fault.
func TestRowsOfAnotherWidth(t *testing.T) {
	columns := []schema.Column{
		tabletest.Column("k", schema.PartitionKey, 0, "text"),
		tabletest.Column("v", schema.Regular, 0, "text"),
		tabletest.Column("w", schema.Regular, 0, "text"),
	}
	const text = "1,a,b\n2,a\r\n3\n4,a,b,c\n5,\"\"\n6,a,b,c,d"
	word := func(c schema.Column) (Codec, error) {
		codec, err := cqltext.Plan(c.Type)
		return wordCodec{codec}, err
	}
	for _, o := range []struct {
		extra, missing bool
		codec          func(schema.Column) (Codec, error)
		want           string
	}{
		{false, false, nil, "1 a b|2|1|4|2|5"},
		{true, false, nil, "1 a b|2|1|4 a b|2|6 a b"},
		{false, true, nil, "1 a b|2 a null|3 null null|4|5  null|5"},
		{true, true, word, "1 a b|2 a null|3 null null|4 a b|5  null|6 a b"},
	} {
		p, err := CSV.Plan(PlanOptions{
			Columns: columns,
			Fields:  []int{0, 1, 2},
			Width:   3,
			Extra:   o.extra,
			Missing: o.missing,
			Codec:   o.codec,
			Null:    row.Null,
		})
		require.NoError(t, err)
		r := CSV.NewReader()
		r.Reset(Chunk{Data: []byte(text), Line: 1}, p)
		var got []string
		var raw []byte
		for r.Next() {
			var v Values
			var width *WidthError
			fault := r.AppendRow(&v, nil)
			raw = r.AppendRejected(raw)
			if fault != nil {
				require.True(t, errors.As(fault.Err, &width))
				got = append(got, fmt.Sprint(width.Fields))
				continue
			}
			var values []string
			for _, c := range v.Cells {
				if c.State == row.Null {
					c.Bytes = []byte("null")
				}
				values = append(values, string(c.Bytes))
			}
			got = append(got, strings.Join(values, " "))
			if values[1] == "null" { // the place of a missing field is the end of the record
				line, column, missing := r.Field(2)
				require.Equal(t, r.Record().Line, line)
				require.Equal(t, 2, column)
				require.Empty(t, missing)
			}
		}
		require.Equal(t, o.want, strings.Join(got, "|"))
		require.Equal(t, text, string(raw))
	}
}
