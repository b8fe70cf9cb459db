package scan

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// flight returns a row of the sample data's table, with its columns in the order of a scan.
func flight(t testing.TB) ([]schema.Selector, [][]byte, string) {
	hour := time.Date(2013, 1, 1, 10, 0, 0, 0, time.UTC)
	var columns []schema.Selector
	var cells [][]byte
	for _, c := range []struct {
		name, typ string
		cell      []byte
	}{
		{"origin", "text", []byte("EWR")},
		{"month", "int", int32Cell(1)},
		{"day", "int", int32Cell(1)},
		{"time_hour", "timestamp", binary.BigEndian.AppendUint64(nil, uint64(hour.UnixMilli()))},
		{"carrier", "text", []byte("UA")},
		{"flight", "int", int32Cell(1545)},
		{"air_time", "int", int32Cell(227)},
		{"arr_delay", "int", int32Cell(11)},
		{"arr_time", "int", int32Cell(830)},
		{"dep_delay", "int", int32Cell(2)},
		{"dep_time", "int", int32Cell(517)},
		{"dest", "text", []byte("IAH")},
		{"distance", "int", int32Cell(1400)},
		{"hour", "int", int32Cell(5)},
		{"minute", "int", int32Cell(15)},
		{"sched_arr_time", "int", int32Cell(819)},
		{"sched_dep_time", "int", int32Cell(515)},
		{"tailnum", "text", []byte("N14228")},
		{"year", "int", int32Cell(2013)},
	} {
		columns = append(columns, tabletest.Selector(c.name, c.typ))
		cells = append(cells, c.cell)
	}
	return columns, cells, "EWR,1,1,2013-01-01T10:00:00Z,UA,1545,227,11,830,2,517,IAH,1400,5,15,819,515,N14228,2013\n"
}

// blobs returns a row of six blobs of 34 bytes.
func blobs(t testing.TB) ([]schema.Selector, [][]byte) {
	columns := tabletest.Selectors("blob", "blob", "blob", "blob", "blob", "blob")
	cells := make([][]byte, len(columns))
	for i := range cells {
		cells[i] = bytes.Repeat([]byte{byte(0x5a + 7*i)}, 34)
	}
	return columns, cells
}

func TestFlightRow(t *testing.T) {
	columns, cells, want := flight(t)
	got, err := delimited(t, columns).NewEncoder().AppendRow(nil, cells)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

// A row of scalars is encoded without a single allocation, with and without a
// text for null.
func TestAppendRowDoesNotAllocate(t *testing.T) {
	eight := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	uuid := []byte{
		0x12,
		0x3e,
		0x45,
		0x67,
		0xe8,
		0x9b,
		0x12,
		0xd3,
		0xa4,
		0x56,
		0x42,
		0x66,
		0x14,
		0x17,
		0x40,
		0,
	}
	values := map[cqltype.Kind][]byte{
		cqltype.Ascii: []byte(
			`a "b", c`,
		),
		cqltype.Bigint:  eight,
		cqltype.Blob:    eight,
		cqltype.Boolean: {1},
		cqltype.Counter: eight,
		cqltype.Date:    {0x80, 0, 0x40, 0},
		cqltype.Double:  {0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a},
		cqltype.Duration: {
			2,
			4,
			6,
		},
		cqltype.Float:    {0x3d, 0xcc, 0xcc, 0xcd},
		cqltype.Inet:     {10, 0, 0, 1},
		cqltype.Int:      int32Cell(-5),
		cqltype.Smallint: {1, 2},
		cqltype.Text:     []byte("größe"),
		cqltype.Time: {
			0,
			0,
			0,
			1,
			2,
			3,
			4,
			5,
		},
		cqltype.Timestamp: {0, 0, 1, 0x3b, 0xf6, 0x50, 0x1d, 0x80},
		cqltype.TimeUUID:  uuid,
		cqltype.Tinyint:   {0xff},
		cqltype.UUID:      uuid,
		cqltype.Varint:    {1, 2, 3},
		cqltype.Decimal:   {0, 0, 0, 2, 1, 2, 3},
	}
	var columns []schema.Selector
	var cells [][]byte
	for kind := cqltype.Ascii; kind <= cqltype.Varint; kind++ {
		columns = append(
			columns,
			schema.Selector{Name: kind.String(), Type: &cqltype.Type{Kind: kind}},
		)
		cells = append(cells, values[kind])
	}
	for _, null := range []string{"", "NA"} {
		text := format.Delimited{Format: dsv.DefaultFormat}
		o, err := text.Output(columns, format.OutputOptions{Null: null})
		require.NoError(t, err)
		e := o.NewEncoder()
		buffer := make([]byte, 0, 1<<12)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if buffer, err = e.AppendRow(buffer[:0], cells); err != nil {
				t.Fatal(err)
			}
		}))
	}
}

// outputs returns the output of each format.
func outputs(t testing.TB, columns []schema.Selector) map[string]format.Output {
	return map[string]format.Output{
		"delimited": delimited(t, columns),
		"json":      jsonLines(t, columns),
	}
}

// again is a page that returns the same rows each time it is rewound.
type again struct {
	row.Page
	rows [][][]byte
	next int
}

func (p *again) Next() bool      { p.next++; return p.next <= len(p.rows) }
func (p *again) Cells() [][]byte { return p.rows[p.next-1] }

// nowhere is an output that drops what it gets.
type nowhere struct{}

func (nowhere) Write(int, []byte) error { return nil }

