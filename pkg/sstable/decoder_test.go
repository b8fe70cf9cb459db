package sstable

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// readAll reads to the end, or to the first error.
func readAll(d *Decoder) error {
	for {
		if _, err := d.Next(); err != nil {
			return err
		}
	}
}

func TestDataThatEndsTooEarly(t *testing.T) {
	for _, g := range goldens(t) {
		if filepath.Base(g.name) == "wide" {
			continue
		}
		// Where a partition ends the data may.
		ends := map[int64]bool{0: true}
		d := NewDecoder(g.codec, bytes.NewReader(g.data), MaxRowBytes)
		for {
			item, err := d.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if item == PartitionEnd {
				ends[d.End()] = true
			}
		}
		require.Equal(t, int64(len(g.data)), d.End())
		for n := range g.data {
			err := readAll(NewDecoder(g.codec, bytes.NewReader(g.data[:n]), MaxRowBytes))
			if ends[int64(n)] {
				require.Equal(t, io.EOF, err)
			} else {
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%s after %d bytes", g.name, n)
			}
		}
	}
}

func TestErrorsOfTheReaderAreGiven(t *testing.T) {
	gone := errors.New("the disk is gone")
	for _, g := range goldens(t) {
		for _, n := range []int{0, 1, 20, 40, len(g.data)} {
			in := io.MultiReader(
				bytes.NewReader(g.data[:min(n, len(g.data))]),
				iotest.ErrReader(gone),
			)
			require.ErrorIs(
				t,
				readAll(NewDecoder(g.codec, in, MaxRowBytes)),
				gone,
				"%s after %d bytes",
				g.name,
				n,
			)
		}
	}
}

func TestWhatIsWrongIsNamedWithItsOffset(t *testing.T) {
	const header = "0004 00000001 7fffffff 8000000000000000 "
	const row = "24 00 00000002 "
	for _, c := range []struct{ hex, want string }{
		{"0000", "SSTable data at offset 0: partition key of 0 bytes"},
		{header + "90 02 02 00 00", "SSTable data at offset 18: flags 0x90 0x02: a shadowable deletion cannot be read (views of ScyllaDB, and of Cassandra before 3.0.15 and 3.11.1)"},
		{header + "80 01 02 00 00", "SSTable data at offset 18: flags 0x80, where a static row may not be"},
		{header + row + "06 12 00 08 02 6869 01 " + header + "24 0f 01 00", "SSTable data at offset 50: vint is cut off or longer than it need be"},
		{header + row + "05 12 00 08 02 6869", "SSTable data at offset 18: cut off: 2 bytes wanted, 1 left"},
		{header + row + "07 12 00 08 02 6869 01", "SSTable data at offset 18: 1 bytes too many"},
		{header + row + "00 12", "SSTable data at offset 18: row of 0 bytes, and the size of the one before has 1"},
		{header + row + "05 12 00 0c 02 6869", "SSTable data at offset 18: 2 bytes too many"},
		{header + row + "03 12 00 18", `SSTable data at offset 18: cell of column "v" has the flags 0x18, in a row with the TTL 0`},
		{header + row + "03 12 00 03", `SSTable data at offset 18: cell of column "v" has the flags 0x03, in a row with the TTL 0`},
		{header + "20 00 00000002 02 12 08", `SSTable data at offset 18: cell of column "v" has the flags 0x08, in a row with the TTL 0`},
		{header + "2c 00 00000002 04 12 00 00 00", "SSTable data at offset 18: row with the flags 0x2c and a TTL of 0 seconds"},
		{header + "2c 00 00000002 08 12 00 f080000000 00", "SSTable data at offset 18: TTL of 2147483648 seconds and the least one of 0 is beyond 31 bits"},
		{header + "02 03 0000 03 12 00 00", "SSTable data at offset 18: marker with the flags 0x02, of kind 3, with 0 values"},
		{header + "02 01 0002 00 03 12 00 00", "SSTable data at offset 18: ends too early: 2 clustering values, where there are 1 clustering columns"},
		{header + row + "ff ffffffffffffffff 12", "SSTable data at offset 18: row of 18446744073709551615 bytes or more, where 2147483647 are allowed"},
	} {
		err := readAll(
			NewDecoder(
				small(t, component.NB),
				bytes.NewReader(testkit.Unhex(t, c.hex)),
				MaxRowBytes,
			),
		)
		require.ErrorContains(t, err, c.want)
	}
	require.EqualError(
		t,
		readAll(
			NewDecoder(
				small(t, component.OA),
				bytes.NewReader(testkit.Unhex(t, "0004 00000001 81")),
				MaxRowBytes,
			),
		),
		"SSTable data at offset 0: deletion of a partition that begins with 0x81",
	)
	require.ErrorContains(
		t,
		readAll(
			NewDecoder(
				elements(t, component.NB),
				bytes.NewReader(testkit.Unhex(t, header+row+"06 12 00 08 02 6869 01")),
				MaxRowBytes,
			),
		),
		"flags 0x24, where a static row is due",
	)
}

