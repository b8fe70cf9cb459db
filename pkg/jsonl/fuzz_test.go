package jsonl

import (
	"bytes"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// FuzzParse compares every line with encoding/json. One parser reads all lines.
func FuzzParse(f *testing.F) {
	for _, in := range append(samples, arrays...) {
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

// FuzzSplitterAgrees cuts lines and arrays. What is found does not depend on how they are read.
func FuzzSplitterAgrees(f *testing.F) {
	for i, in := range append(samples, arrays...) {
		f.Add([]byte(in), uint8(i), uint8(7*i))
	}
	f.Fuzz(func(t *testing.T, in []byte, chunk, limit uint8) {
		o := Options{ChunkSize: int(chunk) + 1, MaxRecord: int(limit) + 2}
		s := NewSplitter(bytes.NewReader(in), o)
		if s.findArray(); s.array.on {
			got, cuts := splitArray(t, string(in), bytes.NewReader(in), o)
			again, where := splitArray(t, string(in), iotest.OneByteReader(bytes.NewReader(in)), o)
			require.Equal(t, got, again)
			require.Equal(t, cuts, where)
			o.MaxRecord = 1 << 20
			got, _ = splitArray(t, string(in), bytes.NewReader(in), o)
			checkWholeArray(t, string(in), got)
			return
		}
		cuts := checkSplit(t, string(in), bytes.NewReader(in), o)
		require.Equal(
			t, cuts, checkSplit(t, string(in), iotest.OneByteReader(bytes.NewReader(in)), o),
		)
	})
}
