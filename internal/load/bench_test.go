package load_test

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

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
)

// sponge is a writer that takes everything and keeps nothing.
type sponge struct{}

func (sponge) Write(context.Context, string, []row.Row) error { return nil }

func (sponge) Idempotent() bool { return true }

// benchmark loads a text with a number of rows repeatedly.
func benchmark(
	b *testing.B,
	table *schema.Table,
	text []byte,
	rows int,
	router *write.Router,
	change ...func(*load.Job),
) {
	b.Helper()
	job := &load.Job{
		Job: ingest.Job{
			Table:    table,
			Format:   format.CSV,
			Header:   true,
			Router:   router,
			Limits:   loadtest.RowLimits,
			Rejects:  &loadtest.Recorder{},
			Counters: &progress.Counters{},
			Inputs: []ingest.Input{
				{
					Name: "text",
					Open: func() (io.ReadCloser, error) {
						return io.NopCloser(bytes.NewReader(text)), nil
					},
				},
			},
		},
		CQL: cql.Options{
			NewWriter: func([]schema.Column) cql.Writer { return sponge{} },
			Limits:    loadtest.BatchLimits,
			InFlight:  8,
		},
	}
	for _, f := range change {
		f(job)
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
	columns := []schema.Column{tabletest.Column("id", schema.PartitionKey, 0, "blob")}
	for i := range 5 {
		columns = append(columns, tabletest.Column(fmt.Sprintf("c%d", i), schema.Regular, 0, "blob"))
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
	benchmark(b, schema.New("demo", "blobs", columns), text, rows, loadtest.Ring(b, 3, 16))
}

// BenchmarkNarrow takes short rows of few partitions, whose cost is that of the
// row and not of its bytes.
func BenchmarkNarrow(b *testing.B) {
	const rows = 200_000
	text := []byte("k,c,id,v\n")
	for i := range rows {
		text = fmt.Appendf(text, "%d,%d,%d,abc\n", i%1000, i, i)
	}
	benchmark(b, tabletest.Events, text, rows, loadtest.Ring(b, 3, 16))
}

// The sample table, and rows of it as delimited text and as objects. Its days are
// those of the sample: some 900 rows of each partition, one after another.
var flights = schema.New("demo", "flights", []schema.Column{
	tabletest.Column(
		"origin",
		schema.PartitionKey,
		0,
		"text",
	),
	tabletest.Column("month", schema.PartitionKey, 1, "int"),
	tabletest.Column("day", schema.PartitionKey, 2, "int"),
	tabletest.Column(
		"time_hour",
		schema.Clustering,
		0,
		"timestamp",
	),
	tabletest.Column("carrier", schema.Clustering, 1, "text"),
	tabletest.Column("flight", schema.Clustering, 2, "int"),
	tabletest.Column(
		"year",
		schema.Regular,
		0,
		"int",
	),
	tabletest.Column("dep_time", schema.Regular, 0, "int"),
	tabletest.Column("sched_dep_time", schema.Regular, 0, "int"),
	tabletest.Column(
		"dep_delay",
		schema.Regular,
		0,
		"int",
	),
	tabletest.Column("arr_time", schema.Regular, 0, "int"),
	tabletest.Column("sched_arr_time", schema.Regular, 0, "int"),
	tabletest.Column(
		"arr_delay",
		schema.Regular,
		0,
		"int",
	),
	tabletest.Column("tailnum", schema.Regular, 0, "text"),
	tabletest.Column("dest", schema.Regular, 0, "text"),
	tabletest.Column(
		"air_time",
		schema.Regular,
		0,
		"int",
	),
	tabletest.Column("distance", schema.Regular, 0, "int"),
	tabletest.Column("hour", schema.Regular, 0, "int"),
	tabletest.Column("minute", schema.Regular, 0, "int"),
})

const flightRows = 50_000

// BenchmarkFlights takes the sample's rows from text to batches.
func BenchmarkFlights(b *testing.B) {
	text := []byte(
		"year,month,day,dep_time,sched_dep_time,dep_delay,arr_time,sched_arr_time,arr_delay,carrier,flight,tailnum,origin,dest,air_time,distance,hour,minute,time_hour\n",
	)
	for i := range flightRows {
		text = fmt.Appendf(
			text,
			"2013,%d,%d,517,515,%d,830,819,11,UA,%d,N14228,%s,IAH,227,1400,5,15,2013-01-01T%02d:00:00Z\n",
			1+i/900%12,
			1+i/900/12%28,
			i%90-10,
			i%6000,
			[]string{"EWR", "LGA", "JFK"}[i%3],
			i%24,
		)
	}
	benchmark(b, flights, text, flightRows, loadtest.Ring(b, 3, 16))
}

// BenchmarkFlightsJSON takes them from objects, one a line.
func BenchmarkFlightsJSON(b *testing.B) {
	var text []byte
	for i := range flightRows {
		text = fmt.Appendf(
			text,
			`{"year":2013,"month":%d,"day":%d,"dep_time":517,"sched_dep_time":515,"dep_delay":%d,"arr_time":830,"sched_arr_time":819,`+
				`"arr_delay":11,"carrier":"UA","flight":%d,"tailnum":"N14228","origin":"%s","dest":"IAH","air_time":227,"distance":1400,"hour":5,"minute":15,`+
				`"time_hour":"2013-01-01T%02d:00:00Z"}`+"\n",
			1+i/900%12,
			1+i/900/12%28,
			i%90-10,
			i%6000,
			[]string{"EWR", "LGA", "JFK"}[i%3],
			i%24,
		)
	}
	asJSON := func(j *load.Job) { j.Format = format.JSON{} }
	benchmark(b, flights, text, flightRows, loadtest.Ring(b, 3, 16), asJSON)
}
