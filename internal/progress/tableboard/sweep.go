package tableboard

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ShowSweep shows a sweep with the options o and the reader r on a board. If counts is true, its
// pages hold numbers of rows and no rows of the table.
func ShowSweep(b *board.Board, o *sweep.Options, r *sweep.Reader, counts bool) {
	*r = shownReader{*r, b.Ring, counts}
	o.OnRead, o.OnFailure = b.Ring.Done, b.Ring.Failed
}

// shownReader shows which ranges a sweep reads.
type shownReader struct {
	sweep.Reader
	ring   *board.Ring
	counts bool
}

// Page is a method of sweep.Reader. Open is that of the embedded reader.
func (r shownReader) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	defer r.ring.Begin(within)()
	page, err := r.Reader.Page(ctx, host, within, state, rows)
	if err == nil && !r.counts {
		r.ring.Read(within, page.Rows())
	}
	return page, err
}
