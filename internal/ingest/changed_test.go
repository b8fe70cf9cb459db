package ingest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// A load does not continue with an input that was changed, however it is cut now.
func TestChangedInput(t *testing.T) {
	const header = "id,n\n"
	for name, changed := range map[string]string{
		"a value":                      "1,1\n2,1\n3,1\n4,2\n5,1\n6,1\n7,1\n8,1\n9,1\n",
		"the first of a piece is bad":  "1,1\n2,1\n3,1\n4,\"\n5,1\n6,1\n7,1\n8,1\n9,1\n",
		"a line more":                  "0,1\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n9,1\n",
		"a line longer than the piece": "1,1\n2,1\n3,1\n4,1111111111111\n5,1\n6,1\n7,1\n8,1\n9,1\n",
	} {
		t.Run(name, func(t *testing.T) {
			job, c, rejects := loadtest.NewJob(
				tabletest.Hits,
				header+"1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n9,1\n",
			)
			j := loadtest.NewPieceJournal(rejects)
			job.Journal, job.ChunkSize = j, 12
			loadtest.MustRun(t, job, c)
			job.Inputs = []ingest.Input{loadtest.Input("f", header+changed)}
			_, err := job.Run(t.Context())
			require.ErrorContains(t, err, "the input was changed")
			for id := range 10 {
				require.LessOrEqual(t, c.Applied[id], 1, "row %d", id)
			}
		})
	}
}

// A piece has no more records than it may.
func TestChunkRecords(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Hits, loadtest.Numbered("id,n", 100))
	j := loadtest.NewPieceJournal(rejects)
	job.Journal, job.ChunkRecords = j, 7
	loadtest.MustRun(t, job, c)
	require.Len(t, j.Pieces, 15)
	for _, p := range j.Pieces {
		require.LessOrEqual(t, p.Count, 7)
	}
}