// TestNoMoreMemoryThanBytes has lengths that are larger than the data.
func TestNoMoreMemoryThanBytes(t *testing.T) {
	const header = "0004 00000001 7fffffff 8000000000000000 "
	for _, hex := range []string{
		header + "24 00 00000002 f07ffffff0 12 00 08 f07fffff00 6869",
		header + "24 00 00000002 06 12 00 08 f07fffff00 6869",
	} {
		d := NewDecoder(small(t, component.NB), bytes.NewReader(testkit.Unhex(t, hex)), MaxRowBytes)
		require.Error(t, readAll(d))
		require.LessOrEqual(t, cap(d.buf), 2*ReadBytes)
	}
}

// Nor are more bytes read for a head that no bytes can make right.
func TestAMalformedHeadIsSeenEarly(t *testing.T) {
	in := testkit.Unhex(t, "0004 00000001 7fffffff 8000000000000000 02 01 0002 00")
	d := NewDecoder(
		small(t, component.NB),
		bytes.NewReader(append(in, make([]byte, 10<<20)...)),
		MaxRowBytes,
	)
	require.ErrorContains(
		t,
		readAll(d),
		"2 clustering values, where there are 1 clustering columns",
	)
	require.LessOrEqual(t, cap(d.buf), 1<<20)
}

// silent gives nothing, and no error.
type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestAReaderThatGivesNothingIsGivenUp(t *testing.T) {
	require.ErrorIs(
		t,
		readAll(NewDecoder(small(t, component.NB), silent{}, MaxRowBytes)),
		io.ErrNoProgress,
	)
}

// The memory of a large row is not kept for the small ones behind it.
func TestLargeRowLeavesNoMemory(t *testing.T) {
	c := small(t, component.NB)
	var data bytes.Buffer
	w, err := NewPartitionWriter(c, &data, nil)
	require.NoError(t, err)
	require.NoError(t, w.Begin(one(1), Deletion{}))
	for i, size := range []int{5 << 20, 10, 1000, 10, 2 << 20, 10, 10} {
		encoded, err := c.AppendRow(
			nil,
			&Row{
				Clustering: [][]byte{one(byte(i))},
				Cells:      []Cell{{Timestamp: stamp, Value: make([]byte, size)}},
			},
		)
		require.NoError(t, err)
		require.NoError(t, w.Row(encoded))
	}
	require.NoError(t, w.End())
	require.NoError(t, w.Flush())
	d := NewDecoder(c, bytes.NewReader(data.Bytes()), MaxRowBytes)
	var sizes []int
	for {
		item, err := d.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.LessOrEqual(t, cap(d.buf), 5<<20+2*ReadBytes)
		if item == RegularRow {
			sizes = append(sizes, len(d.Row().Cells[0].Value))
		}
	}
	require.Equal(t, []int{5 << 20, 10, 1000, 10, 2 << 20, 10, 10}, sizes)
}

func TestRowsOverTheLimitAreRefused(t *testing.T) {
	c := small(t, component.NB)
	for _, size := range []int{1000, 200000} {
		var out bytes.Buffer
		w, err := NewPartitionWriter(c, &out, nil)
		require.NoError(t, err)
		encoded, err := c.AppendRow(nil, &Row{
			Clustering: [][]byte{
				one(1),
			},
			Cells: []Cell{{Timestamp: stamp, Value: make([]byte, size)}},
		})
		require.NoError(t, err)
		require.NoError(t, writePartition(w, one(1), encoded))
		require.NoError(t, w.Flush())
		require.Equal(t, io.EOF, readAll(NewDecoder(c, bytes.NewReader(out.Bytes()), size+20)))
		require.ErrorContains(
			t,
			readAll(NewDecoder(c, bytes.NewReader(out.Bytes()), size-1)),
			"bytes or more, where",
		)
	}
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	for _, g := range goldens(t) {
		d := NewDecoder(g.codec, &looped{data: g.data}, MaxRowBytes)
		read := func() {
			for range 100 {
				if _, err := d.Next(); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 100 {
			read() // until the buffers are large enough
		}
		require.Zero(t, testing.AllocsPerRun(10, read), g.name)
	}
}

// looped gives the same bytes without an end.
type looped struct {
	data []byte
	at   int
}

func (l *looped) Read(b []byte) (int, error) {
	n := copy(b, l.data[l.at:])
	l.at = (l.at + n) % len(l.data)
	return n, nil
}
