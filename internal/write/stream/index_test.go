package stream

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// indexed has a column for each place that an index can be of.
var indexed = schema.New("demo", "indexed", []schema.Column{
	tabletest.Column(
		"k1",
		schema.PartitionKey,
		0,
		"text",
	),
	tabletest.Column("k2", schema.PartitionKey, 0, "text"),
	tabletest.Column("c", schema.Clustering, 0, "text"),
	tabletest.Column(
		"s",
		schema.Static,
		0,
		"text",
	),
	tabletest.Column("v", schema.Regular, 0, "text"),
	tabletest.Column("l", schema.Regular, 0, "list<text>"),
	tabletest.Column(
		"e",
		schema.Regular,
		0,
		"set<text>",
	),
	tabletest.Column("m", schema.Regular, 0, "map<text, text>"),
	tabletest.Column("f", schema.Regular, 0, "vector<float, 2>"),
})

// collection encodes elements.
func collection(elements int, texts ...string) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(elements))
	for _, text := range texts {
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(text))), text...)
	}
	return out
}

func vector(x, y float32) []byte {
	return binary.BigEndian.AppendUint32(
		binary.BigEndian.AppendUint32(nil, math.Float32bits(x)),
		math.Float32bits(y),
	)
}

// A row with a value that an index does not take is rejected, wherever the index is; others are
// not.
func TestRowsThatAnIndexRefuses(t *testing.T) {
	const limit = 20
	fits, long := strings.Repeat("x", limit), strings.Repeat("x", limit+1)
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, c := range map[string]struct {
		index   Index
		column  string
		good    []byte
		bad     []byte
		because string
	}{
		"partition key": {Index{Column: "k2"}, "k2", []byte(fits), []byte(long), "takes no value of 21 bytes, but up to 20"},
		"clustering":    {Index{Column: "c"}, "c", []byte(fits), []byte(long), "takes no value of 21 bytes"},
		"static":        {Index{Column: "s"}, "s", []byte(fits), []byte(long), "takes no value of 21 bytes"},
		"regular":       {Index{Column: "v"}, "v", []byte(fits), []byte(long), `column "v": index "i" takes no value of 21 bytes`},
		"list":          {Index{Column: "l"}, "l", collection(2, fits, fits), collection(2, "a", long), "takes no value of 21 bytes"},
		"set":           {Index{Column: "e"}, "e", collection(2, "a", fits), collection(2, "a", long), "takes no value of 21 bytes"},
		"map values":    {Index{Column: "m"}, "m", collection(1, long, fits), collection(1, "a", long), "takes no value of 21 bytes"},
		"map keys":      {Index{Column: "m", Part: IndexKeys}, "m", collection(1, fits, long), collection(1, long, "a"), "takes no value of 21 bytes"},
		"map entries":   {Index{Column: "m", Part: IndexEntries}, "m", collection(1, "a", fits[:13]), collection(1, "a", fits[:14]), "takes no value of 21 bytes"},
		"no number":     {Index{Column: "f", Vectors: true}, "f", vector(0, 0), vector(1, nan), "takes no vector with a component of NaN"},
		"infinite":      {Index{Column: "f", Vectors: true}, "f", vector(1e17, -1e17), vector(inf, 1), "takes no vector with a component of -Inf"},
		"out of bounds": {Index{Column: "f", Vectors: true}, "f", nil, vector(1, 1.1e17), "takes no vector with a component of 1.1e+17"},
		"zero":          {Index{Column: "f", Vectors: true, NoZero: true}, "f", vector(0, -1), vector(0, 0), "takes no vector of zeros"},
		"no limit":      {Index{Column: "v", MaxBytes: -1}, "v", []byte(long), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.index.Name = "i"
			if c.index.MaxBytes = limit; name == "no limit" {
				c.index.MaxBytes = 0
			}
			tg, _ := newTarget(
				t,
				func(o *Options) { o.Table, o.Indexes = indexed, []Index{c.index} },
			)
			defer func() { require.NoError(t, tg.batch.sorter.Close()) }()
			p := &pieces{}
			for _, value := range [][]byte{c.good, c.bad} {
				var cells []row.Cell
				for _, column := range indexed.Columns {
					cell := row.Cell{}
					switch {
					case column.Name == c.column && value != nil:
						cell = row.Cell{Bytes: value, State: row.Set}
					case column.IsKey():
						cell = row.Cell{Bytes: []byte("a"), State: row.Set}
					case column.Name == c.column:
						cell = row.Cell{State: row.Null}
					}
					cells = append(cells, cell)
				}
				r := &write.Row{Row: row.Row{Cells: cells, Timestamp: 1}, Tracker: p}
				require.NoError(t, tg.Intake(indexed.Columns).Put(t.Context(), []*write.Row{r}))
			}
			if c.because == "" {
				require.Empty(t, p.rejected)
				return
			}
			require.Len(t, p.rejected, 1)
			require.Contains(t, p.rejected[0], c.because, fmt.Sprint(c))
		})
	}
}