// pageWorker makes a worker of a job for these columns, and a page with several rows of each
// partition. The first columns are the partition key.
func pageWorker(
	columns []schema.Selector,
	cells [][]byte,
	keys int,
	o format.Output,
) (*worker, *again) {
	job := &Job{
		Output:      o,
		NewWriter:   func() Writer { return nowhere{} },
		Partitioner: token.Murmur3,
		Counters:    &progress.Counters{},
	}
	for i, c := range columns {
		job.Checksum.Cells = append(job.Checksum.Cells, i)
		job.Checksum.Types = append(job.Checksum.Types, c.Type)
	}
	for i := range keys {
		job.Key = append(job.Key, i)
	}
	page := &again{}
	for i := range 1000 {
		copied := make([][]byte, len(cells))
		for c := range cells {
			copied[c] = bytes.Clone(cells[c])
		}
		copied[0][0] = byte(i / 4)
		page.rows = append(page.rows, copied)
	}
	return newWorker(job), page
}

// newWorker makes the worker of a job with one encode buffer.
func newWorker(job *Job) *worker {
	w := &worker{
		job:  job,
		left: &atomic.Int64{},
		partition: partitionRows{
			memory:     &atomic.Int64{},
			unfinished: &atomic.Int64{},
			dir:        job.SpoolDir,
		},
	}
	w.left.Store(job.Limit)
	w.partition.memory.Store(job.PartitionMemory)
	w.buffers = job.buffers()
	return w
}

// A page of scalars is handled without an allocation, including checksum, text and partitions.
func TestPageDoesNotAllocate(t *testing.T) {
	columns, cells, _ := flight(t)
	for name, o := range outputs(t, columns) {
		for _, keys := range []int{1, 4, 8} {
			w, page := pageWorker(columns, cells, keys, o)
			w.partition.memory.Store(1 << 20)
			require.Zero(t, testing.AllocsPerRun(20, func() {
				page.next = 0
				if err := w.Page(token.Whole(token.Murmur3), page); err != nil {
					t.Fatal(err)
				}
				if err := w.Done(token.Whole(token.Murmur3)); err != nil {
					t.Fatal(err)
				}
			}), "%s, %d key columns", name, keys)
		}
	}
}

// rowsOf returns the rows to measure.
func rowsOf(b *testing.B) map[string]func() ([]schema.Selector, [][]byte) {
	return map[string]func() ([]schema.Selector, [][]byte){
		"flight": func() ([]schema.Selector, [][]byte) {
			columns, cells, _ := flight(b)
			return columns, cells
		},
		"blobs": func() ([]schema.Selector, [][]byte) { return blobs(b) },
	}
}

// BenchmarkAppendRow measures the text of a row.
func BenchmarkAppendRow(b *testing.B) {
	for name, made := range rowsOf(b) {
		columns, cells := made()
		for form, o := range outputs(b, columns) {
			b.Run(name+"/"+form, func(b *testing.B) {
				e := o.NewEncoder()
				buffer, err := e.AppendRow(make([]byte, 0, 1<<12), cells)
				require.NoError(b, err)
				b.SetBytes(int64(len(buffer)))
				b.ReportAllocs()
				for b.Loop() {
					if buffer, err = e.AppendRow(buffer[:0], cells); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// BenchmarkPage measures all that a worker does for a row: partition, text, checksum.
func BenchmarkPage(b *testing.B) {
	for name, made := range rowsOf(b) {
		columns, cells := made()
		for form, o := range outputs(b, columns) {
			b.Run(name+"/"+form, func(b *testing.B) {
				w, page := pageWorker(columns, cells, 1, o)
				w.partition.memory.Store(1 << 20)
				b.ReportAllocs()
				for b.Loop() {
					page.next = 0
					if err := w.Page(token.Whole(token.Murmur3), page); err != nil {
						b.Fatal(err)
					}
				}
				bytes := w.job.Counters.Bytes.Load()
				b.SetBytes(bytes / int64(b.N))
				b.ReportMetric(float64(b.N)*float64(len(page.rows))/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// BenchmarkScan measures a whole scan of small rows without a database or a disk. With checkpoints,
// the table is read a hundred times in one scan, so that this takes seconds. What a checkpoint does
// outside the scan is not measured.
func BenchmarkScan(b *testing.B) {
	for _, c := range []struct {
		name   string
		passes int
		every  time.Duration
	}{
		{"once", 1, 0},
		{"long", 100, 0},
		{"long, checkpoints every 2s", 100, 2 * time.Second},
		{"long, checkpoints every 20ms", 100, 20 * time.Millisecond},
		{"long, checkpoints every 1ms", 100, time.Millisecond},
	} {
		b.Run(c.name, func(b *testing.B) {
			const rows = 20000
			job, out := newJob(b, numbered(rows, 40), 4)
			job.EncodeBuffers, job.Sweep.PageRows = 2, 1000
			job.Splits = slices.Repeat(job.Splits, c.passes)
			if c.passes > 1 {
				job.NewWriter = func() Writer { return nowhere{} }
			}
			checkpoints := 0
			if c.every > 0 {
				job.CheckpointEvery = c.every
				job.Checkpoint = func() (func(Point) error, error) {
					checkpoints++
					return func(Point) error { return nil }, nil
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				out.text.Reset()
				if _, err := job.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(job.Counters.Bytes.Load() / int64(b.N))
			b.ReportMetric(rows*float64(c.passes*b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(checkpoints)/float64(b.N), "checkpoints/op")
		})
	}
}
