package jsonl

import (
	"bytes"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// FuzzParse compares every line with encoding/json. One parser reads all lines.
func FuzzParse(f *testing.F) {
	for _, in := range samples {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		keep := bytes.Clone(in)
		p := NewParser()
		for range 2 {
			raw, records := 0, 0
			for p.Reset(Chunk{Data: in, Line: 1}); p.Next(); records++ {
				checkRecord(t, p.Record())
				p.Record().FieldPosition(len(p.Record().Fields))
				raw += len(p.Record().Raw)
			}
			for _, line := range bytes.SplitAfter(in, []byte("\n")) {
				if isBlank(line) {
					raw += len(line)
				} else {
					records--
				}
			}
			require.Zero(t, records)
			require.Equal(t, len(in), raw)
		}
		require.Equal(t, keep, in, "the input is left as it was")
	})
}

func FuzzSplitterAgrees(f *testing.F) {
	for i, in := range samples {
		f.Add([]byte(in), uint8(i), uint8(7*i))
	}
	f.Fuzz(func(t *testing.T, in []byte, chunk, limit uint8) {
		o := Options{ChunkSize: int(chunk) + 1, MaxRecord: int(limit) + 2}
		cuts := checkSplit(t, string(in), bytes.NewReader(in), o)
		require.Equal(
			t, cuts, checkSplit(t, string(in), iotest.OneByteReader(bytes.NewReader(in)), o),
		)
	})
}
