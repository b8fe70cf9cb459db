package operation

import (
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// openReading opens a table the way that it is read. Rows must meet the condition, where there is one; that of a table that is read by
// CQL is the servers' business.
func openReading(ctx context.Context, env spec.Environment, o *spec.Reading, conn *spec.Connection, name spec.TableName, planning plan.Options, where string, patience time.Duration) (*tableSession, error) {
	switch o.Via {
	case spec.ViaFiles:
		return openFiles(ctx, env, o, conn, name, planning, where)
	case spec.ViaStream:
		return openStream(ctx, env, o, conn, name, planning, where, patience)
	}
	cfg, err := conn.Config(env)
	if err != nil {
		return nil, err
	}
	cfg.Patience = patience
	return openTable(ctx, cfg, name, planning, true)
}

// wanted is what of a table is read, and how.
type wanted struct {
	read   []schema.Selector // what is selected
	query  driver.Query
	count  bool         // rows are counted: what is selected is what the number is broken down by
	memory setting.Size // of which SSTables may take a part
	now    time.Time    // what expires then has expired, of rows in SSTables
}

// reader makes what the rows of the table are read by. What it has open is closed with the session.
func (t *tableSession) reader(w wanted) sweep.Reader {
	if t.files == nil {
		return t.session.Reader(t.table, w.query, t.plan.Partitioner())
	}
	o := sstables.Options{
		Table: t.files.table, Selection: t.files.selection(t.table, w.read), Files: t.files.bounded(w.memory), Now: w.now.Unix(), Cells: len(w.read), Count: w.count,
		PageBytes: sweep.DefaultPageBytes,
	}
	if c := t.files.where; c != nil {
		o.Selection = append(o.Selection, t.files.selection(t.table, t.selectorsOf(c.Columns()))...)
		o.Tokens = c.Tokens()
		o.Holds = func(cells [][]byte, at token.Token) bool { return c.Holds(cells[len(w.read):], at) }
	}
	r := sstables.New(o)
	t.closers = append(t.closers, r.Close)
	return r
}
