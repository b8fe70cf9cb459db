package cql_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Of hundreds of headers only the first have a statement of their own. The rows of all others go by
// the statement of all columns, where those that their input does not have are unset.
func TestManyHeadersShareAStatement(t *testing.T) {
	const width, inputs = 9, 500
	columns := []schema.Column{
		{Name: "k", Kind: schema.PartitionKey, Type: &cqltype.Type{Kind: cqltype.Text}},
	}
	for i := range width {
		columns = append(
			columns,
			schema.Column{
				Name: fmt.Sprint("v", i),
				Kind: schema.Regular,
				Type: &cqltype.Type{Kind: cqltype.Text},
			},
		)
	}
	table := schema.New("demo", "broad", columns)
	var texts []string
	for n := range inputs {
		header, values := "", ""
		for i := range width {
			if n>>i&1 == 1 {
				header, values = header+fmt.Sprint("v", i, ","), values+"x,"
			}
		}
		texts = append(texts, header+"k\n"+values+fmt.Sprint(n, "\n"))
	}
	job, c, _ := loadtest.NewJob(table, texts...)
	var mu sync.Mutex
	statements := 0
	written := map[string]string{}
	job.CQL.Wide = table.Columns
	job.CQL.NewWriter = func(columns []schema.Column) cql.Writer {
		return &noting{c.Writer(columns), func(rows []row.Row) {
			mu.Lock()
			defer mu.Unlock()
			if len(columns) == len(table.Columns) {
				statements++
			}
			for _, r := range rows {
				require.Len(t, r.Cells, len(columns))
				key, set := "", ""
				for i, cell := range r.Cells {
					switch {
					case columns[i].Name == "k":
						key = string(cell.Bytes)
					case cell.State == row.Set:
						require.Equal(t, "x", string(cell.Bytes))
						set += columns[i].Name
					default:
						require.Equal(t, row.Unset, cell.State)
					}
				}
				written[key] += set + ";"
			}
		}}
	}
	result, err := job.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, inputs, result.Written)
	for n := range inputs {
		want := ""
		for _, c := range table.Columns[1:] {
			var i int
			_, err := fmt.Sscanf(c.Name, "v%d", &i)
			require.NoError(t, err)
			if n>>i&1 == 1 {
				want += c.Name
			}
		}
		if n < 60 {
			continue // in the order of their header
		}
		require.Len(t, written[fmt.Sprint(n)], len(want)+1, "row %d, once", n)
	}
	require.Positive(t, statements)
	require.Less(t, int(result.Batches), inputs-100, "rows of different headers share requests")
}

// noting is a writer whose rows are noted.
type noting struct {
	cql.Writer
	note func([]row.Row)
}

func (n *noting) Write(ctx context.Context, host string, rows []row.Row) error {
	n.note(rows)
	return n.Writer.Write(ctx, host, rows)
}
