package ingest

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Find is a method of write.Piece. A row is found by its place in the input: not where all rows
// have one timestamp, or its columns have their own, nor in an input that can be opened once only.
func (a *pieceTracker) Find(ctx context.Context, stamp int64) (*write.Row, error) {
	job := a.run.job
	input := job.Inputs[a.piece.Input]
	if job.Timestamp != nil || len(input.Stamps) > 0 || !input.Plain {
		return nil, nil
	}
	n := stamp - a.piece.Stamp
	if n < 0 || n%job.StampStep != 0 || n/job.StampStep >= int64(a.piece.Count) {
		return nil, nil
	}
	text, err := a.reread(ctx, input)
	if err != nil {
		return nil, inputError(a.file.name, err)
	}
	c := &chunk{
		Chunk: dsv.Chunk{
			Data:    text,
			Offset:  a.piece.Offset,
			Line:    a.piece.Line,
			Records: a.piece.Count,
		},
		file:    a.file,
		views:   a.views,
		tracker: a,
		stamps:  stamps{first: a.piece.Stamp, step: job.StampStep},
		skip:    int(n / job.StampStep),
		count:   1,
	}
	if err := newParser(a.run).parse(c); err != nil || len(c.rows) == 0 {
		return nil, err
	}
	r := c.rows[0]
	if r.Timestamp != stamp || len(r.More) > 0 {
		return nil, nil
	}
	// It outlives the text and the cells of its piece.
	r.Raw, r.Cells = bytes.Clone(r.Raw), slices.Clone(r.Cells)
	for i := range r.Cells {
		r.Cells[i].Bytes = bytes.Clone(r.Cells[i].Bytes)
	}
	return &r, nil
}

// reread reads the text of the piece again.
func (a *pieceTracker) reread(ctx context.Context, input Input) (text []byte, err error) {
	in, err := a.run.job.openInput(ctx, input)
	if err != nil {
		return nil, err
	}
	skipped, err := skip(in, a.piece.Offset)
	reader := newInterruptible(ctx, in)
	defer reader.close()
	if err == nil && !skipped {
		_, err = io.CopyN(io.Discard, reader, a.piece.Offset)
	}
	if err != nil {
		return nil, err
	}
	text = make([]byte, a.piece.Bytes)
	if _, err := io.ReadFull(reader, text); err != nil {
		return nil, err
	}
	if a.run.journaled && xxh3.HashSeed(text, a.file.seed) != a.piece.Hash {
		return nil, changed(a.file, a.piece.Offset, a.piece.Offset+int64(len(text)))
	}
	return text, nil
}
