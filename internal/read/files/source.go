package files

import (
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Source is a table whose rows are read: by CQL, or from SSTables, in folders or streamed out of
// its nodes.
type Source struct {
	*table.Table
	Files   *Files         // nil: rows are read by CQL
	Closers []func() error // of what is open, in the order in which it was opened
}

// Close closes what is open, and ends the connection.
func (t *Source) Close() {
	t.CloseFiles()
	t.Table.Close()
}

// Request is a table to read, and the settings by which it is read.
type Request struct {
	Env        spec.Environment
	Reading    *spec.Reading
	Connection *spec.Connection
	Table      spec.TableName
	Planning   plan.Options
	Where      string        // the condition that rows must meet; empty: none
	Patience   time.Duration // after which a silent node is given up
}

// Wanted is what of a table is read, and how.
type Wanted struct {
	Read   []schema.Selector // what is selected
	Query  driver.Query
	Count  bool         // rows are counted: what is selected is what the number is broken down by
	Memory setting.Size // limit of the whole program; SSTables may take a part
	Now    time.Time    // what expires then has expired, of rows in SSTables
}

// Reader makes what the rows of the table are read by. What it has open is closed with the session.
func (t *Source) Reader(w Wanted) sweep.Reader {
	if t.Files == nil {
		return t.Session.Reader(t.Schema, w.Query, t.Plan.Partitioner())
	}
	o := sstables.Options{
		Table:     t.Files.Merged,
		Selection: t.Files.selection(w.Read),
		Files:     t.Files.bounded(w.Memory),
		Now:       w.Now.Unix(),
		Cells:     len(w.Read),
		Count:     w.Count,
		PageBytes: sweep.DefaultPageBytes,
	}
	if c := t.Files.Where; c != nil {
		o.Selection = append(
			o.Selection,
			t.Files.selection(t.selectorsOf(c.Columns()))...)
		o.Tokens = c.Tokens()
		o.Holds = func(cells [][]byte, at token.Token) bool {
			return c.Holds(cells[len(w.Read):], at)
		}
	}
	r := sstables.New(o)
	t.Closers = append(t.Closers, r.Close)
	return r
}
