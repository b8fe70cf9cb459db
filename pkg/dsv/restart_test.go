package dsv

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// cut is a chunk or a bad line.
type cut struct {
	offset, line int64
	text, reason string
	records      int // or the column of the fault
}

// cutsOf splits an input that starts at an offset.
func cutsOf(t *testing.T, f Format, in []byte, o Options) (cuts []cut) {
	t.Helper()
	o.Bad = func(b Bad) error {
		if b.First {
			cuts = append(
				cuts, cut{offset: b.Offset, line: b.Line, reason: b.Reason, records: b.Column},
			)
		}
		cuts[len(cuts)-1].text += string(b.Piece)
		return nil
	}
	s := NewSplitter(bytes.NewReader(in[o.Offset:]), f, o)
	for {
		c, err := s.Next(nil)
		if errors.Is(err, io.EOF) {
			return cuts
		}
		require.NoError(t, err)
		cuts = append(
			cuts, cut{offset: c.Offset, line: c.Line, text: string(c.Data), records: c.Records},
		)
	}
}

// FuzzRestart restarts at each chunk of an input: the cuts after it must be the same.
func FuzzRestart(f *testing.F) {
	for i, in := range samples {
		f.Add([]byte(in), uint8(i), uint8(7*i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, chunk, limit, most uint8) {
		o := Options{ChunkSize: int(chunk) + 1, MaxRecord: int(limit) + 2, MaxRecords: int(most)}
		for _, f := range append(variants, DefaultFormat, escaped) {
			cuts := cutsOf(t, f, in, o)
			for i, c := range cuts {
				if c.reason != "" || i > 8 {
					continue
				}
				o := o
				o.Offset, o.Line = c.offset, c.line
				require.Equal(t, cuts[i:], cutsOf(t, f, in, o), "from byte %d", c.offset)
			}
		}
	})
}
