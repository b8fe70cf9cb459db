package tableboard

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Writer returns a writer that shows on the board where w writes. It returns w itself if the board
// is nil or has no ring.
func Writer(b *board.Board, w cql.Writer) cql.Writer {
	if b == nil || b.Ring == nil {
		return w
	}
	return shownWriter{w, b.Ring}
}

// shownWriter shows where on the ring a load writes.
type shownWriter struct {
	cql.Writer
	ring *board.Ring
}

// Write is a method of cql.Writer.
func (w shownWriter) Write(ctx context.Context, host string, rows []row.Row) error {
	end := w.ring.Begin(token.Range{Start: rows[0].Token, End: rows[0].Token})
	err := w.Writer.Write(ctx, host, rows)
	end()
	if err != nil {
		return err // the request is sent again, or its rows are rejected, with the reason
	}
	for from, to := 0, 0; from < len(rows); from = to { // partition by partition
		for to = from + 1; to < len(rows) && rows[to].Token == rows[from].Token; to++ {
		}
		w.ring.Written(rows[from].Token, int64(to-from))
	}
	return nil
}
