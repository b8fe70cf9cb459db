package sample

import (
	"bytes"
	"errors"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// compressedHead is the number of bytes of text of a compressed input that its size is estimated
// from.
const compressedHead = 4 << 20

// wholeCompressed is the most text of all compressed inputs together that is read to find those
// that are cut off.
const wholeCompressed = 64 << 20

// Line ends are counted in parts of a file, at equal distances.
const (
	places    = 32
	placeSize = 64 << 10
)

// lineCount counts text and its line ends.
type lineCount struct {
	seen doctor.Seen
	end  byte
}

func (c *lineCount) Write(text []byte) (int, error) {
	c.seen.Bytes += int64(len(text))
	c.seen.Lines += int64(bytes.Count(text, []byte{c.end}))
	return len(text), nil
}

// measureRest adds an estimate of an input's text and line ends to its sample. It reads up to most
// bytes of the text of a compressed input, at least compressedHead. It adds an error if they are
// damaged or cut off.
func measureRest(s *doctor.Sample, in source.Input, cr bool, most int64) {
	if s.All = in.Size; !in.Plain() || s.Whole || s.Err != nil || s.Fit != nil {
		return
	}
	s.All = -1
	r, err := in.Open()
	if err != nil {
		return
	}
	defer func() { _ = r.Close() }()
	c := lineCount{end: '\n'}
	if cr {
		c.end = '\r'
	}
	if _, err := io.CopyN(&c, r, 1); err != nil { // the first byte decides about compression
		return
	}
	if !r.Compressed() {
		s.All, s.Seen = in.Size, c.places(r, in.Size)
		return
	}
	more, err := io.Copy(&c, io.LimitReader(r, compressedHead))
	if err != nil {
		s.Do, s.Err = explainedCut(in.Name, err, nil)
		return
	}
	s.All, s.Seen = c.seen.Bytes, c.seen
	if more < compressedHead {
		return
	}
	s.All = int64(float64(in.Size) * float64(c.seen.Bytes) / float64(r.Consumed()))
	if _, err := io.Copy(io.Discard, io.LimitReader(r, most-compressedHead)); err != nil {
		s.Do, s.Err = explainedCut(in.Name, err, nil)
	}
}

// explainedCut is explained for an input that may be damaged or cut off.
func explainedCut(name string, err error, job *ingest.Job) (do string, wrong error) {
	if damage := (*source.DamageError)(nil); errors.As(err, &damage) {
		return "fetch the file again: a load writes the rows before that place, and stops there", err
	}
	return explained(name, err, job)
}

// places counts in parts of a file of that size, or in all of a small one. It returns no counts if
// the file does not allow that.
func (c *lineCount) places(r *source.Reader, size int64) doctor.Seen {
	if size <= places*placeSize {
		if _, err := io.Copy(c, r); err != nil {
			return doctor.Seen{}
		}
		return c.seen
	}
	for i := range int64(places) {
		at := size/places*i + (size/places-placeSize)/2
		if ok, err := r.SkipTo(at); err != nil || !ok && at > 1 {
			return doctor.Seen{}
		}
		if _, err := io.CopyN(c, r, placeSize); err != nil {
			return doctor.Seen{}
		}
	}
	return c.seen
}
