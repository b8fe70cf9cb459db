package scan

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// flight is a row of the sample data's table, its columns in the order of a scan.
func flight(t testing.TB) ([]schema.Column, [][]byte, string) {
	hour := time.Date(2013, 1, 1, 10, 0, 0, 0, time.UTC)
	var columns []schema.Column
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
		columns = append(columns, column(t, c.name, c.typ))
		cells = append(cells, c.cell)
	}
	return columns, cells, "EWR,1,1,2013-01-01T10:00:00Z,UA,1545,227,11,830,2,517,IAH,1400,5,15,819,515,N14228,2013\n"
}

// blobs is a row of six blobs of 34 bytes.
func blobs(t testing.TB) ([]schema.Column, [][]byte) {
	columns := columnsOf(t, "blob", "blob", "blob", "blob", "blob", "blob")
	cells := make([][]byte, len(columns))
	for i := range cells {
		cells[i] = bytes.Repeat([]byte{byte(0x5a + 7*i)}, 34)
	}
	return columns, cells
}

func TestFlightRow(t *testing.T) {
	columns, cells, want := flight(t)
	e, err := NewEncoder(columns, dsv.DefaultFormat, "")
	require.NoError(t, err)
	got, err := e.AppendRow(nil, cells)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

// A row of scalars is encoded without a single allocation, with and without a
// text for null.
func TestAppendRowDoesNotAllocate(t *testing.T) {
	eight := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	uuid := []byte{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0}
	values := map[cqltype.Kind][]byte{
		cqltype.Ascii: []byte(`a "b", c`), cqltype.Bigint: eight, cqltype.Blob: eight, cqltype.Boolean: {1},
		cqltype.Counter: eight, cqltype.Date: {0x80, 0, 0x40, 0}, cqltype.Double: {0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a},
		cqltype.Duration: {2, 4, 6}, cqltype.Float: {0x3d, 0xcc, 0xcc, 0xcd}, cqltype.Inet: {10, 0, 0, 1},
		cqltype.Int: int32Cell(-5), cqltype.Smallint: {1, 2}, cqltype.Text: []byte("größe"),
		cqltype.Time: {0, 0, 0, 1, 2, 3, 4, 5}, cqltype.Timestamp: {0, 0, 1, 0x3b, 0xf6, 0x50, 0x1d, 0x80},
		cqltype.TimeUUID: uuid, cqltype.Tinyint: {0xff}, cqltype.UUID: uuid, cqltype.Varint: {1, 2, 3},
		cqltype.Decimal: {0, 0, 0, 2, 1, 2, 3},
	}
	var columns []schema.Column
	var cells [][]byte
	for kind := cqltype.Ascii; kind <= cqltype.Varint; kind++ {
		columns = append(columns, schema.Column{Name: kind.String(), Type: &cqltype.Type{Kind: kind}})
		cells = append(cells, values[kind])
	}
	for _, null := range []string{"", "NA"} {
		e, err := NewEncoder(columns, dsv.DefaultFormat, null)
		require.NoError(t, err)
		buffer := make([]byte, 0, 1<<12)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if buffer, err = e.AppendRow(buffer[:0], cells); err != nil {
				t.Fatal(err)
			}
		}))
	}
}

// benchmark reports the text made per second, and the rows.
func benchmark(b *testing.B, columns []schema.Column, cells [][]byte) {
	e, err := NewEncoder(columns, dsv.DefaultFormat, "")
	require.NoError(b, err)
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
}

func BenchmarkAppendRowFlight(b *testing.B) {
	columns, cells, _ := flight(b)
	benchmark(b, columns, cells)
}

func BenchmarkAppendRowBlobs(b *testing.B) {
	columns, cells := blobs(b)
	benchmark(b, columns, cells)
}
