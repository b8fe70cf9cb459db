package ingest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

func TestJSONLines(t *testing.T) {
	for _, chunk := range []int{1, 40, 1 << 20} {
		job, c, rejects := loadtest.NewJob(
			tabletest.Names,
			`{"v":"first","k":"one","N":1}`+"\n\n"+`{"k":"two","n":null,"Junk":[1,{}],"value":"second"}`+"\r\n"+
				`{"k":"three","n":"x"}`+"\n"+`{"k":"four","n":1,"N":2}`+"\n"+`["k"]`+"\n"+`{"n":5}`+"\n"+`{"k":"five","w":5}`,
		)
		job.Format, job.ChunkSize = format.JSON{}, chunk
		job.Fields = ingest.Fields{
			Renamed: map[string]string{"value": "v"},
			Skipped: []string{"Junk"},
		}
		result := loadtest.MustRun(t, job, c)
		require.EqualValues(t, 7, result.Read)
		require.Equal(t, "first", c.Cells["k=6f6e65 "]["v"].Value)
		require.Equal(t, "\x00\x00\x00\x01", c.Cells["k=6f6e65 "]["n"].Value)
		require.Equal(t, "second", c.Cells["k=74776f "]["v"].Value)
		require.NotContains(t, c.Cells["k=74776f "], "n")
		require.Len(t, c.Cells, 2)
		var reasons []string
		for _, r := range rejects.Sorted() {
			require.Empty(t, r.Header)
			reasons = append(reasons, r.Reason)
		}
		require.Len(t, reasons, 5)
		require.Contains(t, reasons[0], "not an integer")
		require.Equal(t, "two members of the object are of this column", reasons[1])
		require.Contains(t, reasons[2], "expected an object")
		require.Equal(t, "primary key column must not be null", reasons[3])
		require.Contains(t, reasons[4], `no column "w"`)
	}
}

func TestJSONMapping(t *testing.T) {
	job, _, _ := loadtest.NewJob(tabletest.Names, `{"k":"one"}`)
	job.Format, job.Columns = format.JSON{}, []string{"k", "n"}
	job.Fields = ingest.Fields{Renamed: map[string]string{"value": "v"}}
	_, err := job.Run(t.Context())
	var mapping *ingest.MappingError
	require.ErrorAs(t, err, &mapping)
	require.ErrorContains(t, err, `column "v" is not among those to load`)
}
