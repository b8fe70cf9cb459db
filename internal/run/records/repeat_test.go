package records

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// repeated resumes a load of two rows, 1 and 2, that was killed while it wrote them, or while it
// repeated them for the given time. Their timestamps were 1000 and one step later.
func repeated(
	t *testing.T,
	times uint8,
	repeat bool,
	before uint8,
) (*store, string, load.Result, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	l, err := NewLoad(dir, journal.Manifest{Command: "load"})
	require.NoError(t, err)
	piece := ingest.Piece{
		Offset:  4,
		Bytes:   8,
		Count:   2,
		Line:    2,
		Hash:    xxh3.HashStringSeed("1,a\n2,b\n", xxh3.HashString("k,v\n")),
		Stamp:   1000,
		Repeats: times,
	}
	require.NoError(t, l.Begin(piece))
	require.NoError(t, l.Abandon())
	l, err = OpenLoad(dir)
	require.NoError(t, err)
	require.NoError(t, l.Resume(func(reject.State) error { return nil }))
	rejects := reject.New(dir, ".csv")
	l.Use(rejects, true)
	s := &store{applied: map[int32]int{}, stamps: map[int32]map[int64]bool{}, left: 1000}
	job := &load.Job{
		Job: ingest.Job{
			Table: tableOf(
				cqltype.Text,
			),
			Format:        format.CSV,
			Header:        true,
			Journal:       l,
			Rejects:       rejects,
			Router:        write.NewRouter(nil, nil, nil),
			Counters:      &progress.Counters{},
			ChunkSize:     8,
			StampStep:     ingest.MaxStampStep,
			RepeatInDoubt: repeat,
			Inputs: []ingest.Input{
				{Name: "f", Repeats: before, Open: func() (io.ReadCloser, error) {
					return io.NopCloser(strings.NewReader("k,v\n1,a\n2,b\n")), nil
				}},
			},
			Limits: ingest.Limits{MaxMutationBytes: 5000},
		},
		CQL: cql.Options{
			NewWriter: func([]schema.Column) cql.Writer { return s },
			Limits:    cql.Limits{MaxRows: 10, Partitions: 10, Bytes: 5000, PartitionBytes: 5000},
		},
	}
	result, err := job.Run(t.Context())
	require.NoError(t, rejects.Close())
	require.NoError(t, l.Abandon())
	return s, dir, result, err
}

// Rows that are written repeatedly get later timestamps, but never those of the rows after them.
// There is room for one more timestamp, which a retry may need.
func TestRepeatsNeverReachTheNextRow(t *testing.T) {
	const next = 1000 + ingest.MaxStampStep
	for before := range uint8(2) {
		for times := range uint8(ingest.MaxStampStep + 2) {
			s, _, result, err := repeated(t, times, true, before)
			late := int64(times) + 1
			if late+int64(before) >= ingest.MaxStampStep-1 {
				require.ErrorContains(
					t,
					err,
					fmt.Sprintf(
						"f: bytes 4 to 12 were written again %d times: once more, their rows could get the timestamps of the rows after them; "+
							"resume without --repeat-in-doubt",
						int(times)+int(before),
					),
				)
				require.Empty(t, s.applied)
				continue
			}
			require.NoError(t, err)
			require.EqualValues(t, 2, result.Written)
			require.Equal(t, map[int64]bool{1000 + late: true}, s.stamps[1])
			require.Equal(t, map[int64]bool{next + late: true}, s.stamps[2])
			require.Less(t, 1000+late, int64(next))
		}
	}
}

// The rejects have rows in doubt with their last timestamp and the number of repeats, so that the
// timestamps of a retry are later.
func TestRowsInDoubtHaveTheirRepeats(t *testing.T) {
	s, dir, result, err := repeated(t, 5, false, 0)
	require.NoError(t, err)
	require.EqualValues(t, 2, result.InDoubt)
	require.Empty(t, s.applied)
	kept, err := reject.Find(dir)
	require.NoError(t, err)
	require.Equal(t, []reject.Kept{
		{
			Path: filepath.Join(
				dir,
				"in-doubt.csv",
			),
			Stamps:  []int64{1005, 1005 + ingest.MaxStampStep},
			Sent:    []bool{true, true},
			Doubt:   true,
			Repeats: 5,
		},
	}, kept)
	text, err := os.ReadFile(filepath.Join(dir, "errors.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(text), `"repeats":5`)
}
