package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// rowSource is a table whose rows are read: by CQL, or from SSTables, in folders or streamed out of its nodes.
type rowSource struct {
	*table.Table
	files   *tableFiles    // nil: rows are read by CQL
	closers []func() error // of what is open, in the order in which it was opened
}

// close closes what is open, and ends the connection.
func (t *rowSource) close() {
	t.closeFiles()
	t.Table.Close()
}

// openReading opens a table the way that it is read. Rows must meet the condition, where there is one; that of a table that is read by
// CQL is the servers' business.
func openReading(ctx context.Context, env spec.Environment, o *spec.Reading, conn *spec.Connection, name spec.TableName, planning plan.Options, where string, patience time.Duration) (*rowSource, error) {
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
	t, err := table.Open(ctx, cfg, name, planning, true)
	if err != nil {
		return nil, err
	}
	return &rowSource{Table: t}, nil
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
func (t *rowSource) reader(w wanted) sweep.Reader {
	if t.files == nil {
		return t.Session.Reader(t.Schema, w.query, t.Plan.Partitioner())
	}
	o := sstables.Options{
		Table: t.files.table, Selection: t.files.selection(t.Schema, w.read), Files: t.files.bounded(w.memory), Now: w.now.Unix(), Cells: len(w.read), Count: w.count,
		PageBytes: sweep.DefaultPageBytes,
	}
	if c := t.files.where; c != nil {
		o.Selection = append(o.Selection, t.files.selection(t.Schema, t.selectorsOf(c.Columns()))...)
		o.Tokens = c.Tokens()
		o.Holds = func(cells [][]byte, at token.Token) bool { return c.Holds(cells[len(w.read):], at) }
	}
	r := sstables.New(o)
	t.closers = append(t.closers, r.Close)
	return r
}

// failedRanges lists the ranges that a sweep gave up. Without any, every token of the ring was
// read once, or there is an error. Of a table that was dropped meanwhile, or is another one now, there is
// no list but an error: nodes that know of it fail, before all say so.
func failedRanges(ctx context.Context, t *rowSource, r sweep.Result) ([]FailedRange, error) {
	if len(r.Failed) == 0 {
		if err := t.Plan.Check(r.Done); err != nil {
			return nil, fmt.Errorf("internal check failed: the ranges read do not make up the ring: %w", err)
		}
		return nil, nil
	}
	if t.files != nil && t.files.unchanged != nil {
		if err := t.files.unchanged(ctx); errors.As(err, new(*run.RefusedError)) {
			return nil, err
		}
	}
	failed := make([]FailedRange, len(r.Failed))
	for i, f := range r.Failed {
		failed[i] = FailedRange{t.Tokens(f.Range), f.Err}
	}
	return failed, nil
}

// sweepError is the error that ended a sweep. A condition (--where) that the servers
// refuse before anything was read is a matter of usage.
func sweepError(err error, where string, begun bool) error {
	if where != "" && !begun && fault.ClassOf(err) == fault.Permanent && fault.Answered(err) {
		if strings.Contains(err.Error(), "ALLOW FILTERING") {
			err = fmt.Errorf("--allow-filtering has the servers read all rows to find those that meet the condition; without it they say: %w", err)
		}
		return &spec.UsageError{Err: fmt.Errorf("--where: %w", err)}
	}
	return err
}
