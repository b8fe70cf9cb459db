package records

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// sponge takes everything at once.
type sponge struct{}

func (sponge) Write(context.Context, string, []row.Row) error { return nil }
func (sponge) Idempotent() bool                               { return true }

// BenchmarkLoad loads rows into a target that drops them, with a journal on the disk and without.
// The difference is the cost of the journal. The inputs take some seconds, so that the time to
// create the run directory does not count.
func BenchmarkLoad(b *testing.B) {
	text := []byte("k,v\n")
	for i := range 1_000_000 {
		text = fmt.Appendf(text, "%d,some words of a row that is not very long\n", i)
	}
	const inputs = 10
	for _, journaled := range []bool{false, true} {
		b.Run(fmt.Sprintf("journal=%v", journaled), func(b *testing.B) {
			b.SetBytes(inputs * int64(len(text)))
			for n := 0; b.Loop(); n++ {
				dir := filepath.Join(b.TempDir(), fmt.Sprint("run", n))
				rejects := reject.New(dir, ".csv")
				job := &load.Job{
					Job: ingest.Job{
						Table: tableOf(
							cqltype.Text,
						),
						Format:   format.CSV,
						Header:   true,
						Rejects:  rejects,
						Router:   write.NewRouter(nil, nil, nil),
						Counters: &progress.Counters{},
						Limits:   ingest.Limits{MaxMutationBytes: 5000},
					},
					CQL: cql.Options{
						NewWriter: func([]schema.Column) cql.Writer { return sponge{} },
						Limits: cql.Limits{
							MaxRows:        100,
							Partitions:     10,
							Bytes:          5000,
							PartitionBytes: 5000,
						},
						InFlight: 8,
					},
				}
				for range inputs {
					job.Inputs = append(
						job.Inputs,
						ingest.Input{Name: "f", Open: func() (io.ReadCloser, error) {
							return io.NopCloser(bytes.NewReader(text)), nil
						}},
					)
				}
				stop := func() {}
				if journaled {
					l, err := NewLoad(dir, journal.Manifest{Command: "load"})
					require.NoError(b, err)
					l.Use(rejects, false)
					job.Journal = l
					stop = l.SyncEvery(time.Second)
					defer func() { require.NoError(b, l.Close(End{Outcome: Done})) }()
				}
				result, err := job.Run(b.Context())
				stop()
				require.NoError(b, err)
				require.EqualValues(b, inputs*1_000_000, result.Written)
			}
		})
	}
}
