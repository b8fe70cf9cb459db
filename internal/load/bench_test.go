package load

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// sponge is a writer that takes everything and keeps nothing.
type sponge struct{}

func (sponge) Write(context.Context, string, []row.Row) error { return nil }
func (sponge) Idempotent() bool                               { return true }

// benchmark loads a text of so many rows again and again.
func benchmark(b *testing.B, table *schema.Table, text []byte, rows int, router *Router) {
	b.Helper()
	job := &Job{
		Table: table, Format: dsv.DefaultFormat, Header: true, Router: router, Limits: testLimits, InFlight: 8,
		NewWriter: func([]schema.Column) Writer { return sponge{} }, Rejects: &recorder{}, Counters: &progress.Counters{},
		Inputs: []Input{{Name: "text", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}},
	}
	var before, after runtime.MemStats
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	runtime.ReadMemStats(&before)
	total := 0
	for b.Loop() {
		result, err := job.Run(context.Background())
		require.NoError(b, err)
		require.EqualValues(b, rows, result.Written)
		total += rows
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(total), "allocs/row")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(total), "B/row")
}

// BenchmarkBlobs takes rows of six blobs of 34 bytes from text to batches: wire
// bytes, tokens, grouping.
func BenchmarkBlobs(b *testing.B) {
	const rows = 50_000
	columns := []schema.Column{typed("id", schema.PartitionKey, 0, "blob")}
	for i := range 5 {
		columns = append(columns, typed(fmt.Sprintf("c%d", i), schema.Regular, 0, "blob"))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	text := []byte("id,c0,c1,c2,c3,c4\n")
	var blob [34]byte
	for range rows {
		for i := range 6 {
			for j := range blob {
				blob[j] = byte(rng.Uint32())
			}
			if i > 0 {
				text = append(text, ',')
			}
			text = hex.AppendEncode(append(text, "0x"...), blob[:])
		}
		text = append(text, '\n')
	}
	benchmark(b, schema.New("demo", "blobs", columns), text, rows, ring(b, 3, 16))
}

// BenchmarkNarrow takes short rows of few partitions, whose cost is that of the
// row and not of its bytes.
func BenchmarkNarrow(b *testing.B) {
	const rows = 200_000
	text := []byte("k,c,id,v\n")
	for i := range rows {
		text = fmt.Appendf(text, "%d,%d,%d,abc\n", i%1000, i, i)
	}
	benchmark(b, events, text, rows, ring(b, 3, 16))
}
