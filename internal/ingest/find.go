package ingest

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/write"
)

// Find is a method of write.Tracker. A row is found by its place in the input. It is not found if
// all rows have one timestamp, if its columns have their own, or if the input can be opened only
// once.
func (p *pieceTracker) Find(ctx context.Context, stamp int64) (*write.Row, error) {
	job := p.run.job
	input := job.Inputs[p.piece.Input]
	if job.Timestamp != nil || len(input.Stamps) > 0 || !input.Plain {
		return nil, nil
	}
	n := stamp - p.piece.Stamp
	if n < 0 || n%job.StampStep != 0 || n/job.StampStep >= int64(p.piece.Count) {
		return nil, nil
	}
	text, err := p.reread(ctx, input)
	if err != nil {
		return nil, inputError(p.file.name, err)
	}
	c := &chunk{
		Chunk:   p.place,
		file:    p.file,
		views:   p.views,
		tracker: p,
		stamps:  stamps{first: p.piece.Stamp, step: job.StampStep},
		skip:    int(n / job.StampStep),
		count:   1,
	}
	c.Data = text
	if err := newParser(p.run).parse(c); err != nil || len(c.rows) == 0 {
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
func (p *pieceTracker) reread(ctx context.Context, input Input) (text []byte, err error) {
	in, err := p.run.job.openInput(ctx, input)
	if err != nil {
		return nil, err
	}
	skipped, err := skip(in, p.piece.Offset)
	reader := newInterruptible(ctx, in)
	defer reader.close()
	if err == nil && !skipped {
		_, err = io.CopyN(io.Discard, reader, p.piece.Offset)
	}
	if err != nil {
		return nil, err
	}
	text = make([]byte, p.piece.Bytes)
	if _, err := io.ReadFull(reader, text); err != nil {
		return nil, err
	}
	if p.run.journaled && xxh3.HashSeed(text, p.file.seed) != p.piece.Hash {
		return nil, changed(p.file, p.piece.Offset, p.piece.Offset+int64(len(text)))
	}
	return text, nil
}
